"""``FakeQuantizationToInteger``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, GlobalVar, Tuple, TupleGetItem
from relay_lsp.ir.inference import infer_expr
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply, is_call_to
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.type_visitor import distinct_parts
from relay_lsp.ir.types import GlobalTypeVar, TensorType
from relay_lsp.ir.visitor import children, post_order

from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass, option
from ..patterns.rewriting import infer_locally, infer_with_record
from ..provenance import ExprMutator
from . import rules as rules
from .affine_types import AffineType, TensorAffineType
from .region import AffineRegion, Unconvertible, rule_of


@declare_pass(opt_level=0, required=("InferType", "DivToMul"))
class FakeQuantizationToInteger(FunctionPass):
    """Compute on integers between ``qnn.dequantize`` and ``qnn.quantize``, instead of on floating-point numbers.

    Each ``qnn.quantize`` is examined with everything that leads to it from a ``qnn.dequantize`` or a constant. Where
    every operator of this region has a rule, its integer counterpart takes its place; where one has none, or its rule
    does not hold, the region stays. With ``use_qat``, operators whose operands are all dequantised are then converted
    one by one, with a ``qnn.dequantize`` of their result. Source of the rule:
    ``src/relay/transforms/fake_quantization_to_integer.cc`` and
    ``python/tvm/relay/transform/fake_quantization_to_integer.py``.

    Before::

        def @main(%x: Tensor[(1, 4), int8]) {
          %0 = qnn.dequantize(%x, 0.5f, 0);
          %1 = reshape(%0, newshape=[2, 2]);
          qnn.quantize(%1, 0.5f, 0, out_dtype="int8")
        }

    After::

        def @main(%x: Tensor[(1, 4), int8]) -> Tensor[(2, 2), int8] {
          reshape(%x, newshape=[2, 2])
        }
    """

    hard_fail: bool = option(default=False, doc="Whether a region that cannot be converted is an error.")
    use_qat: bool = option(default=False, doc="Whether single operators outside of such regions are converted, too.")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with its regions converted.

        Raises:
            PassError: a region calls something else than an operator; or, with ``hard_fail``, one cannot be converted;
                or, with ``use_qat``, the function needs others or type definitions for its types.
        """
        new = _RegionRewriter(module, self.hard_fail).visit_function(function)
        if self.use_qat:
            if len(module.functions) > 1 or module.type_definitions:
                _require_types_alone(new)
            typed = infer_with_record(new, module)
            new = _OperatorRewriter(module, self.hard_fail).visit(typed)
            assert isinstance(new, Function)
        return new


def _require_types_alone(function: Function) -> None:
    """Refuse a function that has no type without the rest of its module: with ``use_qat`` TVM types it alone."""
    words = "with use_qat TVM types each function without the rest of its module, and here {}; {}, or leave use_qat out"
    for expr in post_order(function):
        parts = () if expr.checked_type is None else distinct_parts(expr.checked_type)
        data_type = next((part for part in parts if isinstance(part, GlobalTypeVar)), None)
        if data_type is not None:
            reason = words.format(f"a value has the data type {data_type}", "leave the pass to functions of tensors")
            raise PassError(reason, place=expr)
    findings = infer_expr(function, IRModule({GlobalVar("main"): function})).diagnostics
    if findings:
        reason = words.format(findings[0].message, "run Inline before")
        raise PassError(reason, place=findings[0].place or function)


def _require_operator(call: Call) -> Op:
    if not isinstance(call.op, Op):
        raise PassError(
            "fake quantisation is converted where operators are called, and this calls a function", place=call
        )
    return call.op


def _is_dataflow(expr: Expr) -> bool:
    return isinstance(expr, (Call, Op, Tuple, TupleGetItem, Constant))


class _RegionRewriter(ExprMutator):
    """Converts the region before each ``qnn.quantize``."""

    def __init__(self, module: IRModule, hard_fail: bool) -> None:
        super().__init__()
        self._module = module
        self._hard_fail = hard_fail

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if not is_call_to(post, "qnn.quantize"):
            return post
        border, inside = _region_before(pre)
        if not inside:
            return post
        types: dict[Expr, AffineType] = {}
        for old, type in border.items():
            types[post if old is pre else self.memo[old]] = type
        out_type = border[pre]
        try:
            for call in inside:
                new = self.memo[call]
                if not isinstance(new, Call) or rule_of(new) is None:
                    raise Unconvertible(f"there is no rule for {call.op!r}")
            return AffineRegion(types, out_type, self._module).rewrite(post)[0]
        except Unconvertible as reason:
            return _refused(pre, post, reason, self._hard_fail)


def _refused(place: Expr, kept: Expr, reason: Unconvertible, hard_fail: bool) -> Expr:
    if hard_fail:
        raise PassError(f"this cannot be computed on integers: {reason}", place=place) from reason
    return kept


def _region_before(quantize: Call) -> tuple[Mapping[Expr, TensorAffineType], Collection[Call]]:
    """What the quantisations and dequantisations of the region stand for, and its calls but for the quantisations.

    There are no calls where the region meets something else than data flow, such as a parameter.
    """
    border: dict[Expr, TensorAffineType] = {}
    inside: list[Call] = []
    is_dataflow = True
    seen: set[Expr] = set()
    stack: list[Expr] = [quantize]
    while stack:
        expr = stack.pop()
        if expr in seen:
            continue
        seen.add(expr)
        if not _is_dataflow(expr):
            is_dataflow = False
            continue
        if not isinstance(expr, Call):
            stack.extend(reversed(children(expr)))
            continue
        _require_operator(expr)
        attrs: Any = expr.attrs
        if is_call_to(expr, "qnn.quantize"):
            border[expr] = TensorAffineType(expr.args[1], expr.args[2], attrs.out_dtype, attrs.axis)
            stack.append(expr.args[0])
            continue
        inside.append(expr)
        if is_call_to(expr, "qnn.dequantize"):
            border[expr] = TensorAffineType(expr.args[1], expr.args[2], _dtype(expr.args[0]), attrs.axis)
        else:
            stack.extend(reversed(children(expr)))
    return border, inside if is_dataflow else ()


def _dtype(expr: Expr) -> str:
    type = expr.tensor_type if isinstance(expr, Constant) else expr.checked_type
    if not isinstance(type, TensorType):
        raise PassError("what is dequantised must be a tensor", place=expr)
    return type.dtype


_SINGLE = frozenset(
    (
        "broadcast_to",
        "clip",
        "expand_dims",
        "max",
        "maximum",
        "min",
        "minimum",
        "nn.avg_pool2d",
        "nn.batch_flatten",
        "nn.batch_matmul",
        "nn.bias_add",
        "nn.conv2d",
        "nn.conv2d_transpose",
        "nn.dense",
        "nn.depth_to_space",
        "nn.global_avg_pool2d",
        "nn.max_pool2d",
        "nn.pad",
        "nn.relu",
        "reshape",
        "split",
        "squeeze",
        "strided_slice",
        "transpose",
    )
)
"""The operators that are converted one by one: those whose quantisation follows from that of their operands."""


class _OperatorRewriter(ExprMutator):
    """Converts single operators whose operands are dequantised or constant."""

    def __init__(self, module: IRModule, hard_fail: bool) -> None:
        super().__init__()
        self._module = module
        self._hard_fail = hard_fail
        self._leaves_dataflow: dict[Expr, bool] = {}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        op = _require_operator(post)
        if op.name not in _SINGLE:
            return post
        types: dict[Expr, AffineType] = {}
        computed: Call | None = None
        stack = list(post.args)
        while stack:
            expr = stack.pop()
            if not _is_dataflow(expr):
                return post
            if not isinstance(expr, Call):
                stack.extend(children(expr))
            elif is_call_to(expr, "qnn.dequantize"):
                attrs: Any = expr.attrs
                dtype = _dtype(infer_locally(expr.args[0], self._module))
                types[expr] = TensorAffineType(expr.args[1], expr.args[2], dtype, attrs.axis)
            elif not self._hard_fail:
                return post
            else:
                computed = expr
        if computed is not None:
            if self._reaches_more_than_dataflow(post):
                return post
            reason = Unconvertible(f"{computed.op!r} is an operand, and no qnn.dequantize")
            return _refused(pre, post, reason, hard_fail=True)
        if not types:
            return post
        try:
            out, type = AffineRegion(types, None, self._module).rewrite(post)
            if not isinstance(type, TensorAffineType):
                raise Unconvertible("the result is a tuple")
        except Unconvertible as reason:
            return _refused(pre, post, reason, self._hard_fail)
        return apply("qnn.dequantize", out, type.scale, type.zero_point, axis=type.axis)

    def _reaches_more_than_dataflow(self, root: Expr) -> bool:
        """Whether something below ``root``, down to dequantisations, is neither a call, nor a tuple, nor a constant."""
        known = self._leaves_dataflow
        stack: list[tuple[Expr, bool]] = [(root, False)]
        while stack:
            expr, expanded = stack.pop()
            if expr in known:
                continue
            parts = () if is_call_to(expr, "qnn.dequantize") else children(expr)
            if not _is_dataflow(expr):
                known[expr] = True
            elif expanded or not parts:
                known[expr] = any(known[part] for part in parts)
            else:
                stack.append((expr, True))
                stack.extend((part, False) for part in parts)
        return known[root]
