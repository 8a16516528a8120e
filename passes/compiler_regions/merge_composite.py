"""``MergeComposite``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relay_lsp.ir.expressions import Expr, Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass, did_you_mean, option
from ..patterns import partition
from ..patterns.dataflow_graph import DataflowGraph
from ..patterns.language import DFPattern
from ..patterns.rewriting import infer_with_record
from . import pattern_tables


@declare_pass(opt_level=0)
class MergeComposite(FunctionPass):
    """Gather what matches a pattern into functions marked ``Composite="NAME"``.

    The patterns are tried in order; what one has taken, the next ones no longer see. A table is given as a list of
    ``(name, pattern)`` or ``(name, pattern, check)``, or by the name under which ``register_pattern_table`` knows it.
    Source of the rule: ``src/relay/transforms/merge_composite.cc``.

    Before (pattern_table="dnnl")::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) {
          %0 = nn.dense(%x, %w, units=2);
          nn.relu(%0)
        }

    After::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) -> Tensor[(1, 2), float32] {
          %1 = fn (%a: Tensor[(1, 4), float32], %b: Tensor[(2, 4), float32],
                   PartitionedFromPattern="nn.dense_nn.relu_", Composite="dnnl.dense_relu") {
            %0 = nn.dense(%a, %b, units=2);
            nn.relu(%0)
          };
          %1(%x, %w)
        }
    """

    pattern_table: tuple[Any, ...] | str = option(
        default=(), doc="The patterns, or the name of a registered table of patterns."
    )

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with every match in a function of its own.

        Raises:
            PassError: there is no table of that name, or what is in a table is no pattern with its name.
        """
        merged: Expr = function
        graph = DataflowGraph(merged)
        for name, pattern, *check in self._patterns():
            new = partition(pattern, merged, {"Composite": name}, *check, graph=graph)
            if new is not merged:
                merged = infer_with_record(new, module)
                graph = DataflowGraph(merged)
        if not isinstance(merged, Function):
            raise PassError("a pattern matched the whole function", place=function)
        return merged

    def _patterns(self) -> Sequence[Any]:
        table: Sequence[Any] = () if isinstance(self.pattern_table, str) else self.pattern_table
        if isinstance(self.pattern_table, str):
            known = pattern_tables()
            if self.pattern_table not in known:
                hint = did_you_mean(self.pattern_table, known)
                raise PassError(f"no table of patterns is called {self.pattern_table}{hint}")
            table = known[self.pattern_table]
        for entry in table:
            match entry:
                case (str(), DFPattern()):
                    pass
                case (str(), DFPattern(), check) if callable(check):
                    pass
                case _:
                    raise PassError(
                        f"option pattern_table takes (name, pattern) or (name, pattern, check), not {entry!r}",
                        code="option-value",
                    )
        return table
