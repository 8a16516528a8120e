"""``PlanDevices``."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, ModulePass, Pass, PassContext, PassInfo, Pipeline, declare_pass, option
from ..targets import Target, current_target
from .analysis import planned_devices
from .capture import capture_devices
from .configuration import CompilationConfig
from .rewriting import rewrite_on_devices


@declare_pass(opt_level=0)
class PlanDevices(Pipeline):
    """Find the device of every value, write it down, and copy where a value is wanted on another device.

    ``on_device`` and ``device_copy`` say where values must lie; that is carried to all values that lie in the same
    place. What may lie anywhere goes where the function's result is, and results to the default device. Parameters and
    results carry their devices afterwards, every bound value is in an ``on_device``, and so is what lies elsewhere than
    what is around it.

    The two passes of TVM, ``PlanDevicesRewrite`` and ``PlanDevicesCore``. Lowered functions (``PrimFunc``) and their
    memory scopes do not occur in Relay's text, and are not planned.

    Source of the rule: ``src/relay/transforms/device_planner.cc``, ``device_domains.cc``,
    ``src/target/compilation_config.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          let %a = nn.relu(%x);
          %a
        }

    After::

        def @main(%x {virtual_device=meta[VirtualDevice][0]}: Tensor[(4), float32],
                  virtual_device=meta[VirtualDevice][0]) -> Tensor[(4), float32] {
          %0 = nn.relu(%x);
          let %a: Tensor[(4), float32] = on_device(%0, virtual_device=meta[VirtualDevice][0], constrain_result=True);
          %a
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
          "b64ndarrays": [],
          "attrs": {"tvm_version": "0.12.0"}
        }
    """

    targets: tuple[str, ...] = option(
        default=(),
        doc="One target for each kind of device that the program uses; by default the current one, or `llvm`.",
    )

    def passes(self) -> Sequence[Pass]:
        """The two passes."""
        return [_PlanDevicesRewrite(), _PlanDevicesCore(self.targets)]


class _PlanDevicesRewrite(FunctionPass):
    declared_info = PassInfo(0, "PlanDevicesRewrite")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        return rewrite_on_devices(function)


class _PlanDevicesCore(ModulePass):
    declared_info = PassInfo(0, "PlanDevicesCore", ("InferType",))

    def __init__(self, targets: Sequence[str]) -> None:
        self._targets = targets

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        targets = [Target.parse(text) for text in self._targets] or [current_target() or Target.parse("llvm")]
        config = CompilationConfig(targets, context)
        return capture_devices(module, planned_devices(module, config))
