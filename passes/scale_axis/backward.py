"""Scales that move backwards, from a multiplication into the weight of an operator that comes before it.

Which values may be scaled goes forwards first, from the convolutions on, through values that nothing else uses. Then
each multiplication sends its scale back along that way.

Source of the rule: ``src/relay/transforms/fold_scale_axis.cc``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.nn.dense import BiasAddAttrs
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, post_order

from ..construction import expand_bias_to_match_axis, tensor_type
from ..infrastructure import PassError
from ..provenance import ExprMutator, current_record
from ..provenance.mutator import Descent
from ..provenance.remarks import Remarks
from .messages import (
    ConvolutionAxes,
    Message,
    broadcasts_along,
    is_never_negative,
    kept_scale_reason,
    matched_to_axes,
    squeezed_scale,
)

__all__ = ["fold_backward"]


def fold_backward(function: Function) -> Function:
    """``function`` with scales moved backwards into weights; the same object where none can move."""
    messages = _offers(function)
    # Where remarks are wanted, each multiplication says why its scale stays.
    is_worth_it = bool(messages) or current_record().remarks is not None
    return _BackwardFolder(messages).visit_function(function) if is_worth_it else function


def _offers(function: Function) -> dict[Expr, Message]:
    order = post_order(function)
    uses = Counter(part for expr in order for part in children(expr))
    messages: dict[Expr, Message] = {}
    for expr in order:
        if isinstance(expr, Call) and isinstance(expr.op, Op) and uses[expr] == 1:
            offer = _offer_of_call(expr, [messages.get(arg) for arg in expr.args])
            if offer is not None:
                messages[expr] = offer
    return messages


def _offer_of_call(call: Call, offers: list[Message | None]) -> Message | None:
    assert isinstance(call.op, Op)
    name = call.op.name
    if name in ("nn.relu", "nn.leaky_relu"):
        return None if offers[0] is None else Message(offers[0].axes, True)
    if name in ("add", "subtract"):
        left, right = offers
        lhs, rhs = tensor_type(call.args[0]), tensor_type(call.args[1])
        if left is not None and broadcasts_along(lhs, rhs, left.axes):
            return left
        if right is not None and broadcasts_along(rhs, lhs, right.axes):
            return right
        if left is not None and right is not None and left.axes == right.axes and lhs.shape == rhs.shape:
            return left
    elif name in ("nn.conv2d", "nn.conv3d"):
        convolution = ConvolutionAxes(call)
        axes = convolution.channel_axes(convolution.out)
        return None if axes is None else Message(axes)
    elif name == "nn.bias_add" and isinstance(call.attrs, BiasAddAttrs):
        return offers[0] if offers[0] is not None and offers[0].axes == (call.attrs.axis,) else None
    elif name == "nn.dense" and tensor_type(call).ndim == 2:
        # TVM offers axis 1 whatever the rank, and scales data of another rank along the wrong axis.
        return Message((1,))
    return None


class _BackwardFolder(ExprMutator):
    def __init__(self, messages: dict[Expr, Message]) -> None:
        super().__init__()
        self.messages = messages
        # The scale that an expression has been asked to take in, before it is visited.
        self.asked: dict[Expr, tuple[tuple[int, ...], Expr]] = {}
        self.rules: dict[str, Callable[[Call, tuple[int, ...], Expr], Descent]] = {
            "nn.relu": self._activation,
            "nn.leaky_relu": self._activation,
            "add": self._sum,
            "subtract": self._sum,
            "nn.conv2d": self._convolution,
            "nn.conv3d": self._convolution,
            "nn.bias_add": self._bias_add,
            "nn.dense": self._dense,
        }

    def descend(self, expr: Expr) -> Descent | None:
        if not isinstance(expr, Call) or not isinstance(expr.op, Op):
            return None
        if expr.op.name == "multiply":
            return self._multiply(expr)
        asked = self.asked.pop(expr, None)
        return None if asked is None else self.rules[expr.op.name](expr, *asked)

    def _send(self, expr: Expr, axes: tuple[int, ...], scale: Expr) -> Expr:
        self.asked[expr] = (axes, scale)
        return expr

    def _multiply(self, call: Call) -> Descent:
        for value, other in ((0, 1), (1, 0)):
            message = self.messages.get(call.args[value])
            if message is None:
                continue
            types = tensor_type(call.args[value]), tensor_type(call.args[other])
            scale = squeezed_scale(*types, message.axes, call.args[other])
            if scale is not None and (not message.require_positive or is_never_negative(scale)):
                self.derive(scale, call)
                if self.record.remarks is not None:
                    self.record.remarks.passed("scale", call, "the scale goes back into {}", call.args[value])
                return (yield self._send(call.args[value], message.axes, scale))
            break
        if self.record.remarks is not None:
            self._remark_kept(self.record.remarks, call)
        lhs = yield call.args[0]
        rhs = yield call.args[1]
        if lhs is call.args[0] and rhs is call.args[1]:
            return call
        return Call(call.op, (lhs, rhs), call.attrs, call.type_args, call.span)

    def _remark_kept(self, remarks: Remarks, call: Call) -> None:
        """Say why the scale of a multiplication does not go back."""
        value, factor = call.args
        if self.messages.get(value) is None and self.messages.get(factor) is not None:
            value, factor = factor, value
        reason = kept_scale_reason(value, factor, self.messages.get(value), "back into a weight")
        if reason is not None:
            remarks.missed(reason[0], call, reason[1], value)

    def _activation(self, call: Call, axes: tuple[int, ...], scale: Expr) -> Descent:
        value = yield self._send(call.args[0], axes, scale)
        return Call(call.op, (value,), call.attrs, call.type_args)

    def _sum(self, call: Call, axes: tuple[int, ...], scale: Expr) -> Descent:
        offered = [self.messages.get(arg) is not None for arg in call.args]
        args: list[Expr] = []
        for side, arg in enumerate(call.args):
            if offered[side]:
                args.append((yield self._send(arg, axes, scale)))
                continue
            new = yield arg
            shape = tensor_type(call.args[1 - side]).shape
            factor = matched_to_axes(scale, shape, axes)
            if factor is None:
                raise PassError("a scale cannot pass a sum whose size along the channels is not known", place=call)
            args.append(apply("multiply", new, factor))
        return Call(call.op, tuple(args), call.attrs, call.type_args)

    def _convolution(self, call: Call, axes: tuple[int, ...], scale: Expr) -> Descent:
        data = yield call.args[0]
        weight = yield call.args[1]
        factor = ConvolutionAxes(call).weight_scale(scale, "O", call.args[1])
        if factor is None:
            # The weight's size is not known: the result is multiplied after all.
            plain = Call(call.op, (data, weight), call.attrs, call.type_args)
            shaped = matched_to_axes(scale, tensor_type(call).shape, axes)
            return plain if shaped is None else apply("multiply", plain, shaped)
        return Call(call.op, (data, apply("multiply", weight, factor)), call.attrs, call.type_args)

    def _bias_add(self, call: Call, axes: tuple[int, ...], scale: Expr) -> Descent:
        value = yield self._send(call.args[0], axes, scale)
        bias = yield call.args[1]
        return Call(call.op, (value, apply("multiply", bias, scale)), call.attrs, call.type_args)

    def _dense(self, call: Call, axes: tuple[int, ...], scale: Expr) -> Descent:
        data = yield call.args[0]
        weight = yield call.args[1]
        factor = expand_bias_to_match_axis(scale, 2, (0,))
        return Call(call.op, (data, apply("multiply", weight, factor)), call.attrs, call.type_args)
