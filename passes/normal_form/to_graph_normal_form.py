"""``ToGraphNormalForm``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Expr, Function, Let, Var
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass
from ..provenance import ExprMutator
from ..provenance.mutator import Descent


@declare_pass(opt_level=1)
class ToGraphNormalForm(FunctionPass):
    """Replace ``let`` by sharing: each use of a bound variable becomes its value.

    A function that calls itself through its variable cannot do without its ``let``, and is refused, as TVM does. The
    pass is for what has no effects: a ``ref_write`` that is bound to a variable which nothing uses is dropped with its
    ``let``, and the order of reads and writes is lost, as in TVM; ``relay-lsp opt --verify`` shows where that changes a
    result. Source of the rule: ``src/relay/transforms/to_graph_normal_form.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          let %y = nn.relu(%x);
          add(%y, %y)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          %0 = nn.relu(%x);
          add(%0, %0)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function without any ``let``.

        Raises:
            PassError: a function calls itself through the variable that it is bound to.
        """
        return _ToGraphNormalForm().visit_function(function)


class _ToGraphNormalForm(ExprMutator):
    def __init__(self) -> None:
        super().__init__()
        self.values: dict[Var, Expr] = {}
        # The functions whose bodies are being visited, by the variables that they are bound to.
        self.unfinished: dict[Var, Let] = {}

    def descend(self, expr: Expr) -> Descent | None:
        return self._inline(expr) if isinstance(expr, Let) else None

    def _inline(self, let: Let) -> Descent:
        if isinstance(let.value, Function):
            self.unfinished[let.var] = let
        self.values[let.var] = yield let.value
        self.unfinished.pop(let.var, None)
        return (yield let.body)

    def rewrite_var(self, pre: Var, post: Var) -> Expr:
        if pre in self.unfinished:
            raise PassError(
                f"the function bound to %{pre.name_hint} calls itself, for which it needs its let",
                place=self.unfinished[pre],
            )
        return self.values.get(pre, post)
