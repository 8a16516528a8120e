"""What operators become for certain targets: 8-bit products in the forms that a processor has instructions for.

Source of the rule: ``python/tvm/relay/qnn/op/legalizations.py``, ``python/tvm/topi/generic/conv2d.py``
(``conv2d_alter_int8_common``), ``python/tvm/topi/x86/conv2d_alter_op.py``, ``dense_alter_op.py``,
``python/tvm/topi/arm_cpu/conv2d_alter_op.py``. What TVM pads for Tensor Cores, Hexagon and Cortex-M is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.data_layout import Layout
from relay_lsp.ir.ops.nn.windows import padding_on_both_sides

from ..construction import scalar
from ..targets import Target
from ..targets.x86 import has_avx512, has_sse42
from .operator_call import OperatorCall
from .requantization import cast

__all__ = ["TargetRule", "register_legalization", "target_rule"]

TargetRule: TypeAlias = Callable[[OperatorCall, Target], "Expr | None"]
"""What a call becomes for a target; ``None`` where it stays."""

_HALF: Final = 128
_ROWS: Final = 16
_DEPTH: Final = 4
"""On x86 an instruction multiplies 4 pairs of 8-bit numbers for each of 16 sums."""
_ARM_BLOCK: Final = 8


def target_rule(attribute: str, name: str, target: Target | None) -> TargetRule | None:
    """The rule for an operator that the first key of ``target`` has that has one."""
    rules = {**_RULES.get(attribute, {}).get(name, {}), **_registered.get((attribute, name), {})}
    return next((rules[key] for key in target.keys if key in rules), None) if target is not None else None


_registered: dict[tuple[str, str], dict[str, TargetRule]] = {}


def register_legalization(attribute: str, operator: str, key: str, rule: TargetRule) -> None:
    """Have ``Legalize`` with ``attribute`` replace ``operator`` by ``rule`` for targets with the key ``key``.

    ``attribute`` is ``FTVMLegalize``, ``FTVMQnnLegalize`` or ``FTVMQnnCanonicalize``. The rule comes before those for
    all targets, and in the place of one that stands for the key; where it gives ``None``, the call stays.
    """
    _registered.setdefault((attribute, operator), {})[key] = rule


def _remade(call: OperatorCall, name: str, *args: Expr, **changed: object) -> Call:
    """A call with the old attributes but for those that are ``changed``; padding is written out."""
    attrs = call.attrs
    if name.endswith("conv2d"):
        changed.setdefault("padding", padding_on_both_sides(attrs.padding, 2))
    return Call(operator.get(name), args, replace(attrs, **changed) if changed else attrs)


def _in_int16(call: OperatorCall, name: str) -> Expr:
    """The product of the numbers less their zero points in int16, for processors without instructions for 8 bits."""
    data, weight, data_zero, weight_zero = (cast(arg, "int16") for arg in call.args[:4])
    data = apply("subtract", data, data_zero)
    if call.is_scalar(3):
        weight = apply("subtract", weight, weight_zero)
    else:
        axis = Layout.parse(call.attrs.kernel_layout).index("O") if name.endswith("conv2d") else 0
        weight = apply("nn.bias_add", weight, apply("negative", weight_zero), axis=axis)
    return _remade(call, name.replace("qnn.", "nn."), data, weight)


def _moved(call: OperatorCall, argument: int, dtype: str) -> tuple[Expr, Expr]:
    """An operand and its zero point, moved by 128 into another 8-bit ``dtype``."""
    step = _HALF if dtype == "uint8" else -_HALF
    value, zero = call.args[argument], call.args[argument + 2]
    value = cast(apply("add", cast(value, "int32"), scalar(step, "int32")), dtype)
    if isinstance(zero, Constant):
        constant = call.constant_scalar(zero, "a zero point")
        return value, scalar(int(constant.data) + step, "int32")
    return value, apply("add", zero, scalar(step, "int32"))


def _in_dtypes(call: OperatorCall, name: str, data_dtype: str, weight_dtype: str) -> Expr | None:
    """The quantised product with its operands moved into these dtypes; ``None`` where they have them."""
    operands: list[tuple[Expr, Expr]] = []
    for argument, dtype in ((0, data_dtype), (1, weight_dtype)):
        has_it = call.tensor_type(argument).dtype == dtype
        operands.append((call.args[argument], call.args[argument + 2]) if has_it else _moved(call, argument, dtype))
    (data, data_zero), (weight, weight_zero) = operands
    if data is call.args[0] and weight is call.args[1]:
        return None
    return _remade(call, name, data, weight, data_zero, weight_zero, *call.args[4:])


def _in_one_dtype(call: OperatorCall, name: str) -> Expr | None:
    return _in_dtypes(call, name, call.tensor_type(1).dtype, call.tensor_type(1).dtype)


def _quantized_for_x86(name: str) -> TargetRule:
    def rule(call: OperatorCall, target: Target) -> Expr | None:
        return _in_dtypes(call, name, "uint8", "int8") if has_sse42(target) else _in_int16(call, name)

    return rule


def _quantized_for_arm(name: str) -> TargetRule:
    def rule(call: OperatorCall, target: Target) -> Expr | None:
        is_fast = target.features.get("has_dotprod", False)
        if name == "qnn.conv2d":
            is_fast = is_fast or (call.attrs.data_layout == "NHWC" and not _is_depthwise(call))
        if target.features.get("has_asimd", False) and not is_fast:
            return _in_int16(call, name)
        return _in_one_dtype(call, name)

    return rule


def _quantized_for_gpu(name: str) -> TargetRule:
    def rule(call: OperatorCall, target: Target) -> Expr | None:
        if target.kind.name == "vulkan":
            return _in_one_dtype(call, name)
        return _in_dtypes(call, name, "int8", "int8") if target.kind.name in ("cuda", "rocm") else None

    return rule


def _is_depthwise(call: OperatorCall) -> bool:
    attrs = call.attrs
    data, kernel = Layout.parse(attrs.data_layout), Layout.parse(attrs.kernel_layout)
    inputs = call.tensor_type(0).shape[data.index("C")]
    outputs = call.tensor_type(1).shape[kernel.index("O")]
    return inputs == outputs == attrs.groups


def _conv2d_for_x86(call: OperatorCall, target: Target) -> Expr | None:
    data, weight = call.tensor_type(0).dtype, call.tensor_type(1).dtype
    is_int8 = data in ("int8", "uint8") and weight == "int8"
    return _in_whole_blocks(call, "uint8", _DEPTH, _ROWS) if is_int8 and has_sse42(target) else None


def _conv2d_for_arm(call: OperatorCall, target: Target) -> Expr | None:
    weight = call.tensor_type(1).dtype
    is_fast = target.features.get("has_asimd", False) or target.features.get("has_dotprod", False)
    return _in_whole_blocks(call, weight, _ARM_BLOCK, _ARM_BLOCK) if "int8" in weight and is_fast else None


def _in_whole_blocks(call: OperatorCall, dtype: str, in_block: int, out_block: int) -> Expr | None:
    """A convolution of data of ``dtype`` with as many channels as fill blocks; what is too many is cut off after."""
    attrs = call.attrs
    layouts = (attrs.data_layout, attrs.kernel_layout)
    if tuple(attrs.dilation) != (1, 1) or attrs.groups != 1 or layouts not in (("NHWC", "HWIO"), ("NCHW", "OIHW")):
        return None
    data, weight = call.args
    data_layout, kernel_layout = map(Layout.parse, layouts)
    padding = padding_on_both_sides(attrs.padding, 2)
    correction: Expr | None = None
    before, after = ("add", "subtract") if dtype == "uint8" else ("subtract", "add")
    if call.tensor_type(0).dtype != dtype:
        axes = tuple(sorted(kernel_layout.index(letter) for letter in "HWI"))
        correction = apply("sum", cast(weight, "int32"), axis=axes)
        if attrs.data_layout == "NCHW":
            correction = apply("expand_dims", correction, axis=1, num_newaxis=2)
        data = cast(apply(before, cast(data, "int32"), scalar(_HALF, "int32")), dtype)
        if any(padding):
            top, left, bottom, right = padding
            fill = _HALF if dtype == "uint8" else -_HALF
            data = _padded(data, data_layout, {"H": (top, bottom), "W": (left, right)}, fill)
        padding = (0, 0, 0, 0)
        correction = apply("multiply", correction, scalar(_HALF, "int32"))
    inputs = call.static_size(0, data_layout.index("C"))
    outputs = call.static_size(1, kernel_layout.index("O"))
    if inputs % in_block:
        more = (0, in_block - inputs % in_block)
        data, weight = _padded(data, data_layout, {"C": more}), _padded(weight, kernel_layout, {"I": more})
    changed: dict[str, object] = {"padding": padding}
    if outputs % out_block:
        more = (0, out_block - outputs % out_block)
        weight = _padded(weight, kernel_layout, {"O": more})
        changed["channels"] = outputs + more[1]
    if data is call.args[0] and weight is call.args[1]:
        return None
    new: Expr = _remade(call, "nn.conv2d", data, weight, **changed)
    if outputs % out_block:
        end = tuple(getattr(call.place.checked_type, "shape", ()))
        new = apply("strided_slice", new, begin=(0, 0, 0, 0), end=end, strides=(1,), axes=None)
    return new if correction is None else apply(after, new, correction)


def _padded(value: Expr, layout: Layout, sides: Mapping[str, tuple[object, object]], fill: int = 0) -> Expr:
    width = tuple(sides.get(axis.letter, (0, 0)) for axis in layout.axes)
    return apply("nn.pad", value, scalar(fill, "int32"), pad_width=width)


def _product_for_x86(name: str) -> TargetRule:
    """``nn.dense`` and ``nn.batch_matmul`` of int8 numbers with the first moved to uint8, in whole blocks."""

    def rule(call: OperatorCall, target: Target) -> Expr | None:
        attrs = call.attrs
        if name == "nn.batch_matmul" and (attrs.transpose_a or not attrs.transpose_b):
            return None
        left, right = call.tensor_type(0), call.tensor_type(1)
        if not (has_avx512(target) and left.dtype == "int8" and "int8" in right.dtype):
            return None
        x, y = call.args
        rank = left.ndim
        x = cast(apply("add", cast(x, "int32"), scalar(_HALF, "int32")), "uint8")
        correction: Expr = apply("multiply", scalar(_HALF, "int32"), apply("sum", cast(y, "int32"), axis=(-1,)))
        if name == "nn.batch_matmul":
            correction = apply("expand_dims", correction, axis=1)
        rows, depth = call.static_size(1, right.ndim - 2), call.static_size(1, right.ndim - 1)
        more_rows, more_depth = -rows % _ROWS, -depth % _DEPTH
        if more_rows or more_depth:
            y = _with_more(y, right.ndim, {right.ndim - 2: more_rows, right.ndim - 1: more_depth})
            x = _with_more(x, rank, {rank - 1: more_depth}) if more_depth else x
        product: Expr = Call(call.place.op, (x, y), attrs)
        if more_rows:
            end = (*left.shape[:-1], rows)
            product = apply(
                "strided_slice", product, begin=(0,) * rank, end=end, strides=(1,), axes=None, slice_mode="size"
            )
        return apply("subtract", product, correction)

    return rule


def _with_more(value: Expr, rank: int, more: Mapping[int, int]) -> Expr:
    width = tuple((0, more.get(axis, 0)) for axis in range(rank))
    return apply("nn.pad", value, scalar(0, "int32"), pad_width=width)


_GPU_KEYS: Final = ("cuda", "gpu")
_RULES: Final[Mapping[str, Mapping[str, Mapping[str, TargetRule]]]] = {
    "FTVMLegalize": {
        "nn.conv2d": {"cpu": _conv2d_for_x86, "arm_cpu": _conv2d_for_arm},
        "nn.dense": {"cpu": _product_for_x86("nn.dense")},
        "nn.batch_matmul": {"cpu": _product_for_x86("nn.batch_matmul")},
    },
    "FTVMQnnLegalize": {
        name: {
            "cpu": _quantized_for_x86(name),
            "arm_cpu": _quantized_for_arm(name),
            **dict.fromkeys(_GPU_KEYS, _quantized_for_gpu(name)),
        }
        for name in ("qnn.conv2d", "qnn.dense")
    },
}
