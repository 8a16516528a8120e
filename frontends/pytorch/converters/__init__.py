"""The converters of PyTorch's operators by family; importing this declares all of them.

Each follows the converter of the same operator in ``python/tvm/relay/frontend/pytorch.py`` and ``qnn_torch.py``
(TVM v0.12.0), so that the module is the one that TVM makes; where TVM's computes something else than PyTorch, its
docstring tells what is done instead. An operator in place (``aten::relu_``) is that without the underscore.
"""

from . import (
    activations,
    control_flow,
    convolution,
    creation,
    detection,
    elementwise,
    images,
    indexing,
    lists,
    losses,
    matrices,
    normalization,
    paddings,
    pooling,
    quantization,
    quantized_layers,
    random_numbers,
    recurrent,
    reductions,
    shapes,
    slicing,
    sorting,
    spectra,
)

__all__ = ["families"]

families = (
    activations,
    control_flow,
    convolution,
    creation,
    detection,
    elementwise,
    images,
    indexing,
    lists,
    losses,
    matrices,
    normalization,
    paddings,
    pooling,
    quantization,
    quantized_layers,
    random_numbers,
    recurrent,
    reductions,
    shapes,
    slicing,
    sorting,
    spectra,
)
"""The families; the order says nothing."""
