"""Attributes of calls and functions, the elements of their lists, and the axes of shapes in types."""

from __future__ import annotations

from typing import Final

from relay_lsp.ir import ops
from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.expressions import Call
from relay_lsp.ir.ops import Op
from relay_lsp.ir.ops.documentation import value_text
from relay_lsp.ir.semantic.snapshot import Snapshot, SyntaxNode, Token, TokenRole
from relay_lsp.ir.text.text_span import TextSpan

from ..call_parts import attribute_values
from ..documentation.markdown import markdown
from ..documentation.operator_documentation import attribute_documentation
from .contents import Hover
from .signatures import folded_type, one_line

__all__ = ["attribute_hover", "metadata_hover", "shape_hover"]

_FUNCTION_ATTRIBUTES: Final = {
    "Primitive": "Marks a fused kernel: passes treat the function as one operator and do not look inside.",
    "Compiler": "The external code generator that compiles the function.",
    "Composite": "The name of the pattern that a code generator matched here.",
    "global_symbol": "The name of the function in the compiled library.",
    "Inline": "Calls of the function are replaced by its body when the module is inlined.",
    "Extern": "The function is compiled by another compiler; its body is not lowered.",
    "Closure": "The function was lifted out of a closure.",
    "PartitionedFromPattern": "The operators of the pattern that the function was made from, in order.",
    "hash": "The structural hash of the function, by which equal kernels are shared.",
    "used_memory": "The bytes that each call in the function holds while it runs.",
    "SkipOptimization": "Passes leave the function alone.",
    "relay.reshape_only": "The function does no more than change shapes, so it needs no kernel.",
}
"""The attributes that passes of TVM v0.12.0 give to functions (``include/tvm/relay/function.h``, ``ir/function.h``)."""

_AXES: Final = {"D": "depth", "H": "height", "W": "width"}
_SIDES: Final = ("before", "after")


def attribute_hover(snapshot: Snapshot, token: Token) -> Hover | None:
    """What an attribute means, at its name, its value, or an element of it; ``None`` where no attribute stands."""
    nodes = snapshot.node_at(token.span.start)
    node = next((each for each in nodes if each.kind in ("attribute", "call", "function")), None)
    if node is None or node.kind != "attribute":
        return _name_alone(snapshot, token) if token.role is TokenRole.ATTRIBUTE else None
    name, _, written = one_line(snapshot, node.span).partition("=")
    name, written = name.strip(), written.strip()
    call = snapshot.call_at(node.span.start)
    op = ops.find(call.op_name) if call is not None else None
    if op is None:
        meaning = _FUNCTION_ATTRIBUTES.get(name, "An attribute of the function.")
        return Hover(token.span, f"{name}={written}", meaning)
    field = op.attrs_type.fields().get(name) if op.attrs_type is not None else None
    if field is None:
        return None
    type = snapshot.type_at(call.span.start) if call is not None else None
    headline = f"{op.name}(…, {name}={written})" + (f": {folded_type(type)}" if type is not None else "")
    if token.role is TokenRole.ATTRIBUTE or token.text == "=":
        return Hover(token.span, headline, attribute_documentation(field))
    element = _element(snapshot, op, field, nodes, token)
    documentation = attribute_documentation(field)
    return Hover(token.span, headline, f"{element}\n\n{documentation}" if element else documentation)


def metadata_hover(snapshot: Snapshot, token: Token) -> Hover | None:
    """The attributes of a call that stand in the metadata section, at the reference to them; ``None`` elsewhere."""
    call = snapshot.expr_at(token.span.start) if token.role is TokenRole.META else None
    attrs = call.attrs if isinstance(call, Call) else None
    if attrs is None or not token.text.startswith(f"meta[{attrs.type_key}]"):
        return None
    lines = (
        f"- `{name}={value_text(getattr(attrs, name))}`" + (f": {markdown(field.doc)}" if field.doc else "")
        for name, field in attrs.fields().items()
    )
    return Hover(token.span, token.text, "\n".join(lines))


def _name_alone(snapshot: Snapshot, token: Token) -> Hover | None:
    """An attribute's name in a statement that cannot be parsed."""
    call = snapshot.call_at(token.span.start)
    op = ops.find(call.op_name) if call is not None else None
    field = op.attrs_type.fields().get(token.text) if op is not None and op.attrs_type is not None else None
    if op is None or field is None:
        return None
    return Hover(token.span, f"{op.name}(…, {token.text}=…)", attribute_documentation(field))


def _element(
    snapshot: Snapshot, op: Op, field: AttributeField, nodes: tuple[SyntaxNode, ...], token: Token
) -> str | None:
    """Which element of a list a token is, and along which axis of the data, where the layout tells."""
    inner = next((node for node in nodes if node.kind == "list"), None)
    if inner is None or token.text in "[],":
        return None
    starts = _element_starts(snapshot, inner)
    index = _place_in(starts, token.span)
    words = f"Element {index} of {len(starts)}: `{token.text}`"
    axis = _axis_of(snapshot, op, field, token, index, len(starts))
    return f"{words}, {axis}" if axis else words


def _element_starts(snapshot: Snapshot, inner: SyntaxNode) -> list[int]:
    starts: list[int] = []
    depth, is_next = 0, True
    for token in snapshot.tokens(inner.span.start + 1, inner.span.end - 1):
        if token.role is TokenRole.COMMENT:
            continue
        if is_next:
            starts.append(token.span.start)
            is_next = False
        depth += token.text in ("(", "[")
        depth -= token.text in (")", "]")
        is_next = token.text == "," and depth == 0
    return starts


def _axis_of(snapshot: Snapshot, op: Op, field: AttributeField, token: Token, index: int, count: int) -> str | None:
    """The spatial axis that an element is about: one each, or for both sides of each first all before, then all after.

    The axes are the letters of the data's layout besides batch and channels, as convolutions and poolings have it.
    """
    fields = op.attrs_type.fields() if op.attrs_type is not None else None
    layout_field = None if fields is None else fields.get("data_layout") or fields.get("layout")
    call = snapshot.call_at(token.span.start)
    if layout_field is None or call is None or field.name not in _SPATIAL:
        return None
    layout = attribute_values(snapshot, call).get(layout_field.name, layout_field.default)
    axes = [_AXES[letter] for letter in str(layout) if letter in _AXES]
    if count == len(axes):
        return axes[index]
    if field.name == "padding" and count == 2 * len(axes):
        return f"{_SIDES[index // len(axes)]} the {axes[index % len(axes)]}"
    return None


_SPATIAL: Final = ("strides", "padding", "dilation", "kernel_size", "pool_size", "output_padding", "output_size")


def shape_hover(snapshot: Snapshot, token: Token) -> Hover | None:
    """The type that a token is part of, and the axis that it gives the size of; ``None`` where no type stands."""
    nodes = snapshot.node_at(token.span.start)
    kinds = [node.kind for node in nodes]
    if not kinds or kinds[0] not in ("dimension", "shape", "tensor_type", "meta"):
        return None
    written = next((node for node in nodes if node.kind == "tensor_type"), None)
    if written is None:
        return None
    headline = one_line(snapshot, written.span)
    shape = next((node for node in nodes if node.kind == "shape"), None)
    if kinds[0] == "dimension" and shape is not None:
        starts = _element_starts(snapshot, shape)
        index = _place_in(starts, token.span)
        return Hover(token.span, headline, f"Axis {index} of {len(starts)}: {_size(token.text)}")
    return Hover(token.span, headline)


def _place_in(starts: list[int], span: TextSpan) -> int:
    return max((place for place, start in enumerate(starts) if start <= span.start), default=0)


def _size(size: str) -> str:
    """The size of an axis in words."""
    return "of a size that is not known" if size == "?" else f"`{size}`"
