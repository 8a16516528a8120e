"""The ``nn.*`` operators; importing this package registers them."""

from . import activation as activation
from . import bitserial as bitserial
from . import convolution as convolution
from . import convolution_transpose as convolution_transpose
from . import deformable as deformable
from . import dense as dense
from . import dynamic as dynamic
from . import gemm as gemm
from . import losses as losses
from . import normalization as normalization
from . import padding as padding
from . import pooling as pooling
from . import rearrangement as rearrangement
from . import sparse as sparse
from . import unchecked_convolution as unchecked_convolution
from . import upsampling as upsampling
from . import winograd as winograd
