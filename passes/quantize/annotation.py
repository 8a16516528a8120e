"""Which values of an operator are quantised: one rule for each operator.

Source of the rule: ``python/tvm/relay/quantize/_annotate.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from relay_lsp.ir.evaluation.folding import is_constant
from relay_lsp.ir.expressions import Call, Expr, Tuple, Var
from relay_lsp.ir.ops.annotation.simulated_quantize import SimulatedQuantizeAttrs
from relay_lsp.ir.ops.application import apply, is_call_to

from ..infrastructure import PassError
from ..provenance.remarks import Remarks
from .configuration import AnnotationKind
from .forwarding import Argument, Pending, PendingTuple, Rule, forwarded

__all__ = ["Annotated", "AnnotationRules"]

INPUT, WEIGHT, ACTIVATION = AnnotationKind.INPUT, AnnotationKind.WEIGHT, AnnotationKind.ACTIVATION


class Annotated(Pending):
    """A value whose range is known to be that of its kind."""

    def __init__(self, value: Expr, kind: AnnotationKind) -> None:
        super().__init__()
        self.value = value
        self.kind = kind

    def settle(self) -> Expr:
        """The value itself."""
        return self.value


_Arguments = Sequence[Argument[Annotated]]
_Result = Annotated | Expr | None


class AnnotationRules:
    """The rules over one function, with what they count and what they have quantised before."""

    def __init__(
        self,
        *,
        skip_dense_layer: bool,
        skip_conv_layers: Sequence[int] | None,
        enabled: Sequence[str] | None,
        remarks: Remarks | None,
    ) -> None:
        self._skip_dense = skip_dense_layer
        self._skipped = skip_conv_layers
        self._remarks = remarks
        self._convolutions = 0
        self._is_stopped = False
        self._quantized: dict[tuple[Expr, AnnotationKind], Call] = {}
        rules: dict[str, Callable[[Call, _Arguments], _Result]] = {
            "nn.conv2d": self._layer,
            "nn.conv1d": self._layer,
            "nn.contrib_conv2d_NCHWc": self._blocked,
            "nn.dense": self._dense,
            "nn.batch_matmul": self._batch_matmul,
            "multiply": self._product,
            "add": self._sum,
            "nn.max_pool2d": self._maximum,
            "nn.max_pool1d": self._maximum,
            "annotation.cast_hint": self._cast_hint,
            "concatenate": self._concatenation,
            "nn.global_avg_pool2d": self._last_pooling,
        }
        passing_on = ("reshape", "clip", "nn.relu", "strided_slice", "nn.avg_pool2d", "nn.batch_flatten", "transpose")
        rules.update(dict.fromkeys((*passing_on, "annotation.stop_fusion"), self._passing_on))
        self.by_operator: Mapping[str, Rule[Annotated]] = {
            name: rule if enabled is None or name in enabled else self._not_enabled for name, rule in rules.items()
        }

    def quantized(self, value: Expr, kind: AnnotationKind) -> Call:
        """``value`` as a quantised one of this kind, one call for all uses."""
        if is_call_to(value, "relay.op.annotation.simulated_quantize") and isinstance(value, Call):
            attrs = value.attrs
            if attrs == _attrs(kind):
                return value
        key = (value, kind)
        if key not in self._quantized:
            limits = (Var("dom_scale"), Var("clip_min"), Var("clip_max"))
            self._quantized[key] = apply("relay.op.annotation.simulated_quantize", value, *limits, kind=int(kind))
        return self._quantized[key]

    def _missed(self, rule: str, call: Call, template: str, *others: Expr) -> None:
        if self._remarks is not None:
            self._remarks.missed(rule, call, template, *others)

    def _made(self, call: Call, new: Call, kind: AnnotationKind) -> Annotated:
        if self._remarks is not None:
            self._remarks.passed(
                "quantized", call, f"computed on quantised values; the result is an {kind.name.lower()}"
            )
        return Annotated(new, kind)

    def _is_skipped(self, call: Call) -> bool:
        """Whether a call stays in floats. A convolution is counted by asking."""
        if self._is_stopped:
            self._missed(
                "stopped", call, "kept in floats: it comes after nn.global_avg_pool2d, where quantisation ends"
            )
            return True
        if self._skipped is None or not is_call_to(call, "nn.conv2d"):
            return False
        number = self._convolutions
        self._convolutions += 1
        if number in self._skipped:
            self._missed("skip-list", call, f"kept in floats: convolution {number} is in skip_conv_layers")
        return number in self._skipped

    def _not_enabled(self, call: Call, args: _Arguments) -> _Result:
        self._missed("not-enabled", call, "kept in floats: the operator is not in debug_enabled_ops")
        return forwarded(call, *map(_value, args))

    def _as_input(self, argument: Argument[Annotated]) -> Expr:
        """A quantised input, where the value is not one already."""
        value, kind = _value(argument), _kind(argument)
        return self.quantized(value, INPUT) if kind is None or kind is ACTIVATION else value

    def _layer(self, call: Call, args: _Arguments) -> _Result:
        if self._is_skipped(call):
            return None
        data, weight = args
        if _kind(weight) is not None:
            raise PassError("the weight of a quantised layer must not be computed by another", place=call.args[1])
        new = forwarded(call, self._as_input(data), self.quantized(_value(weight), WEIGHT))
        return self._made(call, new, ACTIVATION)

    def _blocked(self, call: Call, args: _Arguments) -> _Result:
        self._missed("layout", call, "kept in floats: its layout is that of a later level; quantise at a lower one")
        return None

    def _dense(self, call: Call, args: _Arguments) -> _Result:
        if self._skip_dense:
            self._missed("skip-list", call, "kept in floats: skip_dense_layer is set")
            return None
        return self._layer(call, args)

    def _batch_matmul(self, call: Call, args: _Arguments) -> _Result:
        if self._is_skipped(call):
            return None
        operands = [
            self._by_constancy(_value(each)) if _kind(each) in (None, ACTIVATION) else _value(each) for each in args
        ]
        return self._made(call, forwarded(call, *operands), ACTIVATION)

    def _by_constancy(self, value: Expr) -> Call:
        return self.quantized(value, WEIGHT if is_constant(value) else INPUT)

    def _product(self, call: Call, args: _Arguments) -> _Result:
        if self._is_skipped(call):
            return None
        left, right = args
        kinds = _kind(left), _kind(right)
        if kinds == (None, None):
            return None
        if kinds[1] is None and kinds[0] in (ACTIVATION, INPUT):
            new = forwarded(call, self._as_input(left), self._by_constancy(_value(right)))
        elif kinds[0] is None and kinds[1] in (ACTIVATION, INPUT):
            new = forwarded(call, self._by_constancy(_value(left)), self._as_input(right))
        else:
            raise PassError("two quantised values are multiplied, for which there is no rule", place=call)
        return self._made(call, new, ACTIVATION)

    def _sum(self, call: Call, args: _Arguments) -> _Result:
        if self._is_skipped(call):
            return None
        left, right = map(_value, args)
        kinds = tuple(map(_kind, args))
        result = ACTIVATION
        if kinds == (None, None):
            return None
        if kinds[0] is None:
            left, result = self.quantized(left, INPUT), INPUT
        elif kinds[1] is None:
            right = self._by_constancy(right)
        elif kinds == (INPUT, INPUT):
            result = INPUT
        elif kinds == (ACTIVATION, ACTIVATION):
            right = self.quantized(right, INPUT)
        return self._made(call, forwarded(call, left, right), result)

    def _passing_on(self, call: Call, args: _Arguments) -> _Result:
        if self._is_skipped(call):
            return None
        (data,) = args[:1]
        return self._made(call, forwarded(call, data.value), data.kind) if isinstance(data, Annotated) else None

    def _maximum(self, call: Call, args: _Arguments) -> _Result:
        if self._is_skipped(call) or _kind(args[0]) is None:
            return None
        return self._made(call, forwarded(call, self._as_input(args[0])), INPUT)

    def _cast_hint(self, call: Call, args: _Arguments) -> _Result:
        if self._is_skipped(call) or _kind(args[0]) is None:
            return _value(args[0])
        return self._made(call, forwarded(call, self._as_input(args[0])), INPUT)

    def _concatenation(self, call: Call, args: _Arguments) -> _Result:
        if self._is_skipped(call):
            return None
        joined = args[0]
        if not isinstance(joined, PendingTuple):
            return None
        fields = [
            self.quantized(_value(field), ACTIVATION) if _kind(field) is None else _value(field)
            for field in joined.fields
        ]
        return self._made(call, forwarded(call, Tuple(tuple(fields), call.args[0].span)), ACTIVATION)

    def _last_pooling(self, call: Call, args: _Arguments) -> _Result:
        if self._is_skipped(call) or _kind(args[0]) is None:
            return None
        self._is_stopped = True
        return forwarded(call, _value(args[0]))


def _attrs(kind: AnnotationKind) -> SimulatedQuantizeAttrs:
    return SimulatedQuantizeAttrs(kind=int(kind))


def _kind(argument: Argument[Annotated]) -> AnnotationKind | None:
    return argument.kind if isinstance(argument, Annotated) else None


def _value(argument: Argument[Annotated]) -> Expr:
    if isinstance(argument, PendingTuple):
        return Tuple(tuple(_value(field) for field in argument.fields))
    return argument.value if isinstance(argument, Annotated) else argument
