"""``PartialEvaluate``."""

from __future__ import annotations

from relay_lsp.ir.module import IRModule

from ..features import Feature, refuse_features
from ..infrastructure import ModulePass, PassContext, declare_pass
from .evaluator import Evaluator


@declare_pass(opt_level=1, required=("InferType",), name="PartialEval")
class PartialEvaluate(ModulePass):
    """Run what is known when compiling: calls of known functions, branches, matches, references, constants.

    Each function is run with unknown parameters, and what is left to do at run time is bound value by value. A known
    function is expanded where it is called, a recursive one as long as an argument gets smaller or older; a known
    condition chooses its branch; what is in a reference is known until something unknown runs. ``DeadCodeElimination``
    clears away what is left over. Values must not be shared but by ``let``.

    An operator that cannot be run here stays a call. Where functions inside functions call each other so that they
    would be expanded exponentially often, calls stay calls once 20 times the module's size has been expanded. Source of
    the rule: ``src/relay/transforms/partial_eval.cc``.

    Before::

        def @main(%x: float32) -> float32 {
          let %twice = fn (%f: fn (float32) -> float32, %y: float32) -> float32 {
            %0 = %f(%y);
            %f(%0)
          };
          %1 = fn (%z: float32) -> float32 {
            negative(%z)
          };
          %twice(%1, %x)
        }

    After::

        def @main(%x: float32) -> float32 {
          let %twice = fn (%f: fn (float32) -> float32, %y: float32) -> float32 {
            let %x1 = %f(%y);
            let %x2 = %f(%x1);
            %x2
          };
          let %x3 = fn (%z: float32) -> float32 {
            let %x4 = negative(%z);
            %x4
          };
          let %x5 = negative(%x);
          let %x6 = negative(%x5);
          %x6
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with its functions run as far as they are known.

        Raises:
            PassError: a value is shared without ``let``; or a match has no case for a value that is known.
        """
        what = "what is partially evaluated"
        refuse_features(module.functions.values(), {Feature.fGraph}, what)
        evaluated = Evaluator(module).evaluate()
        refuse_features(evaluated.functions.values(), {Feature.fGraph}, what)
        return self.infer_types(evaluated, context)
