"""A model's nodes as a text to look at, and one node as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from relay_lsp.ir.model_reference import ModelReference

from ..documentation.markdown import code_span

if TYPE_CHECKING:
    from relay_lsp.frontends.imported import Layer

__all__ = ["NodeList", "node_list", "node_markdown"]

_MOST_NAMES = 8
"""How many inputs or outputs of a node a hover shows at most."""


class NodeList(msgspec.Struct, frozen=True):
    """The nodes of a model as a text; ``lines`` is the line of each, from 0, by its layer's name."""

    text: str
    lines: dict[str, int]


def node_list(model: ModelReference, layers: Sequence[Layer]) -> NodeList:
    """All nodes of a model in its order, each with its inputs, outputs and attributes."""
    written = [f"{model.file} ({model.framework}): {len(layers)} nodes"]
    lines: dict[str, int] = {}
    for layer in layers:
        written.append("")
        lines.setdefault(layer.name, len(written))
        written.append(f"{_one_line(layer.name)}  {_one_line(layer.operator)}")
        written.extend(f"    {name}: {_one_line(value)}" for name, value in _parts(layer))
    return NodeList("\n".join(written) + "\n", lines)


def _parts(layer: Layer) -> Iterator[tuple[str, str]]:
    if layer.inputs:
        yield "inputs", ", ".join(layer.inputs)
    if layer.outputs:
        yield "outputs", ", ".join(layer.outputs)
    yield from layer.attributes.items()
    if layer.source:
        yield "source", layer.source


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def node_markdown(layer: Layer) -> str:
    """One node: its operator, what goes in and comes out, and its attributes."""
    parts = [f"**Node** {code_span(layer.name)}: {code_span(layer.operator)}"]
    for title, names in (("inputs", layer.inputs), ("outputs", layer.outputs)):
        if names:
            more = ", …" if len(names) > _MOST_NAMES else ""
            parts.append(f"- {title}: {', '.join(map(code_span, names[:_MOST_NAMES]))}{more}")
    parts += [f"- {name}: {code_span(value)}" for name, value in layer.attributes.items()]
    if layer.source:
        parts.append(f"- from {code_span(layer.source)}")
    return "\n".join([parts[0], "", *parts[1:]])
