"""Operators of TVM's own tools: the debugger's breakpoint and the parser's reference into the metadata.

Source of the rule: ``src/relay/op/debug.cc``, ``src/relay/parser/meta_ref.cc``.
"""

from __future__ import annotations

from ...attributes import Attrs, attribute, attributes
from ...types import Type
from ..identity import identity_kernel, identity_relation
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register

__all__ = ["DebugAttrs", "MetaRefAttrs"]


@attributes("relay.attrs.DebugAttrs")
class DebugAttrs(Attrs):
    """Attributes of ``debug``."""

    debug_func: object = attribute(doc="The registered function that the interpreter calls; `None` for its own.")


@attributes("relay.attrs.MetaRefAttrs")
class MetaRefAttrs(Attrs):
    """Attributes of ``parser.MetaRef``."""

    node_type_key: str = attribute(doc="Type key of the object that is meant.")
    node_index: int = attribute(doc="Its place among the objects of that type.", lower=0)


register(
    Op(
        "debug",
        doc="Stop TVM's interpreter and show `program`. The value is `program`; evaluation here does not stop.",
        arguments=(Argument("program", "What to look at; any type.", "Tuple"),),
        attrs=DebugAttrs,
        relation=identity_relation,
        pattern=OpPattern.OPAQUE,
        kernel=identity_kernel,
        level=1,
    )
)


def _unresolved(context: RelationContext) -> Type | None:
    raise RelationError("a reference into the metadata must be resolved before it can be typed")


register(
    Op(
        "parser.MetaRef",
        doc="TVM's parser puts this where a text says `meta[Type][index]`, until it has read the metadata section. "
        "Reading resolves it, so no module contains it.",
        attrs=MetaRefAttrs,
        relation=_unresolved,
        level=10,
        non_computational=True,
        without_pattern=True,
    )
)
