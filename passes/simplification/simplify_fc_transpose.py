"""``SimplifyFCTranspose``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Expr, Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import is_call_to
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import free_vars

from ..infrastructure import FunctionPass, PassContext, declare_pass, option
from ..provenance import ExprMutator


@declare_pass(opt_level=4, required=("DeadCodeElimination",))
class SimplifyFCTranspose(FunctionPass):
    """Take a weight that ``nn.dense`` transposes as a parameter that is transposed already.

    The new parameter ``%w_T`` stands last (TVM calls it ``w.T``, which its own text format cannot read back);
    the caller of the function gives the transposed weight. Unused parameters are dropped, as TVM does. Source of the
    rule: ``src/relay/transforms/simplify_fc_transpose.cc``.

    Before::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(4, 2), float32]) {
          %0 = transpose(%w, axes=[1, 0]);
          nn.dense(%x, %0, units=2)
        }

    After::

        def @main(%x: Tensor[(1, 4), float32], %w_T: Tensor[(2, 4), float32]) {
          nn.dense(%x, %w_T, units=2)
        }
    """

    target_weights: tuple[str, ...] = option(
        default=(), doc="Names of the weights to take transposed; all where none is named."
    )

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with transposed weights as parameters."""
        mutator = _FCTranspose(self.target_weights)
        new = mutator.visit_function(function)
        if not mutator.transposed:
            return function
        own = set(mutator.transposed.values())
        params = [var for var in free_vars(new.body) if var not in own]
        return Function(
            (*params, *mutator.transposed.values()),
            new.body,
            new.ret_type,
            new.type_params,
            new.attrs,
            new.span,
            new.virtual_device,
        )


class _FCTranspose(ExprMutator):
    def __init__(self, targets: tuple[str, ...]) -> None:
        super().__init__()
        self.targets = targets
        self.transposed: dict[Var, Var] = {}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        weight = pre.args[1] if is_call_to(pre, "nn.dense") else None
        if not isinstance(weight, Call) or not is_call_to(weight, "transpose"):
            return post
        var = weight.args[0]
        if not isinstance(var, Var) or (self.targets and var.name_hint not in self.targets):
            return post
        type = var.type_annotation
        if not isinstance(type, TensorType) or type.ndim != 2:
            return post
        if var not in self.transposed:
            turned = TensorType((type.shape[1], type.shape[0]), type.dtype)
            new = Var(f"{var.name_hint}_T", turned)
            self.derive(new, weight, var)
            self.transposed[var] = new
        return Call(post.op, (post.args[0], self.transposed[var]), pre.attrs, pre.type_args)
