"""The ``nn.*`` operators; importing this package registers them."""

from . import (  # noqa: F401 - importing a module registers its operators
    activation,
    bitserial,
    convolution,
    convolution_transpose,
    deformable,
    dense,
    dynamic,
    gemm,
    losses,
    normalization,
    padding,
    pooling,
    rearrangement,
    sparse,
    unchecked_convolution,
    upsampling,
    winograd,
)
