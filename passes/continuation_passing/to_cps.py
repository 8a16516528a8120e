"""``ToCPS`` and ``to_cps``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function, GlobalVar
from relay_lsp.ir.module import IRModule

from ..features import Feature, refuse_features
from ..infrastructure import ModulePass, PassContext, declare_pass, is_optimizable
from ..main_function import main_of
from .conversion import CpsConverter


@declare_pass(opt_level=1, required=("InferType",))
class ToCPS(ModulePass):
    """Turn every function into continuation-passing style: it gets one more argument, which it calls with its result.

    Every call of a function becomes the last thing that its caller does, and what followed it a function of its own.
    What branches share afterwards is a function, too, that each branch calls. A global function that is called gets a
    converted copy ``@NAME_cps``. Values must not be shared but by ``let``. Source of the rule:
    ``src/relay/transforms/to_cps.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          nn.relu(%x)
        }

    After::

        def @main[answer](%x: Tensor[(4), float32], %k: fn (Tensor[(4), float32]) -> answer) -> answer {
          let %x1 = nn.relu(%x);
          %k(%x1)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with every function converted, and a converted copy of those that are called.

        Raises:
            PassError: a value is shared without ``let``, or a fused function is called.
        """
        refuse_features(module.functions.values(), {Feature.fGraph}, "continuation-passing style")
        converter = CpsConverter(module)
        changed: dict[GlobalVar, Function] = {}
        for var, function in module.functions.items():
            changed[var] = converter.convert(function) if is_optimizable(function) else function
        return module.with_functions({**changed, **converter.functions})


@declare_pass(opt_level=1, required=("InferType",))
class to_cps(ModulePass):  # noqa: N801 - TVM's name
    """Turn ``@main`` into continuation-passing style: it gets one more argument, which it calls with its result.

    TVM's function of this name takes any function; here it is a pass over the module's entry, and the other functions
    stay. What is called gets a converted copy ``@NAME_cps``. Otherwise as ``ToCPS``. Source of the rule:
    ``src/relay/transforms/to_cps.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          @square(%x)
        }

        def @square(%y: Tensor[(4), float32]) -> Tensor[(4), float32] {
          multiply(%y, %y)
        }

    After::

        def @main[answer](%x: Tensor[(4), float32], %k: fn (Tensor[(4), float32]) -> answer) -> answer {
          %0 = fn (%arg: Tensor[(4), float32]) -> answer {
            %k(%arg)
          };
          @square_cps(%x, %0)
        }

        def @square(%y: Tensor[(4), float32]) -> Tensor[(4), float32] {
          multiply(%y, %y)
        }

        def @square_cps[answer](%y: Tensor[(4), float32], %k: fn (Tensor[(4), float32]) -> answer) -> answer {
          let %x = multiply(%y, %y);
          %k(%x)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with ``@main`` converted, and a converted copy of what it calls.

        Raises:
            PassError: there is no ``@main``, a value is shared without ``let``, or a fused function is called.
        """
        var, function = main_of(module)
        refuse_features(module.functions.values(), {Feature.fGraph}, "continuation-passing style")
        converter = CpsConverter(module)
        converted = converter.convert(function)
        return module.with_functions({**module.functions, var: converted, **converter.functions})
