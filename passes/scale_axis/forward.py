"""Scales that move forwards, from a multiplication into the weight of an operator that comes after it.

Demand goes backwards first: a convolution says along which axes its input may be scaled, and the operators on the way
pass that on. Then scales go forwards to where they were asked for.

Source of the rule: ``src/relay/transforms/fold_scale_axis.cc``, ``forward_rewrite.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

from relay_lsp.ir.expressions import Call, Expr, Function, Tuple, TupleGetItem
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, post_order

from ..construction import tensor_type
from ..provenance import ExprMutator, current_record
from .messages import (
    ConvolutionAxes,
    Message,
    Messages,
    broadcasts_along,
    intersect,
    is_never_negative,
    kept_scale_reason,
    matched_to_axes,
    squeezed_scale,
)

__all__ = ["fold_forward"]

_ACTIVATIONS = ("nn.relu", "nn.leaky_relu")
_SUMS = ("add", "subtract")
_CONVOLUTIONS = ("nn.conv2d", "nn.conv3d")


def fold_forward(function: Function) -> Function:
    """``function`` with scales moved forwards into weights; the same object where none can move."""
    messages = _demand(function)
    # Where remarks are wanted, each multiplication says why its scale stays.
    if current_record().remarks is None and not any(message is not None for message in messages.values()):
        return function
    return _ForwardFolder(messages).visit_function(function)


def _demand(function: Function) -> Messages:
    messages: Messages = {function: None}

    def update(expr: Expr, message: Message | None) -> None:
        messages[expr] = intersect(messages[expr], message) if expr in messages else message

    for expr in reversed(post_order(function)):
        if isinstance(expr, Call):
            for arg, message in zip(expr.args, _demand_of_call(expr, messages.get(expr)), strict=True):
                update(arg, message)
        elif not isinstance(expr, TupleGetItem):
            for part in children(expr):
                update(part, None)
    return messages


def _demand_of_call(call: Call, out: Message | None) -> list[Message | None]:
    name = call.op.name if isinstance(call.op, Op) else ""
    nothing: list[Message | None] = [None] * len(call.args)
    if name in _ACTIVATIONS:
        return [None if out is None else Message(out.axes, True)]
    if name in _SUMS and out is not None:
        lhs, rhs = tensor_type(call.args[0]), tensor_type(call.args[1])
        if broadcasts_along(lhs, rhs, out.axes):
            return [out, None]
        if broadcasts_along(rhs, lhs, out.axes):
            return [None, out]
    elif name in _CONVOLUTIONS:
        convolution = ConvolutionAxes(call)
        axes = convolution.channel_axes(convolution.data)
        return nothing if axes is None else [Message(axes), None]
    elif name == "nn.dense" and tensor_type(call.args[0]).ndim == 2:
        # TVM asks for axis 1 whatever the rank, and scales data of another rank along the wrong axis.
        return [Message((1,)), None]
    return nothing


@dataclass(frozen=True, slots=True)
class _Scale:
    """What a value has still to be multiplied by, along which axes."""

    axes: tuple[int, ...]
    factor: Expr


class _ForwardFolder(ExprMutator):
    def __init__(self, messages: Messages) -> None:
        super().__init__()
        self.messages = messages
        # What an old expression became lacks this scale, until an operator after it takes it in.
        self.scales: dict[Expr, _Scale] = {}

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        value = post.tuple_value
        return value.fields[post.index] if isinstance(value, Tuple) else post

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        name = pre.op.name if isinstance(pre.op, Op) else ""
        scales = [self.scales.get(arg) for arg in pre.args]
        new: Expr | None = None
        if name == "multiply":
            new = self._take_out(pre, post)
        elif not any(scales):
            return post
        elif name in _ACTIVATIONS:
            new = post
            self.scales[pre] = scales[0]  # type: ignore[assignment]
        elif name in _SUMS:
            new = self._sum(pre, post, scales)
        elif name in _CONVOLUTIONS:
            new = self._convolution(pre, post, scales)
        elif name == "nn.dense" and scales[0] is not None and scales[1] is None:
            weight = apply("multiply", post.args[1], scales[0].factor)
            new = Call(post.op, (post.args[0], weight), post.attrs, post.type_args)
        return self._multiplied(pre, post, scales) if new is None else new

    def _take_out(self, pre: Call, post: Call) -> Expr | None:
        message = self.messages.get(pre)
        remarks = self.record.remarks
        if message is None:
            if remarks is not None:
                remarks.missed("not-asked", pre, "the scale stays: no weight behind it takes one, on every way")
            return post
        for value, scale in ((0, 1), (1, 0)):
            types = tensor_type(pre.args[value]), tensor_type(pre.args[scale])
            factor = squeezed_scale(*types, message.axes, post.args[scale])
            if factor is not None and (not message.require_positive or is_never_negative(factor)):
                self.derive(factor, pre)
                if remarks is not None:
                    remarks.passed("scale", pre, "the scale of {} goes on into a weight", pre.args[value])
                self.scales[pre] = _Scale(message.axes, factor)
                return post.args[value]
        reason = kept_scale_reason(pre.args[0], pre.args[1], message, "on into a weight")
        if remarks is not None and reason is not None:
            remarks.missed(reason[0], pre, reason[1], pre.args[0])
        return post

    def _sum(self, pre: Call, post: Call, scales: list[_Scale | None]) -> Expr | None:
        side = 0 if scales[0] is not None else 1
        scale = scales[side]
        if scale is None or scales[1 - side] is not None:
            return None
        factor = matched_to_axes(scale.factor, tensor_type(pre.args[side]).shape, scale.axes)
        if factor is None:
            return None
        args = list(post.args)
        args[1 - side] = apply("divide", args[1 - side], factor)
        self.scales[pre] = scale
        return Call(post.op, tuple(args), post.attrs, post.type_args)

    def _convolution(self, pre: Call, post: Call, scales: list[_Scale | None]) -> Expr | None:
        scale = scales[0]
        if scale is None or scales[1] is not None:
            return None
        convolution = ConvolutionAxes(pre)
        letter = "O" if convolution.is_depthwise else "I"
        factor = convolution.weight_scale(scale.factor, letter, pre.args[1])
        if factor is None:
            return None
        weight = apply("multiply", post.args[1], factor)
        return Call(post.op, (post.args[0], weight), post.attrs, post.type_args)

    def _multiplied(self, pre: Call, post: Call, scales: list[_Scale | None]) -> Expr:
        """The call with its arguments multiplied after all: the scale cannot go into it."""
        args: list[Expr] = []
        for old, new, scale in zip(pre.args, post.args, scales, strict=True):
            factor = None if scale is None else matched_to_axes(scale.factor, tensor_type(old).shape, scale.axes)
            args.append(new if factor is None else apply("multiply", new, factor))
        return Call(post.op, tuple(args), post.attrs, post.type_args, post.span)
