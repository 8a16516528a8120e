"""``InferType``."""

from __future__ import annotations

from collections.abc import Iterable

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.expressions import Function
from relay_lsp.ir.inference import infer_local, infer_types
from relay_lsp.ir.module import IRModule

from .infrastructure import ModulePass, PassContext, PassError, declare_pass
from .provenance import current_record


@declare_pass(opt_level=0)
class InferType(ModulePass):
    """Give every expression its type.

    What is ill-typed is refused, with every error at its place. A type that inference finds for an unannotated
    parameter becomes its annotation. Source of the rule: ``src/relay/transforms/type_infer.cc``.

    Before::

        def @main(%x: Tensor[(1, 64), float32], %w) {
          nn.dense(%x, %w, units=10)
        }

    After::

        def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(10, 64), float32]) -> Tensor[(1, 10), float32] {
          nn.dense(%x, %w, units=10)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The same module with types."""
        inferred = infer_types(module)
        refuse_errors(inferred.diagnostics)
        record = current_record()
        for new, old in inferred.replaced.items():
            record.record(new, old)
        after = inferred.module
        if len(after.functions) == len(module.functions) and all(
            module.functions.get(var) is function for var, function in after.functions.items()
        ):
            return module
        return after


def refuse_errors(diagnostics: Iterable[Diagnostic], pass_name: str = "") -> None:
    """Refuse what a reader or inference found at fault; warnings are no fault.

    Raises:
        PassError: there is an error.
    """
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise PassError(errors[0].message + more, pass_name=pass_name, diagnostics=errors)


@declare_pass(opt_level=0)
class InferTypeLocal(ModulePass):
    """Give a type to every expression that has none yet, and believe the types that are there.

    It costs what is new: below an expression that has a type, nothing is examined. TVM's function of this name gives
    the type of one expression; here it is a pass over the module's functions. Source of the rule:
    ``src/relay/transforms/type_infer.cc`` (``InferTypeLocal``).

    Before::

        def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(10, 64), float32]) {
          nn.dense(%x, %w, units=10)
        }

    After::

        def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(10, 64), float32]) -> Tensor[(1, 10), float32] {
          nn.dense(%x, %w, units=10)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The same module with types.

        Raises:
            PassError: what is new is ill-typed.
        """
        record = current_record()
        functions = dict(module.functions)
        for var, function in module.functions.items():
            if function.checked_type is not None:
                continue
            inferred = infer_local(function, module)
            refuse_errors(inferred.diagnostics)
            for new, old in inferred.replaced.items():
                record.record(new, old)
            assert isinstance(inferred.expr, Function)
            functions[var] = inferred.expr
        return module if functions == module.functions else module.with_functions(functions)
