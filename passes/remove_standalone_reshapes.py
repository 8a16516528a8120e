"""``RemoveStandaloneReshapes``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relay_lsp.ir.expressions import Call, Expr, Let, Tuple, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import is_call_to

from .dead_code.remove_unused_functions import RemoveUnusedFunctions
from .infrastructure import ModulePass, PassContext, declare_pass
from .main_function import replace_main
from .provenance import Descent, ExprMutator


@declare_pass(opt_level=0)
class RemoveStandaloneReshapes(ModulePass):
    """Drop reshapes that lowering has left as calls of their own in ``@main``, then functions that nothing reaches.

    Where ``call_lowered`` calls a kernel that only reshapes what another lowered call gave, bound by ``let`` to a
    variable and placed by ``on_device``, that other call takes its place. Source of the rule:
    ``src/relay/transforms/remove_standalone_reshapes.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          nn.relu(%x)
        }

        def @unused(%x: Tensor[(4), float32]) {
          exp(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32]) {
          nn.relu(%x)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module without these reshapes.

        Raises:
            PassError: there is no ``@main``.
        """
        module = replace_main(module, _ReshapeRemover().visit_function)
        return RemoveUnusedFunctions().transform_module(module, context)


class _ReshapeRemover(ExprMutator):
    def __init__(self) -> None:
        super().__init__()
        self._lowered: dict[Expr, Call] = {}
        """The lowered call that gave a variable its value."""

    def descend(self, expr: Expr) -> Descent | None:
        """What a variable is bound to is known before the body is examined."""
        return self._let(expr) if isinstance(expr, Let) else None

    def _let(self, let: Let) -> Descent:
        value = yield let.value
        if isinstance(value, Call) and is_call_to(value, "on_device"):
            inner = value.args[0]
            if isinstance(inner, Call) and is_call_to(inner, "call_lowered"):
                self._lowered[let.var] = inner
        body = yield let.body
        return let if value is let.value and body is let.body else Let(let.var, value, body, let.span)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if not is_call_to(post, "call_lowered") or not _reshapes_only(post):
            return post
        arguments = post.args[1]
        if not isinstance(arguments, Tuple) or not arguments.fields or not isinstance(arguments.fields[0], Var):
            return post
        return self._lowered.get(arguments.fields[0], post)


def _reshapes_only(call: Call) -> bool:
    metadata: Mapping[str, Any] = getattr(call.attrs, "metadata", None) or {}
    attrs: Any = metadata.get("relay_attrs")
    return attrs is not None and bool(attrs.get("relay.reshape_only", 0))
