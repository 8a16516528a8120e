"""``ManifestAlloc``."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Function, VirtualDevice
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.syntax import parse

from ..infrastructure import (
    FunctionPass,
    ModulePass,
    Pass,
    PassContext,
    PassInfo,
    Pipeline,
    create,
    declare_pass,
    option,
)
from ..targets import Target
from .allocation import manifest_allocations

_STORAGE = "extern type Storage"


@declare_pass(opt_level=0)
class ManifestAlloc(Pipeline):
    """Allocate the results of fused functions before they are called, and call them by ``vm.invoke_tvm_op``.

    The functions must be in A-normal form, and their devices planned. In TVM this comes after operators are lowered to
    kernels, which have no text in Relay; here it takes the fused functions themselves. Shapes must be known: where they
    are not, TVM calls shape functions, which come of lowering.

    Source of the rule: ``src/relay/transforms/memory_alloc.cc``.

    Before::

        def @main(%x {virtual_device=meta[VirtualDevice][0]}: Tensor[(4), float32],
            virtual_device=meta[VirtualDevice][0]) -> Tensor[(4), float32] {
          let %f: fn (Tensor[(4), float32]) -> Tensor[(4), float32] = fn (%y: Tensor[(4), float32],
              Primitive=1) -> Tensor[(4), float32] {
            nn.relu(%y)
          };
          %0 = %f(%x);
          let %a: Tensor[(4), float32] = on_device(%0, virtual_device=meta[VirtualDevice][0],
              constrain_result=True);
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
          "b64ndarrays": [
          ],
          "attrs": {"tvm_version": "0.12.0"}
        }

    After::

        extern type Storage

        def @main(%x {virtual_device=meta[VirtualDevice][0]}: Tensor[(4), float32],
            virtual_device=meta[VirtualDevice][0]) -> Tensor[(4), float32] {
          let %f: fn (Tensor[(4), float32]) -> Tensor[(4), float32] = fn (%y: Tensor[(4), float32],
              Primitive=1) -> Tensor[(4), float32] {
            nn.relu(%y)
          };
          %0 = on_device(16i64, virtual_device=meta[VirtualDevice][1], constrain_result=True);
          %1 = memory.alloc_storage(%0, 64i64, virtual_device=meta[VirtualDevice][0]);
          let %storage_0: Storage[] = on_device(%1, virtual_device=meta[VirtualDevice][0], constrain_result=True);
          %2 = on_device(0i64, virtual_device=meta[VirtualDevice][1], constrain_result=True);
          %3 = on_device(meta[relay.Constant][0], virtual_device=meta[VirtualDevice][1], constrain_result=True);
          %4 = memory.alloc_tensor(%storage_0, %2, %3, const_shape=meta[relay.Constant][1], assert_shape=[4]);
          let %tensor_0: Tensor[(4), float32] = on_device(%4, virtual_device=meta[VirtualDevice][0],
              constrain_result=True);
          %5 = (%x,);
          %6 = (%tensor_0,);
          %7 = vm.invoke_tvm_op(%f, %5, %6);
          let %x1: () = on_device(%7, virtual_device=meta[VirtualDevice][0], constrain_result=True);
          let %a: Tensor[(4), float32] = %tensor_0;
          %a
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.Constant", "VirtualDevice"], "data": [2, 10]},
            {"type_key": "Array", "data": [3, 9]},
            {"type_key": "relay.Constant",
             "attrs": {"_checked_type_": "6", "data": "0", "span": "0", "virtual_device_": "4"}},
            {"type_key": "VirtualDevice",
             "attrs": {"device_type_int": "-1", "memory_scope": "5", "target": "0", "virtual_device_id": "-1"}},
            {"type_key": "runtime.String"},
            {"type_key": "relay.TensorType", "attrs": {"dtype": "int64", "shape": "7", "span": "0"}},
            {"type_key": "Array", "data": [8]},
            {"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "0", "value": "1"}},
            {"type_key": "relay.Constant",
             "attrs": {"_checked_type_": "0", "data": "0", "span": "0", "virtual_device_": "4"}},
            {"type_key": "Array", "data": [11, 27]},
            {"type_key": "VirtualDevice",
             "attrs": {"device_type_int": "1", "memory_scope": "26", "target": "12", "virtual_device_id": "0"}},
            {"type_key": "Target",
             "attrs": {"attrs": "19", "features": "20", "host": "21", "keys": "18", "kind": "13", "tag": "17"}},
            {"type_key": "TargetKind", "attrs": {"default_device_type": "1", "default_keys": "15", "name": "14"}},
            {"type_key": "runtime.String", "repr_str": "llvm"},
            {"type_key": "Array", "data": [16]},
            {"type_key": "runtime.String", "repr_str": "cpu"},
            {"type_key": "runtime.String"},
            {"type_key": "Array", "data": [16]},
            {"type_key": "Map"},
            {"type_key": "Map"},
            {"type_key": "Target",
             "attrs": {"attrs": "24", "features": "25", "host": "0", "keys": "23", "kind": "13", "tag": "22"}},
            {"type_key": "runtime.String"},
            {"type_key": "Array", "data": [16]},
            {"type_key": "Map"},
            {"type_key": "Map"},
            {"type_key": "runtime.String"},
            {"type_key": "VirtualDevice",
             "attrs": {"device_type_int": "1", "memory_scope": "33", "target": "28", "virtual_device_id": "0"}},
            {"type_key": "Target",
             "attrs": {"attrs": "31", "features": "32", "host": "0", "keys": "30", "kind": "13", "tag": "29"}},
            {"type_key": "runtime.String"},
            {"type_key": "Array", "data": [16]},
            {"type_key": "Map"},
            {"type_key": "Map"},
            {"type_key": "runtime.String"}
          ],
          "b64ndarrays": [
            "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAABAAQABAAAAAAAAAAgAAAAAAAAABAAAAAAAAAA="
          ],
          "attrs": {"tvm_version": "0.12.0"}
        }
    """

    host: str = option(default="llvm", doc="The target of the host, where sizes and shapes lie.")

    def passes(self) -> Sequence[Pass]:
        """The passes of TVM's pipeline."""
        infer = create("InferType")
        return [_ManifestAllocImportStorage(), infer, _ManifestAllocImpl(Target.parse(self.host)), infer]


class _ManifestAllocImportStorage(ModulePass):
    declared_info = PassInfo(0, "ManifestAllocImportStorage")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        if any(var.name == "Storage" for var in module.type_definitions):
            return module
        storage = parse(_STORAGE).module.type_definitions
        return IRModule(module.functions, {**module.type_definitions, **storage}, module.attrs)


class _ManifestAllocImpl(FunctionPass):
    declared_info = PassInfo(0, "ManifestAllocImpl")

    def __init__(self, host: Target) -> None:
        self._host = VirtualDevice(host.device_type, 0, host.node())

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        return manifest_allocations(function, self._host)
