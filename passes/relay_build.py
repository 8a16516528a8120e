"""``RelayBuild``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from ..ir.module import IRModule
from .infrastructure import Pass, PassContext, Pipeline, Sequential, declare_pass, option
from .optimization.sequences import graph_passes, graph_passes_afterwards, vm_passes
from .targets import Target, current_target


@declare_pass(opt_level=0)
class RelayBuild(Pipeline):
    """Run all passes that a build runs before it makes code: ``relay.build``, or ``relay.vm.compile``.

    Which of them run is up to the level of the context: at level 0 a few, at 3 all but ``FastMath`` and the like.
    ``passes.optimize`` is the same with a level and parameters of its own. The build for the virtual machine stops
    short of lowering operators to kernels, which have no text in Relay: fused functions stand for lowered ones.

    Source of the rule: ``src/relay/backend/build_module.cc``, ``src/relay/backend/vm/compiler.cc``,
    ``src/relay/backend/utils.cc``.

    Before::

        def @main(%x: Tensor[(4), float32], hash="0") {
          nn.dropout(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32], hash="0") -> Tensor[(4), float32] {
          %x
        }
    """

    targets: tuple[str, ...] = option(
        default=(), doc="One target for each kind of device in use; by default the current one, or `llvm`."
    )
    executor: str = option(default="graph", doc="What runs the program.", choices=("graph", "vm"))

    def passes(self) -> Sequence[Pass]:
        """The passes in order, as they run at a level that admits all."""
        targets = self._parsed()
        if self.executor == "vm":
            return vm_passes(targets, PassContext.current())
        return [*graph_passes(targets), *graph_passes_afterwards(targets, PassContext.current())]

    def run(self, module: IRModule, context: PassContext) -> IRModule:
        """Run the sequence under its target, and what a build runs after it."""
        targets = self._parsed()
        with targets[0] if len(targets) == 1 else nullcontext():
            if self.executor == "vm":
                return Sequential(vm_passes(targets, context))(module, context)
            module = Sequential(graph_passes(targets))(module, context)
            for item in graph_passes_afterwards(targets, context):
                module = item(module, context)
            return module

    def _parsed(self) -> Sequence[Target]:
        given = [Target.parse(text) for text in self.targets]
        return given or [current_target() or Target.parse("llvm")]
