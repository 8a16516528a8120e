"""The static operators for those with computed shapes: which arguments become which attributes, once they are known.

Source of the rule: ``src/relay/transforms/dynamic_to_static.cc``.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from ..expressions import Call, Constant, Expr, NDArray
from .operator import Op, get

__all__ = ["is_dynamic", "known_arguments", "static_form"]


class _Kind(enum.Enum):
    """How an argument that turns out constant becomes an attribute."""

    INTEGERS = 1
    FLOATS = 2
    INTEGER = 3
    FLOAT = 4
    PAIRS = 5


@dataclass(frozen=True, slots=True)
class _Static:
    """The static operator for a dynamic one: which arguments become which attributes, and which stay."""

    name: str
    attributes: dict[int, tuple[str, _Kind]]
    arguments: tuple[int, ...] = (0,)


_STATIC = {
    "dyn.reshape": _Static("reshape", {1: ("newshape", _Kind.INTEGERS)}),
    "dyn.squeeze": _Static("squeeze", {1: ("axis", _Kind.INTEGERS)}),
    "dyn.tile": _Static("tile", {1: ("reps", _Kind.INTEGERS)}),
    "dyn.topk": _Static("topk", {1: ("k", _Kind.INTEGER)}),
    "dyn.broadcast_to": _Static("broadcast_to", {1: ("shape", _Kind.INTEGERS)}),
    "dyn.zeros": _Static("zeros", {0: ("shape", _Kind.INTEGERS)}, ()),
    "dyn.ones": _Static("ones", {0: ("shape", _Kind.INTEGERS)}, ()),
    "dyn.full": _Static("full", {1: ("shape", _Kind.INTEGERS)}),
    "dyn.one_hot": _Static("one_hot", {3: ("depth", _Kind.INTEGER)}, (0, 1, 2)),
    "dyn.image.resize2d": _Static("image.resize2d", {1: ("size", _Kind.INTEGERS), 2: ("roi", _Kind.FLOATS)}),
    "dyn.nn.upsampling": _Static("nn.upsampling", {1: ("scale_h", _Kind.FLOAT), 2: ("scale_w", _Kind.FLOAT)}),
    "dyn.nn.upsampling3d": _Static(
        "nn.upsampling3d",
        {1: ("scale_d", _Kind.FLOAT), 2: ("scale_h", _Kind.FLOAT), 3: ("scale_w", _Kind.FLOAT)},
    ),
    "dyn.nn.pad": _Static("nn.pad", {1: ("pad_width", _Kind.PAIRS)}, (0, 2)),
    "dyn.strided_slice": _Static(
        "strided_slice",
        {1: ("begin", _Kind.INTEGERS), 2: ("end", _Kind.INTEGERS), 3: ("strides", _Kind.INTEGERS)},
    ),
    "dyn.sparse_to_dense": _Static("sparse_to_dense", {3: ("output_shape", _Kind.INTEGERS)}, (0, 1, 2)),
}


def is_dynamic(call: Call) -> bool:
    """Whether a call has a static form."""
    return isinstance(call.op, Op) and call.op.name in _STATIC


def known_arguments(call: Call) -> tuple[int, ...]:
    """The arguments of a call that :func:`is_dynamic` which must be constant for it to have a static form."""
    assert isinstance(call.op, Op)
    static = _STATIC[call.op.name]
    # The value that a padding fills in stays an argument, and must be constant all the same.
    return (*static.attributes, 2) if static.name == "nn.pad" else tuple(static.attributes)


def static_form(call: Call, folded: Sequence[Expr]) -> Call | None:
    """The static form of a call that :func:`is_dynamic`.

    ``folded`` are its arguments with their constant parts computed. Without the span of the call; ``None`` where an
    argument that must be an attribute is not constant.
    """
    assert isinstance(call.op, Op)
    static = _STATIC[call.op.name]
    known = {index: argument for index, argument in enumerate(folded) if isinstance(argument, Constant)}
    if any(index not in known for index in known_arguments(call)):
        return None
    values = {name: _attribute(known[index].data, kind) for index, (name, kind) in static.attributes.items()}
    args = [known.get(index, call.args[index]) for index in static.arguments]
    op = get(static.name)
    assert op.attrs_type is not None
    same = isinstance(call.attrs, op.attrs_type)
    attrs = call.attrs.replace(**values) if same and call.attrs is not None else op.attrs_type(**values)
    return Call(op, tuple(args), attrs)


def _attribute(data: NDArray, kind: _Kind) -> object:
    if kind is _Kind.INTEGERS:
        return tuple(int(value) for value in data.reshape(-1))
    if kind is _Kind.FLOATS:
        return tuple(float(value) for value in data.reshape(-1))
    if kind is _Kind.PAIRS:
        return tuple(tuple(int(value) for value in row) for row in data)
    return int(data.reshape(-1)[0]) if kind is _Kind.INTEGER else float(data.reshape(-1)[0])
