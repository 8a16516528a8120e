"""Products and convolutions with weights that are mostly zeros, kept as blocks that are not."""

from .conv2d_to_sparse import Conv2dToSparse
from .conv2d_to_sparse2 import Conv2dToSparse2
from .dense_to_sparse import DenseToSparse

__all__ = ["Conv2dToSparse", "Conv2dToSparse2", "DenseToSparse"]
