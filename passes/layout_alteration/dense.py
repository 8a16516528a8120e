"""Dense layers with their weight packed into tiles.

Source of the rule: ``python/tvm/topi/x86/dense_alter_op.py``, ``_default_dense_pack_config`` in
``python/tvm/topi/x86/dense.py``, ``dense_strategy_cpu`` in ``python/tvm/relay/op/strategy/x86.py`` and
``schedule_dense_arm_cpu`` in ``arm_cpu.py`` there.
"""

from __future__ import annotations

from relay_lsp.ir.expressions import Call
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.nn.dense import DensePackAttrs

from ..targets.x86 import has_avx512, vector_lanes
from .blocks import largest_factor
from .calls import AlteredCall
from .convolution import libraries

__all__ = ["dense_for_arm", "dense_for_x86"]

_UNKNOWN = 16
"""What a dimension that is not known counts as."""


def dense_for_x86(call: AlteredCall) -> Call | None:
    """``nn.dense`` with tiles of as many units as fill two vectors, or of 16 units and 4 inputs for 8-bit numbers."""
    quantized = _quantized(call)
    if quantized is not None:
        return quantized
    batch, _ = call.shape(0, 2)
    units, _ = call.shape(1, 2)
    is_dynamic = not all(isinstance(size, int) for argument in (0, 1) for size in call.shape(argument, 2))
    if (batch == 1 and is_dynamic) or _uses_library(call):
        return None
    tile = largest_factor(units if isinstance(units, int) else _UNKNOWN, 2 * vector_lanes(call.target))
    return _packed(call, f"NC{tile}n")


def dense_for_arm(call: AlteredCall) -> Call | None:
    """Arm's dense layers stay as they are."""
    return _quantized(call)


def _quantized(call: AlteredCall) -> Call | None:
    data, weight = call.tensor(0), call.tensor(1)
    call.shape(0, 2)
    units, inputs = call.shape(1, 2)
    fits = isinstance(units, int) and isinstance(inputs, int) and units % 16 == 0 and inputs % 4 == 0
    is_int8 = data.dtype == "uint8" and "int8" in weight.dtype
    return _packed(call, "NC16n4c") if fits and is_int8 and has_avx512(call.target) else None


def _uses_library(call: AlteredCall) -> bool:
    data, weight, result = call.tensor(0).dtype, call.tensor(1).dtype, call.result.dtype
    known = libraries(call)
    same = data == weight == result
    is_float = same and data in ("float32", "float64")
    is_quantized = (data, weight, result) == ("uint8", "int8", "int32")
    return (
        ("cblas" in known and is_float)
        or ("mkl" in known and (is_float or is_quantized))
        or ("dnnl" in known and same and data == "float32")
    )


def _packed(call: AlteredCall, layout: str) -> Call:
    attrs = DensePackAttrs(units=None, out_dtype=call.result.dtype, weight_layout=layout)
    return Call(operator.get("nn.contrib_dense_pack"), call.args, attrs)
