"""A hover in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from ..documentation.markdown import code_span
from ..layers.layer_index import LayerCount
from ..provenance.history import RemovedValue, ValueEvent
from ..provenance.provenance import ValueOrigin
from .contents import Hover

__all__ = ["render"]

_LONGEST_LINE = 400
_MOST_REMOVED = 10
_MOST_LAYERS = 12


def render(
    hover: Hover,
    link: Callable[[ValueOrigin], str | None] = lambda origin: None,
    step_link: Callable[[ValueEvent], str | None] = lambda event: None,
) -> str:
    """The hover in Markdown. ``link`` gives the address of an origin's place, if there is one to go to, and
    ``step_link`` that of what a pass began with."""
    parts = [f"```relay\n{_headline(hover.headline)}\n```"]
    if hover.origins:
        parts.append("**From** " + ", ".join(_render_origin(origin, link(origin)) for origin in hover.origins))
    if hover.layers:
        parts.append("**Layers** " + ", ".join(_render_layers(hover.layers)))
    if hover.events:
        parts.append("**Passes**\n\n" + "\n".join(_render_event(event, step_link(event)) for event in hover.events))
    if hover.removed:
        parts.append("**Removed**\n\n" + "\n".join(_render_removed(hover.removed)))
    if hover.documentation:
        parts.append(hover.documentation)
    return "\n\n---\n\n".join(parts)


def _headline(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + " …" for line in lines)


def _render_origin(origin: ValueOrigin, address: str | None) -> str:
    return _linked(code_span(str(origin)), address)


def _render_layers(layers: Sequence[LayerCount]) -> Iterator[str]:
    for layer in layers[:_MOST_LAYERS]:
        yield f"{code_span(layer.name)} ({layer.values})"
    if len(layers) > _MOST_LAYERS:
        yield f"and {len(layers) - _MOST_LAYERS} more"


def _render_event(event: ValueEvent, address: str | None) -> str:
    before = "; ".join(map(code_span, event.before))
    if event.by_hand:
        return f"- {_linked('edited by hand', address)}{_moment(event.time)}, before {before}"
    made = f"- {_linked(f'`{event.pass_name}`', address)} made this"
    return f"{made} from {before}" if before else made


def _linked(words: str, address: str | None) -> str:
    return words if address is None else f"[{words}]({address})"


def _moment(time: float) -> str:
    return f" at {datetime.fromtimestamp(time).astimezone():%Y-%m-%d %H:%M}" if time else " since"


def _render_removed(removed: Sequence[RemovedValue]) -> Iterator[str]:
    for value in removed[:_MOST_REMOVED]:
        yield f"- {code_span(value.text)} by `{value.pass_name}`"
    if len(removed) > _MOST_REMOVED:
        yield f"- and {len(removed) - _MOST_REMOVED} more"
