"""What passes said about their decisions, with the places in the text that they are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relay_lsp.ir.diagnostics import Place
from relay_lsp.ir.spans import AnySpan, SequentialSpan
from relay_lsp.ir.text.text_span import TextSpan

if TYPE_CHECKING:
    from relay_lsp.ir.expressions import Expr
    from relay_lsp.ir.syntax import Parsed
    from relay_lsp.passes import Trace

__all__ = ["PlacedRemark", "RemarkPart", "placed_remarks"]

_BINDING = re.compile(r"(%[\w.]+)\s*=\s*\Z")
_LONGEST_BINDING = 200


@dataclass(frozen=True, slots=True)
class RemarkPart:
    """A piece of a remark's message: words, or what an expression is called, with its place."""

    text: str
    is_expression: bool = False
    span: TextSpan | None = None


@dataclass(frozen=True, slots=True)
class PlacedRemark:
    """One decision of a pass. ``span`` is where the expression that it is about stands in the text, if it does."""

    pass_name: str
    kind: str
    """``passed`` or ``missed``."""
    rule: str
    subject: str
    """What the expression is called."""
    parts: tuple[RemarkPart, ...]
    function: str
    """The function of the module, without ``@``; empty for what no text has."""
    layer: str
    span: TextSpan | None

    @property
    def message(self) -> str:
        """The decision in words."""
        return "".join(part.text for part in self.parts)


def placed_remarks(trace: Trace, parsed: Parsed, text: str) -> Iterator[PlacedRemark]:
    """The remarks of every step of a trace that began with a text, in order."""
    from relay_lsp.ir.visitor import post_order

    first = {expr: var.name_hint for var, function in parsed.module.functions.items() for expr in post_order(function)}
    names = _Names(text, lambda expr: parsed.locate(Place(expr)))
    for step in trace.steps:
        for remark in step.remarks:
            origin = next((each for each in trace.origins(remark.expr) if each in first), None)
            words = remark.template.split("{}")
            parts = [RemarkPart(words[0])]
            # A pass of the user's may name more than its words have room for.
            for other, following in zip(remark.others, words[1:], strict=False):
                source = next((each for each in trace.origins(other) if each in first), None)
                parts += [RemarkPart(names.of(other, source), True, names.place(source)), RemarkPart(following)]
            layer = trace.layers.get(origin) if origin is not None else None
            yield PlacedRemark(
                step.called,
                remark.kind,
                remark.rule,
                names.of(remark.expr, origin),
                tuple(part for part in parts if part.text),
                first.get(origin, "") if origin is not None else "",
                "" if layer is None else _layer_text(layer),
                names.place(origin),
            )


def _layer_text(layer: AnySpan) -> str:
    parts = layer.spans if isinstance(layer, SequentialSpan) else (layer,)
    return ", ".join(dict.fromkeys(part.source_name.name for part in parts))


class _Names:
    """What expressions are called in a text: ``%12`` where one is bound to a name."""

    def __init__(self, text: str, locate: Callable[[Expr], TextSpan | None]) -> None:
        self._text = text
        self._locate = locate

    def place(self, source: Expr | None) -> TextSpan | None:
        """Where an expression of the first module stands."""
        return None if source is None else self._locate(source)

    def of(self, expr: Expr, source: Expr | None) -> str:
        """The name of an expression: that of what it stems from in the text, and its operator."""
        from relay_lsp.passes.provenance.remarks import name_of

        span = self.place(source)
        before = "" if span is None else self._text[max(span.start - _LONGEST_BINDING, 0) : span.start]
        binding = _BINDING.search(before)
        own = name_of(expr)
        return own if binding is None else f"{binding[1]} ({own})"
