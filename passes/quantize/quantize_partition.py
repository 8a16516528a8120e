"""``QuantizePartition``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relay_lsp.ir.evaluation.folding import is_constant
from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.annotation.markers import CastHintAttrs
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.operator import get
from relay_lsp.ir.types import DataType

from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass
from .configuration import shared_option
from .forwarding import Argument, ForwardRewriter, Pending, PendingTuple, Rule, forwarded


@declare_pass(opt_level=1)
class QuantizePartition(FunctionPass):
    """Mark where a part of low precision ends: by ``annotation.cast_hint`` and ``annotation.stop_fusion``.

    A part begins at ``nn.conv2d`` and goes on through sums with constants, ``nn.relu``, ``clip`` and ``nn.max_pool2d``.
    It ends before the next ``nn.conv2d``, before a sum with another value, and before a product.

    Source of the rule: ``python/tvm/relay/quantize/_partition.py``, ``src/relay/quantize/partition.cc``.

    Before::

        def @main(%x: Tensor[(1, 2, 4, 4), float32], %v: Tensor[(2, 2, 1, 1), float32],
            %w: Tensor[(2, 2, 1, 1), float32]) {
          %0 = nn.conv2d(%x, %v, padding=[0, 0, 0, 0], kernel_size=[1, 1]);
          %1 = nn.relu(%0);
          nn.conv2d(%1, %w, padding=[0, 0, 0, 0], kernel_size=[1, 1])
        }

    After::

        def @main(%x: Tensor[(1, 2, 4, 4), float32], %v: Tensor[(2, 2, 1, 1), float32],
            %w: Tensor[(2, 2, 1, 1), float32]) {
          %0 = nn.conv2d(%x, %v, padding=[0, 0, 0, 0], kernel_size=[1, 1]);
          %1 = nn.relu(%0);
          %2 = annotation.cast_hint(%1, meta[relay.attrs.CastHintAttrs][0]);
          %3 = annotation.stop_fusion(%2);
          %4 = nn.conv2d(%3, %w, padding=[0, 0, 0, 0], kernel_size=[1, 1]);
          %5 = annotation.cast_hint(%4, meta[relay.attrs.CastHintAttrs][1]);
          annotation.stop_fusion(%5)
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.attrs.CastHintAttrs"], "data": [2]},
            {"type_key": "Array", "data": [3, 4]},
            {"type_key": "relay.attrs.CastHintAttrs", "attrs": {"dtype": "int8"}},
            {"type_key": "relay.attrs.CastHintAttrs", "attrs": {"dtype": "int8"}}
          ],
          "b64ndarrays": [],
          "attrs": {"tvm_version": "0.12.0"}
        }
    """

    dtype_input: DataType = shared_option("dtype_input")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with the ends of its parts marked.

        Raises:
            PassError: the weight of a convolution is itself computed by a part of low precision.
        """
        return ForwardRewriter(_Rules(self.dtype_input).by_operator, function).visit_function(function)


class _Part(Pending):
    """A value inside of a part; settled, the part ends here."""

    def __init__(self, value: Expr, dtype: DataType) -> None:
        super().__init__()
        self.value = value
        self._dtype = dtype

    def settle(self) -> Expr:
        hint = Call(get("annotation.cast_hint"), (self.value,), CastHintAttrs(dtype=self._dtype))
        return apply("annotation.stop_fusion", hint)


_Arguments = Sequence[Argument[_Part]]


class _Rules:
    def __init__(self, dtype: DataType) -> None:
        self._dtype = dtype
        self.by_operator: Final[dict[str, Rule[_Part]]] = {
            "nn.conv2d": self._convolution,
            "clip": self._passing_on,
            "nn.relu": self._passing_on,
            "nn.max_pool2d": self._passing_on,
            "add": self._sum,
            "multiply": self._product,
            "nn.global_avg_pool2d": self._pooling,
        }

    def _part(self, value: Expr) -> _Part:
        return _Part(value, self._dtype)

    def _convolution(self, call: Call, args: _Arguments) -> _Part:
        data, weight = args
        if isinstance(weight, Pending):
            raise PassError("the weight of a quantised convolution must not be computed by another", place=call.args[1])
        return self._part(forwarded(call, _ended(data), _plain(weight)))

    def _passing_on(self, call: Call, args: _Arguments) -> _Part | None:
        return self._part(forwarded(call, args[0].value)) if isinstance(args[0], _Part) else None

    def _sum(self, call: Call, args: _Arguments) -> _Part | Expr | None:
        left, right = args
        if isinstance(left, _Part) and isinstance(right, _Part):
            return self._part(forwarded(call, left.settle(), right.settle()))
        if isinstance(right, _Part):
            return forwarded(call, _plain(left), right.settle())
        if not isinstance(left, _Part):
            return None
        if is_constant(_plain(right)):
            return self._part(forwarded(call, left.value, _plain(right)))
        return forwarded(call, left.settle(), _plain(right))

    def _product(self, call: Call, args: _Arguments) -> _Part | Expr | None:
        left, right = args
        if isinstance(left, _Part):
            return self._part(
                forwarded(call, left.settle(), right.value if isinstance(right, _Part) else _plain(right))
            )
        return forwarded(call, _plain(left), right.settle()) if isinstance(right, _Part) else None

    def _pooling(self, call: Call, args: _Arguments) -> Expr:
        data = args[0]
        return forwarded(call, data.settle() if isinstance(data, _Part) else self._part(_plain(data)).settle())


def _ended(value: Argument[_Part]) -> Expr:
    return value.settle() if isinstance(value, _Part) else _plain(value)


def _plain(value: Argument[_Part]) -> Expr:
    assert not isinstance(value, (Pending, PendingTuple))  # No operator with a rule takes a tuple.
    return value
