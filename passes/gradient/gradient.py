"""``gradient``."""

from __future__ import annotations

from relay_lsp.ir.module import IRModule

from ..features import refuse_features
from ..infrastructure import ModulePass, PassContext, declare_pass, option
from ..main_function import main_of
from .first_order_gradient import FIRST_ORDER, REFUSED_FEATURES, first_order_gradient
from .higher_order import higher_order_gradient


@declare_pass(opt_level=0, required=("InferType",))
class gradient(ModulePass):  # noqa: N801 - TVM's name
    """Make ``@main`` give the gradients of its parameters besides its result, through closures and references.

    TVM's function of this name takes any function; here it is a pass over the module's entry. In the mode
    ``higher_order``, each tensor is computed with a reference to its gradient, and each operator adds a step to a chain
    of closures that runs backwards; so control flow, ``let``, data types, functions as values and calls of global
    functions are taken, of which a copy ``@NAME_grad`` is made. ``annotation.checkpoint`` has its argument computed
    again on the way back. The result is a tensor, or a tuple whose first tensor counts. The mode ``first_order`` is
    ``FirstOrderGradient`` over ``@main`` alone. Source of the rule: ``src/relay/transforms/higher_order_gradient.cc``.

    Before::

        def @main(%x: float32) -> float32 {
          %x
        }

    After::

        def @main(%x: float32) -> (float32, (float32,)) {
          %0 = fn () -> () {
            ()
          };
          let %bp: ref(fn () -> ()) = ref(%0);
          %1 = zeros_like(%x);
          %2 = ref(%1);
          let %x1 = (%x, %2);
          %3 = fn (%x2: (float32, ref(float32)), %bp1: ref(fn () -> ())) {
            %x2
          };
          let %x3 = %3(%x1, %bp);
          %4 = %x3.1;
          %5 = %x3.0;
          %6 = ones_like(%5);
          let %x4 = ref_write(%4, %6);
          %7 = ref_read(%bp);
          let %x5 = %7();
          %8 = %x3.0;
          %9 = %x1.1;
          %10 = ref_read(%9);
          %11 = (%10,);
          (%8, %11)
        }
    """

    mode: str = option(
        default="higher_order",
        choices=("higher_order", "first_order"),
        doc="Whether references and closures are made, and taken.",
    )

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with ``@main`` differentiated.

        Raises:
            PassError: there is no ``@main``, it calls an operator without a gradient, it shares a value without ``let``
                (in the higher order), or has what is not differentiated (in the first).
        """
        var, function = main_of(module)
        if self.mode == "first_order":
            refuse_features((function,), REFUSED_FEATURES, FIRST_ORDER)
            return self.infer_types(module.with_function(var, first_order_gradient(function)), context)
        new, added = higher_order_gradient(function, module)
        return self.infer_types(module.with_functions({**module.functions, var: new, **added}), context)
