"""The converters of ONNX operators by family; importing this declares all of them.

Each follows the converter of the same operator in ``python/tvm/relay/frontend/onnx.py`` (TVM v0.12.0), so that the
module is the one that TVM makes; where TVM's computes something else than ONNX says, its docstring tells what is done
instead.
"""

from . import (
    attention,
    bitwise,
    constants,
    control_flow,
    convolution,
    detection,
    elementwise,
    images,
    indexing,
    losses,
    matrices,
    normalization,
    optimizers,
    paddings,
    pooling,
    quantization,
    quantized_layers,
    random_numbers,
    recurrent,
    reductions,
    sequences,
    shapes,
    slicing,
    sorting,
    spectra,
    torch_operators,
)

__all__ = ["families"]

families = (
    attention,
    bitwise,
    constants,
    control_flow,
    convolution,
    detection,
    elementwise,
    images,
    indexing,
    losses,
    matrices,
    normalization,
    optimizers,
    paddings,
    pooling,
    quantization,
    quantized_layers,
    random_numbers,
    recurrent,
    reductions,
    sequences,
    shapes,
    slicing,
    sorting,
    spectra,
    torch_operators,
)
"""The families; the order says nothing."""
