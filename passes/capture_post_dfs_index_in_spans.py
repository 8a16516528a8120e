"""``CapturePostDfsIndexInSpans``."""

from __future__ import annotations

from typing import ClassVar

from relay_lsp.ir.expressions import Constructor, Expr, Function, GlobalVar
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import SourceName, Span

from .infrastructure import FunctionPass, PassContext, declare_pass
from .patterns.dataflow_graph import DataflowGraph
from .provenance import ExprMutator, with_span


@declare_pass(opt_level=0)
class CapturePostDfsIndexInSpans(FunctionPass):
    """Give every expression its place in the dataflow as a span: ``index:I:D``.

    ``I`` numbers the function's expressions so that each comes after what flows into it; ``D`` is the number of the
    nearest expression that everything leaving it flows through, -1 for none. Former spans are lost; global names keep
    theirs. Source of the rule: ``src/relay/transforms/capture_postdfsindex_in_spans.cc``.

    Before::

        def @main(%x: float32) {
          %0 = exp(%x);
          sqrt(%0)
        }

    After::

        def @main(%x: float32 /* ty=float32 span=index:0:3 */) -> float32 {
          %0 = exp(%x) /* ty=float32 span=index:3:4 */;
          sqrt(%0) /* ty=float32 span=index:4:5 */
        }
    """

    gives_spans: ClassVar[bool] = True

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with numbers for spans."""
        return _Numberer(DataflowGraph(function)).visit_function(function)


_SOURCE = SourceName("index")


class _Numberer(ExprMutator):
    def __init__(self, graph: DataflowGraph) -> None:
        super().__init__()
        self._graph = graph

    def rewrite(self, pre: Expr, post: Expr) -> Expr:
        """The same expression with the new span."""
        # A global name is the key of its function in the module; with a span of its own it would be another name.
        if isinstance(pre, (Op, Constructor, GlobalVar)):
            return post
        number = self._graph.index[pre]
        dominator = self._graph.dominator_parent[number]
        span = Span(_SOURCE, number, number, dominator, dominator)
        if pre.span == span:
            return post
        return with_span(post, span)
