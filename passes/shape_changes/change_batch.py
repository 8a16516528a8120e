"""``ChangeBatch``."""

from __future__ import annotations

from collections.abc import Mapping

from relay_lsp.ir.expressions import Expr, Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import TensorType

from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option
from ..main_function import main_of
from ..provenance import ExprMutator


@declare_pass(opt_level=0, required=("InferType",))
class ChangeBatch(ModulePass):
    """Give parameters of ``@main`` another batch size.

    Types are inferred anew; a constant, or an attribute such as that of a ``reshape``, that holds the old size makes
    the module ill-typed, which is refused. Where a parameter was planned to live is forgotten. TVM takes variables
    where ``data`` takes their names. Source of the rule: ``python/tvm/relay/transform/transform.py``
    (``ChangeBatch``).

    Before (data={"x": 0}, batch_size=8)::

        def @main(%x: Tensor[(1, 3), float32], %w: Tensor[(5, 3), float32]) {
          nn.dense(%x, %w, units=None)
        }

    After::

        def @main(%x: Tensor[(8, 3), float32], %w: Tensor[(5, 3), float32]) -> Tensor[(8, 5), float32] {
          nn.dense(%x, %w, units=None)
        }
    """

    data: Mapping[str, int] | None = option(
        default=None,
        doc="Which dimension holds the batch, by name of the parameter; by default the first of the first parameter.",
    )
    batch_size: int = option(default=16, lower=1, doc="The new size.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with another batch size.

        Raises:
            PassError: there is no ``@main``, or no such parameter or dimension; or the module is ill-typed with it.
        """
        var, function = main_of(module)
        if not function.params:
            raise PassError("@main has no parameters, and so no batch", place=function)
        axes = self.data or {function.params[0].name_hint: 0}
        params = {param.name_hint: param for param in function.params}
        replaced: dict[Var, Var] = {}
        for name, axis in axes.items():
            param = params.get(name.removeprefix("%"))
            if param is None:
                raise PassError(f"@main has no parameter %{name}; it has {', '.join(f'%{each}' for each in params)}")
            replaced[param] = self._resized(param, axis)
        mutator = _ParameterReplacer(replaced)
        new = mutator.visit_function(
            Function(function.params, function.body, None, function.type_params, function.attrs, function.span)
        )
        mutator.derive(new, function)
        return self.infer_types(module.with_function(var, new), context)

    def _resized(self, param: Var, axis: int) -> Var:
        type = param.type_annotation or param.checked_type
        if not isinstance(type, TensorType):
            raise PassError(f"{param!r} is no tensor, and has no batch", place=param)
        if not -type.ndim <= axis < type.ndim:
            raise PassError(f"{param!r} has {type.ndim} dimensions, and none of number {axis}", place=param)
        shape = list(type.shape)
        shape[axis] = self.batch_size
        return Var(param.name_hint, TensorType(tuple(shape), type.dtype), param.span)


class _ParameterReplacer(ExprMutator):
    def __init__(self, replaced: Mapping[Var, Var]) -> None:
        super().__init__()
        self._replaced = replaced

    def rewrite_var(self, pre: Var, post: Var) -> Expr:
        return self._replaced.get(pre, post)
