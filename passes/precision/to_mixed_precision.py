"""``ToMixedPrecision``."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import cast

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.inference import infer_statement
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import DataType, TensorType, TupleType, Type
from relay_lsp.ir.visitor import post_order_within

from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass, option
from ..infrastructure.operator_rules import ask_rule, find_rule
from ..provenance import ExprMutator
from ..provenance.mutator import Descent
from ..provenance.remarks import Remarks

_ALWAYS = """
    nn.conv1d nn.conv2d nn.conv3d nn.conv1d_transpose nn.conv2d_transpose nn.conv3d_transpose nn.dense nn.batch_matmul
"""

_FOLLOW = """
    nn.pad nn.batch_flatten concatenate zeros split squeeze transpose expand_dims reshape dyn.reshape broadcast_to_like
    dyn.broadcast_to strided_slice dyn.strided_slice take argwhere where tile dyn.tile scatter scatter_elements
    scatter_nd full dyn.full nn.depth_to_space less greater less_equal greater_equal copy cast cast_like add subtract
    multiply divide nn.bias_add nn.batch_norm sqrt shape_of max min maximum minimum argmax argmin nn.relu nn.leaky_relu
    nn.prelu nn.dropout sigmoid tanh fast_tanh fast_exp fast_erf clip nn.max_pool1d nn.max_pool2d nn.max_pool3d
    nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d nn.global_max_pool2d nn.adaptive_max_pool1d nn.adaptive_max_pool2d
    nn.adaptive_max_pool3d image.resize2d
"""

_NEVER = """
    exp power nn.cross_entropy nn.cross_entropy_with_logits nn.softmax nn.l2_normalize erf arange nn.global_avg_pool2d
    nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d sum mean variance nn.layer_norm
"""


class Category(enum.Enum):
    """What an operator does about low precision."""

    ALWAYS = "always"
    """Faster in low precision, whatever its arguments are."""
    FOLLOW = "follow"
    """In low precision where its arguments already are."""
    NEVER = "never"
    """Loses too much: sums over many elements, and functions that grow fast."""


_CATEGORIES = {
    name: category
    for names, category in ((_ALWAYS, Category.ALWAYS), (_FOLLOW, Category.FOLLOW), (_NEVER, Category.NEVER))
    for name in names.split()
}

_ATTRIBUTE = "FTVMMixedPrecisionConversionType"
_SINGLE = DataType("float32")

# Attributes that name the dtype in which a result is summed up, or in which a tensor is made.
_DTYPE_ATTRIBUTES = ("out_dtype", "dtype")
_DTYPED = """
    Conv1DAttrs Conv1DTransposeAttrs Conv2DAttrs Conv2DTransposeAttrs Conv2DWinogradAttrs
    Conv2DWinogradNNPACKWeightTransformAttrs DeformableConv2DAttrs Conv3DAttrs Conv3DTransposeAttrs Conv3DWinogradAttrs
    DenseAttrs BatchMatmulAttrs InitOpAttrs
"""
_DTYPED_ATTRIBUTES = frozenset(f"relay.attrs.{name}" for name in _DTYPED.split())


@declare_pass(opt_level=0)
class ToMixedPrecision(FunctionPass):
    """Compute in a narrower float wherever that is faster and safe.

    Convolutions and matrix products always run in the narrow dtype; most operators follow their arguments; those that
    sum over many elements or grow fast stay in ``float32``. The lists are TVM's defaults, and as in TVM the result of
    an ``if`` is taken to have the dtype that it had. With ``relay.ToMixedPrecision.keep_orig_output_dtype`` in the
    context the results keep their dtypes.

    Verification lets results be apart by 5 % of the largest element, and integers made of them by one more, on inputs
    so small that the narrow dtype can hold every value on the way; inputs whose own rounding moves the result say
    nothing. Source of the rule: ``src/relay/transforms/to_mixed_precision.cc``,
    ``python/tvm/relay/transform/mixed_precision.py``.

    Before::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) {
          %0 = nn.dense(%x, %w, units=2);
          nn.softmax(%0)
        }

    After::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) -> Tensor[(1, 2), float32] {
          %0 = cast(%x, dtype="float16");
          %1 = cast(%w, dtype="float16");
          %2 = nn.dense(%0, %1, units=2, out_dtype="float16");
          %3 = cast(%2, dtype="float32");
          nn.softmax(%3)
        }
    """

    mixed_precision_type: str = option(default="float16", doc="The narrow dtype: an IEEE float, or bfloat16.")
    missing_op_mode: int = option(
        default=1, doc="For operators in none of the lists: 0 refuses them, 1 and 2 let them follow.", lower=0, upper=2
    )

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function in mixed precision.

        Raises:
            PassError: the narrow dtype is no float, the function uses algebraic data types, or an operator is in none
                of the lists where that is refused.
        """
        narrow = DataType(self.mixed_precision_type)
        if not _is_float(narrow):
            raise PassError(
                f"mixed_precision_type must be float16, bfloat16, or a wider IEEE float, such as float32, not {narrow}"
            )
        keep = bool(context.get_config("relay.ToMixedPrecision.keep_orig_output_dtype", False))
        mutator = _MixedPrecision(function, module, narrow, keep)
        new = mutator.visit_function(function)
        if self.missing_op_mode == 0 and mutator.missing:
            raise PassError(f"nothing is said about the precision of {', '.join(sorted(mutator.missing))}")
        return new


def _is_float(dtype: DataType) -> bool:
    return (dtype.is_float and dtype.bits in (16, 32, 64)) or (dtype.code == "bfloat" and dtype.bits == 16)


def _tensor_dtypes(type: Type | None) -> list[DataType]:
    fields = type.fields if isinstance(type, TupleType) else (type,)
    return [field.dtype for field in fields if isinstance(field, TensorType)]


class _MixedPrecision(ExprMutator):
    def __init__(self, function: Function, module: IRModule, narrow: DataType, keep_output: bool) -> None:
        super().__init__()
        self.module = module
        self.narrow = narrow
        self.types: dict[Expr, Type] = {}
        self.casts: dict[tuple[Expr, DataType], Expr] = {}
        self.missing: set[str] = set()
        self.root = function.body
        keeps = keep_output and isinstance(self.root, (Tuple, Call))
        self.output_dtypes = _tensor_dtypes(self.root.checked_type) if keeps else []

    def descend(self, expr: Expr) -> Descent | None:
        return self._let(expr) if isinstance(expr, Let) else None

    def _let(self, let: Let) -> Descent:
        value = yield let.value
        type = self._type(value)
        var = let.var
        if type != let.var.checked_type or (let.var.type_annotation not in (None, type)):
            var = Var(let.var.name_hint, type, let.var.span, let.var.virtual_device)
            self.derive(var, let.var)
        self.memo[let.var] = var
        body = yield let.body
        if var is let.var and value is let.value and body is let.body:
            return let
        return Let(var, value, body, let.span)

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        # The result may have become narrower: inference says what it is now.
        if post is pre and pre.ret_type is None:
            return pre
        return Function(post.params, post.body, None, post.type_params, post.attrs, post.span, post.virtual_device)

    def rewrite_tuple(self, pre: Tuple, post: Tuple) -> Expr:
        if pre is not self.root or not self.output_dtypes:
            return post
        items = [TupleGetItem(post, index) for index in range(len(post.fields))]
        fields = tuple(
            self._cast(item, self._type(item), dtype) for item, dtype in zip(items, self.output_dtypes, strict=True)
        )
        return post if all(new is old for new, old in zip(fields, items, strict=True)) else Tuple(fields)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        category, accumulated, given = self._conversion(pre, post)
        types = [self._type(arg) for arg in post.args]
        if category is Category.FOLLOW:
            follows = all(
                isinstance(arg, (Var, Constant)) or self._is_narrow(type, arg)
                for arg, type in zip(post.args, types, strict=True)
            )
            category = Category.ALWAYS if follows else Category.NEVER
        if self.record.remarks is not None:
            self._remark(self.record.remarks, pre, types, category)
        wanted = self.narrow if category is Category.ALWAYS else _SINGLE
        args = tuple(self._cast(arg, type, wanted) for arg, type in zip(post.args, types, strict=True))
        attrs = self._attrs(pre.attrs, accumulated) if category is Category.ALWAYS else pre.attrs
        if post is pre and args == pre.args and attrs is pre.attrs:
            output: Expr = pre
        else:
            output = Call(post.op, args, attrs, pre.type_args if isinstance(pre.op, Function) else (), pre.span)
        if category is Category.ALWAYS and pre is self.root and self.output_dtypes:
            self.derive(output, pre)
            return self._cast(output, self._type(output), self.output_dtypes[0])
        if category is Category.ALWAYS and given != accumulated:
            self.derive(output, pre)
            return self._cast(output, self._type(output), given)
        return output

    def _conversion(self, pre: Call, post: Call) -> tuple[Category, DataType, DataType]:
        """What the operator of a call does about low precision, the dtype that it sums in, and that of its result."""
        name = pre.op.name if isinstance(pre.op, Op) else ""
        users = find_rule(_ATTRIBUTE, name)
        if users is None:
            return self._category(post), self.narrow, self.narrow
        conversion = ask_rule(users, pre, pre, str(self.narrow))
        parts = cast("Sequence[object]", conversion) if isinstance(conversion, (list, tuple)) else ()
        if len(parts) != 3 or not isinstance(parts[0], int) or not 0 <= parts[0] < len(Category):
            raise PassError(
                f"the rule for {name} gave {conversion!r}, and must give a category (0 always, 1 follow, 2 never), the "
                "dtype of sums and that of the result",
                place=pre,
            )
        return list(Category)[parts[0]], DataType(str(parts[1])), DataType(str(parts[2]))

    def _remark(self, remarks: Remarks, call: Call, types: Sequence[Type | None], category: Category) -> None:
        """Say in which dtype a call is computed, and what decides that."""
        name = call.op.name if isinstance(call.op, Op) else ""
        listed = _CATEGORIES.get(name)
        if category is Category.ALWAYS:
            reason = f"{name} is on the allow list" if listed is category else "its arguments are"
            remarks.passed("narrow", call, f"computed in {self.narrow}: {reason}")
        elif not name:
            remarks.missed("signature", call, f"kept {_SINGLE}: the signature of a function stays")
        elif listed is Category.NEVER:
            remarks.missed("deny-list", call, f"kept {_SINGLE}: {name} is on the deny list")
        else:
            for arg, type in zip(call.args, types, strict=True):
                if not isinstance(arg, (Var, Constant)) and not self._is_narrow(type, arg):
                    remarks.missed("follow", call, f"kept {_SINGLE}: it follows its arguments, and {{}} is so", arg)
                    return

    def _category(self, call: Call) -> Category:
        if isinstance(call.op, Function):
            # The signature of a function stays as it is.
            return Category.NEVER
        if isinstance(call.op, (GlobalVar, Constructor, Var)):
            raise PassError(
                "algebraic data types and calls of named functions are not supported: run Inline or PartialEvaluate "
                "before",
                place=call,
            )
        if not isinstance(call.op, Op):
            raise PassError("only calls of operators and of functions are supported", place=call)
        category = _CATEGORIES.get(call.op.name)
        if category is None:
            self.missing.add(call.op.name)
            return Category.FOLLOW
        return category

    def _attrs(self, attrs: Attrs | None, wanted: DataType) -> Attrs | None:
        if attrs is None or attrs.type_key not in _DTYPED_ATTRIBUTES:
            return attrs
        for name in _DTYPE_ATTRIBUTES:
            current = getattr(attrs, name, None)
            if isinstance(current, str):
                dtype = DataType(current)
                if dtype == wanted or not (dtype in ("", "void") or _is_float(dtype)):
                    return attrs
                return attrs.replace(**{name: wanted})
        return attrs

    def _type(self, expr: Expr) -> Type | None:
        known = self._known_type(expr)
        if known is None:
            typed = infer_statement(expr, self._types_below(expr), self.module)
            wrong = next((each for each in typed.diagnostics if each.severity is Severity.ERROR), None)
            if wrong is not None:
                raise PassError(f"with arguments or a result of {self.narrow}, {wrong.message}", place=expr)
            known = self.types[expr] = typed.type
        return known

    def _types_below(self, expr: Expr) -> dict[Expr, Type]:
        """The nearest types that are known below an expression, so that each part of a function is typed once."""
        known = self._known_type
        parts = post_order_within(expr, lambda part: known(part) is not None)
        return {part: type for part in parts if (type := known(part)) is not None}

    def _known_type(self, expr: Expr) -> Type | None:
        return expr.checked_type or self.types.get(expr)

    def rewrite_if(self, pre: If, post: If) -> Expr:
        # TVM takes a condition to have the type that it had, though its branches may have become narrower.
        if pre.checked_type is not None:
            self.types[post] = pre.checked_type
        return post

    def _is_narrow(self, type: Type | None, place: Expr) -> bool:
        waiting: list[Type | None] = [type]
        while waiting:
            current = waiting.pop()
            if isinstance(current, TupleType):
                waiting.extend(current.fields)
            elif not isinstance(current, TensorType):
                raise PassError(f"a value of type {current} has no precision", place=place)
            elif _is_float(current.dtype) and current.dtype != self.narrow:
                return False
        return True

    def _cast(self, expr: Expr, type: Type | None, wanted: DataType) -> Expr:
        if isinstance(type, TensorType):
            return self._cast_tensor(expr, type.dtype, wanted)
        if not isinstance(type, TupleType):
            raise PassError(f"a value of type {type} cannot be cast", place=expr)
        fields = [TupleGetItem(expr, index) for index in range(len(type.fields))]
        cast = self._cast_fields(fields, type.fields, wanted)
        return expr if all(new is old for new, old in zip(cast, fields, strict=True)) else Tuple(cast)

    def _cast_fields(self, fields: Sequence[Expr], types: Sequence[Type], wanted: DataType) -> tuple[Expr, ...]:
        return tuple(self._cast(field, type, wanted) for field, type in zip(fields, types, strict=True))

    def _cast_tensor(self, expr: Expr, dtype: DataType, wanted: DataType) -> Expr:
        if not _is_float(dtype) or dtype == wanted:
            return expr
        known = self.casts.get((expr, wanted))
        if known is None:
            known = self.derive(apply("cast", expr, dtype=wanted), expr)
            self.casts[expr, wanted] = known
            # Casting back gives what was there before.
            self.casts[known, dtype] = expr
        return known
