"""``SimplifyInference``."""

from __future__ import annotations

from typing import Any

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, TupleGetItem
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import TensorType

from ..construction import expand_bias_to_match_axis, scalar, tensor_type
from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass
from ..provenance import ExprMutator


@declare_pass(opt_level=0, required=("InferType",))
class SimplifyInference(FunctionPass):
    """Unpack normalisations into arithmetic, and take dropout away, as they are outside of training.

    ``nn.batch_norm`` (where only its first result is used), ``nn.layer_norm``, ``nn.group_norm``, ``nn.instance_norm``
    and ``nn.l2_normalize`` become what they compute; ``nn.dropout`` becomes its input. Source of the rule:
    ``src/relay/transforms/simplify_inference.cc``.

    Before::

        def @main(%x: Tensor[(1, 4, 8, 8), float32], %gamma: Tensor[(4), float32], %beta: Tensor[(4), float32],
                  %mean: Tensor[(4), float32], %var: Tensor[(4), float32]) {
          %0 = nn.batch_norm(%x, %gamma, %beta, %mean, %var);
          %0.0
        }

    After::

        def @main(%x: Tensor[(1, 4, 8, 8), float32], %gamma: Tensor[(4), float32], %beta: Tensor[(4), float32],
                  %mean: Tensor[(4), float32], %var: Tensor[(4), float32]) -> Tensor[(1, 4, 8, 8), float32] {
          %0 = add(%var, 1e-05f);
          %1 = sqrt(%0);
          %2 = divide(1f, %1);
          %3 = multiply(%2, %gamma);
          %4 = expand_dims(%3, axis=1, num_newaxis=2);
          %5 = negative(%mean);
          %6 = multiply(%5, %3);
          %7 = add(%6, %beta);
          %8 = multiply(%x, %4);
          %9 = expand_dims(%7, axis=1, num_newaxis=2);
          add(%8, %9)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function without what only training needs."""
        return _InferenceSimplifier().visit_function(function)


class _InferenceSimplifier(ExprMutator):
    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """The first result of a batch normalisation or of a dropout."""
        call = post.tuple_value
        if post.index != 0 or not isinstance(call, Call) or not isinstance(call.op, Op):
            return post
        old = pre.tuple_value
        if call.op.name == "nn.dropout":
            # The projection gives way to this value; so does the call that it was taken from.
            self.record.join(call.args[0], old)
            return call.args[0]
        if call.op.name == "nn.batch_norm" and isinstance(old, Call):
            return self.derive(_batch_norm(call, tensor_type(old.args[0])), pre, old)
        return post

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """A normalisation with one result."""
        name = post.op.name if isinstance(post.op, Op) else ""
        if name == "nn.l2_normalize":
            return _l2_normalize(post)
        if name == "nn.layer_norm":
            return _layer_norm(post, tensor_type(pre.args[0]))
        if name == "nn.group_norm":
            return _group_norm(post, tensor_type(pre.args[0]))
        if name == "nn.instance_norm":
            return _instance_norm(post, tensor_type(pre.args[0]))
        return post


def _epsilon(value: float, dtype: str) -> Constant:
    """An epsilon as TVM writes it: rounded to float32 before it gets the dtype of the data."""
    return scalar(float(np.float32(value)), dtype)


def _axis(axis: int, data: TensorType) -> int:
    return axis + data.ndim if axis < 0 else axis


def _batch_norm(call: Call, data: TensorType) -> Expr:
    attrs: Any = call.attrs
    value, gamma, beta, moving_mean, moving_var = call.args
    deviation = apply("sqrt", apply("add", moving_var, _epsilon(attrs.epsilon, data.dtype)))
    scale: Expr = apply("divide", scalar(1.0, data.dtype), deviation)
    if attrs.scale:
        scale = apply("multiply", scale, gamma)
    shift: Expr = apply("multiply", apply("negative", moving_mean), scale)
    if attrs.center:
        shift = apply("add", shift, beta)
    axes = (_axis(attrs.axis, data),)
    scaled = apply("multiply", value, expand_bias_to_match_axis(scale, data.ndim, axes))
    return apply("add", scaled, expand_bias_to_match_axis(shift, data.ndim, axes))


def _normalized(value: Expr, axes: tuple[int, ...], epsilon: float, dtype: str) -> Expr:
    """``(value - mean) / sqrt(variance + epsilon)`` over ``axes``."""
    mean = apply("mean", value, axis=axes, keepdims=True, exclude=False)
    variance = apply("variance", value, mean, axis=axes, keepdims=True, exclude=False)
    deviation = apply("sqrt", apply("add", variance, _epsilon(epsilon, dtype)))
    return apply("divide", apply("subtract", value, mean), deviation)


def _scaled_and_shifted(out: Expr, call: Call, data: TensorType) -> Expr:
    attrs: Any = call.attrs
    _, gamma, beta = call.args
    axes = (_axis(attrs.axis, data),)
    if attrs.scale:
        out = apply("multiply", out, expand_bias_to_match_axis(gamma, data.ndim, axes))
    if attrs.center:
        out = apply("add", out, expand_bias_to_match_axis(beta, data.ndim, axes))
    return out


def _layer_norm(call: Call, data: TensorType) -> Expr:
    attrs: Any = call.attrs
    out = _normalized(call.args[0], (attrs.axis,), attrs.epsilon, data.dtype)
    return _scaled_and_shifted(out, call, data)


def _instance_norm(call: Call, data: TensorType) -> Expr:
    attrs: Any = call.attrs
    axis = _axis(attrs.axis, data)
    axes = tuple(other for other in range(1, data.ndim) if other != axis)
    out = _normalized(call.args[0], axes, attrs.epsilon, data.dtype)
    return _scaled_and_shifted(out, call, data)


def _group_norm(call: Call, data: TensorType) -> Expr:
    attrs: Any = call.attrs
    axis = _axis(attrs.axis, data)
    shape: list[int] = []
    for dim in data.shape:
        if not isinstance(dim, int):
            raise PassError("nn.group_norm can be unpacked only where every dimension is known", place=call)
        shape.append(dim)
    grouped = (*shape[:axis], attrs.num_groups, shape[axis] // attrs.num_groups, *shape[axis + 1 :])
    axes = tuple(range(axis + 1, data.ndim + 1))
    value = apply("reshape", call.args[0], newshape=grouped)
    out = apply("reshape", _normalized(value, axes, attrs.epsilon, data.dtype), newshape=tuple(shape))
    return _scaled_and_shifted(out, call, data)


def _l2_normalize(call: Call) -> Expr:
    attrs: Any = call.attrs
    value = call.args[0]
    total = apply("sum", apply("multiply", value, value), axis=attrs.axis, keepdims=True, exclude=False)
    # TVM's epsilon is float32 whatever the input's dtype.
    bounded = apply("maximum", total, scalar(attrs.eps, "float32"))
    return apply("divide", value, apply("sqrt", bounded))
