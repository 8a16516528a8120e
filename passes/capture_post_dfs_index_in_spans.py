"""``CapturePostDfsIndexInSpans``."""

from __future__ import annotations

from typing import ClassVar

from relay_lsp.ir.expressions import Constructor, Expr, Function, GlobalVar, Match
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.visitor import pattern_vars

from .infrastructure import FunctionPass, PassContext, PassError, declare_pass
from .patterns.dataflow_graph import DataflowGraph
from .provenance import ExprMutator, with_span


@declare_pass(opt_level=0)
class CapturePostDfsIndexInSpans(FunctionPass):
    """Give every expression its place in the dataflow as a span: ``index:I:D``.

    ``I`` numbers the function's expressions so that each comes after what flows into it; ``D`` is the number of the
    nearest expression that everything leaving it flows through, -1 for none. Former spans are lost; global names keep
    theirs. A function that uses a variable of a ``match`` is refused, as TVM refuses it: there, the uses are numbered
    and the pattern is not, so that the variable is bound by nothing afterwards. Source of the rule:
    ``src/relay/transforms/capture_postdfsindex_in_spans.cc``, and ``relay.ir.WarnIfMalformed`` of
    ``src/relay/ir/function.cc``.

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
        """The function with numbers for spans.

        Raises:
            PassError: a variable that a pattern binds is used.
        """
        graph = DataflowGraph(function)
        for match in graph.by_kind.get(Match, ()):
            _refuse_used_variables(graph, match)
        return _Numberer(graph).visit_function(function)


_SOURCE = SourceName("index")


def _refuse_used_variables(graph: DataflowGraph, number: int) -> None:
    match = graph.order[number]
    assert isinstance(match, Match)
    for clause in match.clauses:
        for var in pattern_vars(clause.lhs):
            if graph.outputs[graph.index[var]]:
                raise PassError(
                    f"TVM numbers the uses of {var!r} and not the pattern that binds it, and then refuses the "
                    "function: take the match away before, as PartialEvaluate does where the value is known",
                    place=var,
                )


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
