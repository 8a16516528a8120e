"""``AnnotateSpans``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from relay_lsp.ir.expressions import Constructor, Expr, GlobalVar
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.printing import TypeTooLongError, to_text_with_positions
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from .infrastructure import ModulePass, PassContext, PassError, declare_pass
from .provenance import ExprMutator, with_span


@declare_pass(opt_level=0)
class AnnotateSpans(ModulePass):
    """Give every expression its position in the module's canonical text as a span.

    The spans' source is called ``GeneratedSource``. TVM prints the module and parses it again, which gives a bound
    value the position of its last use; here every expression has its true position. Global names keep their spans.
    As there, the result is typed. Source of the rule: ``src/relay/parser/parser.cc`` (``AnnotateSpans``).

    Before::

        def @main(%x: float32) {
          %0 = exp(%x);
          sqrt(%0)
        }

    After::

        def @main(%x: float32 /* ty=float32 span=GeneratedSource:2:11 */) -> float32 {
          %0 = exp(%x) /* ty=float32 span=GeneratedSource:3:8 */;
          sqrt(%0) /* ty=float32 span=GeneratedSource:4:3 */
        }
    """

    gives_spans: ClassVar[bool] = True

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The same module with positions for spans."""
        try:
            printed = to_text_with_positions(module)
        except TypeTooLongError as error:
            raise PassError(f"the module has no text to point into: {error}") from None
        annotator = _Annotator(printed.positions, LineIndex(printed.text))
        annotated = module.with_functions(
            {var: annotator.visit_function(function) for var, function in module.functions.items()}
        )
        return self.infer_types(annotated, context)


_SOURCE = SourceName("GeneratedSource")


class _Annotator(ExprMutator):
    def __init__(self, positions: Mapping[Expr, TextSpan], lines: LineIndex) -> None:
        super().__init__()
        self._positions = positions
        self._lines = lines

    def rewrite(self, pre: Expr, post: Expr) -> Expr:
        """The same expression with the new span."""
        position = self._positions.get(pre)
        if position is None or isinstance(pre, (Op, Constructor, GlobalVar)):
            return post
        line, column = self._lines.line_and_column(position.start)
        end_line, end_column = self._lines.line_and_column(position.end)
        span = Span(_SOURCE, line + 1, end_line + 1, column + 1, end_column + 1)
        return post if pre.span == span else with_span(post, span)
