"""``ToANormalForm``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import free_vars

from ..infrastructure import ModulePass, PassContext, PassError, declare_pass
from .fill import Fill
from .scopes import BindingScopes

__all__ = ["ToANormalForm", "to_a_normal_form"]


@declare_pass(opt_level=1)
class ToANormalForm(ModulePass):
    """Bind every value to a variable, in the innermost scope that all its uses share.

    The order of evaluation then stands in the text, and what was shared by reference is shared by name. Functions for
    an external compiler and the bodies of fused functions stay as they are. Where devices are planned, every binding
    says its own. Source of the rule: ``src/relay/transforms/to_a_normal_form.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.relu(%x);
          add(%0, %0)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          let %x1 = nn.relu(%x);
          let %x2 = add(%x1, %x1);
          %x2
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with every function in A-normal form."""
        changed = {
            var: new
            for var, function in module.functions.items()
            if function.attrs.get("Compiler") is None and (new := to_a_normal_form(function)) is not function
        }
        return module.with_functions({**module.functions, **changed}) if changed else module


def to_a_normal_form(function: Function) -> Function:
    """``function`` with every value bound.

    Raises:
        PassError: it uses a variable that nothing binds.
    """
    free = free_vars(function)
    if free:
        raise PassError(f"{free[0]!r} is not bound by anything", place=free[0])
    new = Fill(BindingScopes.of(function)).fill(function)
    assert isinstance(new, Function)
    return new
