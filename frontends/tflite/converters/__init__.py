"""The converters of TFLite operators by family; importing this declares all of them.

Each follows the converter of the same operator in ``python/tvm/relay/frontend/tflite.py`` (TVM v0.12.0), so that the
module is the one that TVM makes; where TVM's computes something else than TFLite does, its docstring tells what is done
instead.
"""

from . import (
    activations,
    comparisons,
    convolution,
    detection,
    elementwise,
    fully_connected,
    images,
    indexing,
    matrices,
    normalization,
    paddings,
    pooling,
    quantization,
    recurrent,
    reductions,
    shapes,
    slicing,
    splitting,
)

__all__ = ["families"]

families = (
    activations,
    comparisons,
    convolution,
    detection,
    elementwise,
    fully_connected,
    images,
    indexing,
    matrices,
    normalization,
    paddings,
    pooling,
    quantization,
    recurrent,
    reductions,
    shapes,
    slicing,
    splitting,
)
"""The families; the order says nothing."""
