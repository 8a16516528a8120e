"""``MemoryPlan``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, declare_pass
from .regions import plan_regions


@declare_pass(opt_level=0)
class MemoryPlan(FunctionPass):
    """Put the storages of a scope into one each dtype, where every tensor has its place at an offset.

    A scope is a function, or the branch of a condition; one begins also where a size is not known, or where storage is
    on another device than before. The places do not overlap, also not in time. It comes after ``ManifestAlloc``.

    No build of TVM v0.12.0 runs it, and it fails there on any allocation: it asks ``memory.alloc_storage`` for
    attributes that have become ``virtual_device``. Here it reads that one, looks through ``on_device``, computes with
    sizes that are known at once, and plans the branches of conditions that are bound by ``let`` as well.

    Source of the rule: ``StorageCoalesce`` in ``python/tvm/relay/transform/memory_plan.py``.

    Before::

        extern type Storage

        def @main() {
          let %s = memory.alloc_storage(16i64, 64i64, virtual_device=meta[VirtualDevice][0]);
          let %a = memory.alloc_tensor(%s, 0i64, meta[relay.Constant][0], const_shape=meta[relay.Constant][0],
              assert_shape=[4]);
          let %t = memory.alloc_storage(80i64, 64i64, virtual_device=meta[VirtualDevice][0]);
          let %b = memory.alloc_tensor(%t, 0i64, meta[relay.Constant][1], const_shape=meta[relay.Constant][1],
              assert_shape=[20]);
          (%a, %b)
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.Constant", "VirtualDevice"], "data": [2, 5]},
            {"type_key": "Array", "data": [3, 4]},
            {"type_key": "relay.Constant", "attrs": {"_checked_type_": "0", "data": "0", "span": "0",
             "virtual_device_": "0"}},
            {"type_key": "relay.Constant", "attrs": {"_checked_type_": "0", "data": "1", "span": "0",
             "virtual_device_": "0"}},
            {"type_key": "Array", "data": [6]},
            {"type_key": "VirtualDevice",
             "attrs": {"device_type_int": "1", "memory_scope": "7", "target": "0", "virtual_device_id": "0"}},
            {"type_key": "runtime.String"}
          ],
          "b64ndarrays": [
            "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAABAAQABAAAAAAAAAAgAAAAAAAAABAAAAAAAAAA=",
            "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAABAAQABAAAAAAAAAAgAAAAAAAAAFAAAAAAAAAA="
          ],
          "attrs": {"tvm_version": "0.12.0"}
        }

    After::

        extern type Storage

        def @main() {
          let %total_size = 192i64;
          let %region0 = memory.alloc_storage(%total_size, 64i64, virtual_device=meta[VirtualDevice][0]);
          let %offset0 = 0i64;
          let %offset1 = 64i64;
          let %s = %region0;
          let %a = memory.alloc_tensor(%region0, %offset0, meta[relay.Constant][0], const_shape=meta[relay.Constant][0],
              assert_shape=[4]);
          let %t = %region0;
          let %b = memory.alloc_tensor(%region0, %offset1, meta[relay.Constant][1], const_shape=meta[relay.Constant][1],
              assert_shape=[20]);
          (%a, %b)
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.Constant", "VirtualDevice"], "data": [2, 5]},
            {"type_key": "Array", "data": [3, 4]},
            {"type_key": "relay.Constant", "attrs": {"_checked_type_": "0", "data": "0", "span": "0",
             "virtual_device_": "0"}},
            {"type_key": "relay.Constant", "attrs": {"_checked_type_": "0", "data": "1", "span": "0",
             "virtual_device_": "0"}},
            {"type_key": "Array", "data": [6]},
            {"type_key": "VirtualDevice",
             "attrs": {"device_type_int": "1", "memory_scope": "7", "target": "0", "virtual_device_id": "0"}},
            {"type_key": "runtime.String"}
          ],
          "b64ndarrays": [
            "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAABAAQABAAAAAAAAAAgAAAAAAAAABAAAAAAAAAA=",
            "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAABAAQABAAAAAAAAAAgAAAAAAAAAFAAAAAAAAAA="
          ],
          "attrs": {"tvm_version": "0.12.0"}
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with one storage for each scope and dtype.

        Raises:
            PassError: a tensor has an offset already.
        """
        return plan_regions(function)
