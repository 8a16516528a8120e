"""The names of a model's layers, and the spans that carry them.

Source of the rule: ``get_source_name`` and ``make_parameter_span`` in ``python/tvm/relay/frontend/onnx.py``,
``set_span`` in ``python/tvm/relay/frontend/common.py``.
"""

from __future__ import annotations

import re

from relay_lsp.ir.builder import LayerAnnotator, set_span, span_filling
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.spans import AnySpan, SequentialSpan, SourceName, Span

from .diagnostics import ImportReport, ModelPlace

__all__ = ["LayerAnnotator", "LayerNames", "SpanFiller", "parameter_name"]


def parameter_name(*parts: str) -> str:
    """The source name of a value that is not a layer's: ``node.parameter``."""
    return ".".join(parts)


_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What ends a line, commands a terminal, changes the direction of a text, or is half a character."""


def _one_line(name: str) -> str:
    """``name`` as it can stand in a comment of a text: on one line, and without the comment's end."""
    return _BREAKS.sub("_", name).replace("*/", "*_/")


class LayerNames:
    """Gives every layer a name of its own: the model's, or ``OpType_k`` for the k-th unnamed layer of that type."""

    def __init__(self, report: ImportReport) -> None:
        self._report = report
        self._taken: set[str] = set()
        self._unnamed: dict[str, int] = {}

    def name(self, given: str, operator: str) -> str:
        """The name of the next layer; one that is taken gets a number, and the report says so."""
        wanted = given
        if not given:
            count = self._unnamed.get(operator, 0)
            self._unnamed[operator] = count + 1
            wanted = f"{operator}_{count}"
        name, number = wanted, 1
        while name in self._taken:
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        if name != wanted:
            place = ModelPlace(name, operator)
            self._report.note("duplicate-layer-name", f"another node is called {wanted} too: this one is {name}", place)
        return name


class SpanFiller:
    """Writes layers' names into the expressions that were made for them.

    Args:
        annotator: asked for each name first; what ``PassContext`` has under ``relay.frontend.span_annotator`` where
            none is given.
        enabled: whether spans are written at all; ``relay.frontend.fill_span`` where it is not given.
    """

    def __init__(self, annotator: LayerAnnotator | None = None, enabled: bool | None = None) -> None:
        configured = span_filling()
        self.enabled = configured.enabled if enabled is None else enabled
        self._annotator = annotator or configured.annotator
        self._spans: dict[str, AnySpan] = {}

    def span(self, name: str) -> AnySpan:
        """The span of a layer or parameter."""
        known = self._spans.get(name)
        if known is None:
            given = self._annotator(name) if self._annotator is not None else None
            known = given if isinstance(given, (Span, SequentialSpan)) else Span(SourceName(_one_line(given or name)))
            self._spans[name] = known
        return known

    def fill(self, expr: Expr, name: str) -> Expr:
        """``expr``, whose new parts now carry the name of their layer."""
        return set_span(expr, self.span(name)) if self.enabled else expr
