"""A hover in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from ..history import RemovedValue, ValueEvent
from ..layers.layer_index import LayerCount
from ..markdown import code_span
from ..provenance import ValueOrigin
from .contents import Hover

__all__ = ["render"]

_LONGEST_LINE = 400
_MOST_REMOVED = 10
_MOST_LAYERS = 12


def render(hover: Hover, link: Callable[[ValueOrigin], str | None] = lambda origin: None) -> str:
    """The hover in Markdown. ``link`` gives the address of an origin's place, if there is one to go to."""
    parts = [f"```relay\n{_headline(hover.headline)}\n```"]
    if hover.origins:
        parts.append("**From** " + ", ".join(_render_origin(origin, link(origin)) for origin in hover.origins))
    if hover.layers:
        parts.append("**Layers** " + ", ".join(_render_layers(hover.layers)))
    if hover.events:
        parts.append("**Passes**\n\n" + "\n".join(_render_event(event) for event in hover.events))
    if hover.removed:
        parts.append("**Removed**\n\n" + "\n".join(_render_removed(hover.removed)))
    if hover.documentation:
        parts.append(hover.documentation)
    return "\n\n---\n\n".join(parts)


def _headline(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + " …" for line in lines)


def _render_origin(origin: ValueOrigin, address: str | None) -> str:
    name = code_span(str(origin))
    return name if address is None else f"[{name}]({address})"


def _render_layers(layers: Sequence[LayerCount]) -> Iterator[str]:
    for layer in layers[:_MOST_LAYERS]:
        yield f"{code_span(layer.name)} ({layer.values})"
    if len(layers) > _MOST_LAYERS:
        yield f"and {len(layers) - _MOST_LAYERS} more"


def _render_event(event: ValueEvent) -> str:
    if event.by_hand:
        return f"- edited by hand{_moment(event.time)}, before " + "; ".join(map(code_span, event.before))
    if not event.before:
        return f"- `{event.pass_name}` made this"
    return f"- `{event.pass_name}` made this from " + "; ".join(map(code_span, event.before))


def _moment(time: float) -> str:
    return f" at {datetime.fromtimestamp(time).astimezone():%Y-%m-%d %H:%M}" if time else " since"


def _render_removed(removed: Sequence[RemovedValue]) -> Iterator[str]:
    for value in removed[:_MOST_REMOVED]:
        yield f"- {code_span(value.text)} by `{value.pass_name}`"
    if len(removed) > _MOST_REMOVED:
        yield f"- and {len(removed) - _MOST_REMOVED} more"
