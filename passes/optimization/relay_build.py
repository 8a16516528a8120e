"""``RelayBuild``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from relay_lsp.ir.module import IRModule

from ..infrastructure import Pass, PassContext, PassError, Pipeline, Sequential, create, declare_pass, option
from ..targets import Target, current_target
from .sequences import graph_passes, graph_passes_afterwards, vm_passes


@declare_pass(opt_level=0)
class RelayBuild(Pipeline):
    """Run all passes that a build runs before it makes code: ``relay.build``, or ``relay.vm.compile``.

    Which of them run is up to the level of the context: at level 0 a few, at 3 all but ``FastMath`` and the like.
    ``passes.optimize`` is the same with a level and parameters of its own. The build for the virtual machine stops
    short of lowering operators to kernels, which have no text in Relay: fused functions stand for lowered ones.

    Source of the rule: ``src/relay/backend/build_module.cc``, ``src/relay/backend/vm/compiler.cc``,
    ``src/relay/backend/utils.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.dropout(%x);
          %1 = %0.0;
          nn.relu(%1)
        }

    After::

        def @main(%x {virtual_device=meta[VirtualDevice][0]}: Tensor[(4), float32], hash="028b9ac2b9e5e0fb",
            virtual_device=meta[VirtualDevice][0]) -> Tensor[(4), float32] {
          %0 = fn (%p0: Tensor[(4), float32], Primitive=1, hash="696f755520c9fe92") -> Tensor[(4), float32] {
            nn.relu(%p0)
          };
          %0(%x)
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["VirtualDevice"], "data": [2]},
            {"type_key": "Array", "data": [3]},
            {"type_key": "VirtualDevice",
             "attrs": {"device_type_int": "1", "memory_scope": "18", "target": "4", "virtual_device_id": "0"}},
            {"type_key": "Target",
             "attrs": {"attrs": "11", "features": "12", "host": "13", "keys": "10", "kind": "5", "tag": "9"}},
            {"type_key": "TargetKind", "attrs": {"default_device_type": "1", "default_keys": "7", "name": "6"}},
            {"type_key": "runtime.String", "repr_str": "llvm"},
            {"type_key": "Array", "data": [8]},
            {"type_key": "runtime.String", "repr_str": "cpu"},
            {"type_key": "runtime.String"},
            {"type_key": "Array", "data": [8]},
            {"type_key": "Map"},
            {"type_key": "Map"},
            {"type_key": "Target",
             "attrs": {"attrs": "16", "features": "17", "host": "0", "keys": "15", "kind": "5", "tag": "14"}},
            {"type_key": "runtime.String"},
            {"type_key": "Array", "data": [8]},
            {"type_key": "Map"},
            {"type_key": "Map"},
            {"type_key": "runtime.String"}
          ],
          "b64ndarrays": [
          ],
          "attrs": {"tvm_version": "0.12.0"}
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
        """Run the sequence under its target, and what a build runs after it.

        Raises:
            PassError: a pass refuses, or the context leaves out the normal form that the virtual machine asks for.
        """
        targets = self._parsed()
        normal_form = create("ToANormalForm")
        if self.executor == "vm" and not context.pass_enabled(normal_form.info):
            raise PassError(
                f"the virtual machine runs {normal_form.info.name}, which this context leaves out: build at level "
                f"{normal_form.info.opt_level} or above, and do not disable it",
                pass_name=self.info.name,
            )
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
