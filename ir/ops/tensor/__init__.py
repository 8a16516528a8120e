"""Operators over tensors of any kind, by family; importing this package registers them."""

from . import binary as binary
from . import casting as casting
from . import concatenation as concatenation
from . import creation as creation
from . import diagonals as diagonals
from . import dynamic as dynamic
from . import einsum as einsum
from . import expansion as expansion
from . import indexing as indexing
from . import ordering as ordering
from . import rearranging as rearranging
from . import reduction as reduction
from . import reshaping as reshaping
from . import scans as scans
from . import scattering as scattering
from . import selection as selection
from . import shape as shape
from . import slicing as slicing
from . import spectra as spectra
from . import unary as unary
