"""The ``nn.*`` operators; importing this package registers them."""

from . import activation as activation
from . import convolution as convolution
from . import convolution_transpose as convolution_transpose
from . import dense as dense
from . import normalization as normalization
from . import padding as padding
from . import pooling as pooling
from . import rearrangement as rearrangement
