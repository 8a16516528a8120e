"""The layouts that TVM's tests of ``AlterOpLayout`` register for the time of the test.

Source: ``tests/python/relay/test_pass_alter_op_layout.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final

import numpy as np

from relay_lsp import ir
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes.layout_alteration import AlteredCall, LayoutRule, register_layout_rule
from relay_lsp.passes.targets import Target, TargetKind, register_target_kind

from ..records import Record
from .legalizations import legalizing_target

__all__ = ["target_of"]

_FILE: Final = "test_pass_alter_op_layout.py::"

_TARGETS: Final[Mapping[str, str]] = {
    "test_alter_layout_depthwise_conv2d": "llvm -mcpu=core-avx2",
    "test_alter_op_dense": "llvm -mcpu=core-avx2",
    "test_alter_op_dense_packed_data": "llvm -mcpu=core-avx2",
    "test_alter_layout_nhwc_arm": "llvm -device=arm_cpu",
}
"""The tests that ask a target of TVM's."""

_SIXTEEN: Final = {"data_layout": "NCHW16c"}
_BLOCKS: Final = {"data_layout": "NCHW4c", "kernel_layout": "OIHW4i4o"}
_LAYOUTS: Final[Mapping[str, Mapping[str, str]]] = {
    "test_alter_layout": {**_SIXTEEN, "kernel_layout": "OIHW16i"},
    "test_alter_layout_blocked_broadcast": _BLOCKS,
    "test_alter_layout_blocked_no_broadcast": _BLOCKS,
    "test_alter_layout_broadcast_op": _SIXTEEN,
    "test_alter_layout_broadcast_scalar_op": _SIXTEEN,
    "test_alter_layout_concatenate": _SIXTEEN,
    "test_alter_layout_dual_path": _SIXTEEN,
    "test_alter_layout_lrn": {**_SIXTEEN, "kernel_layout": "OIHW16i"},
    "test_alter_layout_multi": {**_SIXTEEN, "kernel_layout": "OHWI16i64o2i"},
    "test_alter_layout_nchw_dyn_upsamping_op": _SIXTEEN,
    "test_alter_layout_nchw_upsamping_op": _SIXTEEN,
    "test_alter_layout_nonscalar_broadcast": _BLOCKS,
    "test_alter_layout_pad": _SIXTEEN,
    "test_alter_layout_pool": _SIXTEEN,
    "test_alter_layout_prelu": _SIXTEEN,
    "test_alter_layout_re_blocking_broadcast": {"data_layout": "NCHW2c", "kernel_layout": "OIHW2i2o"},
    "test_alter_layout_resnet": _SIXTEEN,
    "test_alter_layout_scalar": _SIXTEEN,
    "test_alter_layout_scalar_regression": _SIXTEEN,
    "test_alter_layout_strided_slice": {"data_layout": "NCHW4c"},
    "test_alter_layout_strided_slice_axes_nhwc": {"data_layout": "NHWC4c"},
    "test_alter_layout_sum": _SIXTEEN,
    "test_conv2d_strided_slice_arbitrary_stride": {"data_layout": "NCHW3c"},
    "test_conv2d_strided_slice_packed_to_unpacked": {"data_layout": "NCHW", "kernel_layout": "OIHW"},
    "test_not_inplace_modify": {**_SIXTEEN, "kernel_layout": "OIHW16i"},
}
"""The attributes that a test gives ``nn.conv2d``."""


def target_of(record: Record) -> AbstractContextManager[object]:
    """The target under which the record was made, with the rules of its test."""
    if "target" in record:
        return Target.parse(record["target"])
    legalizing = legalizing_target(str(record["origin"]))
    if legalizing is not None:
        return legalizing
    file, _, test = str(record["origin"]).rpartition("::")
    if f"{file}::" != _FILE:
        return nullcontext()
    if test in _TARGETS:
        return Target.parse(_TARGETS[test])
    name = test.replace("_", "-")
    if test in _LAYOUTS:
        return _registered(name, _with_attributes(_LAYOUTS[test]))
    if test in ("test_alter_op", "test_alter_op_with_global_var"):
        return _registered(name, _doubled)
    return nullcontext()


def _registered(name: str, rule: LayoutRule) -> Target:
    register_target_kind(TargetKind(name, 1, (name,)))
    register_layout_rule("nn.conv2d", name, rule)
    return Target.parse(name)


def _with_attributes(given: Mapping[str, str]) -> LayoutRule:
    def rule(call: AlteredCall) -> ir.Call:
        return ir.Call(call.place.op, call.args, call.attrs.replace(**given))

    return rule


def _doubled(call: AlteredCall) -> ir.Call:
    data, weight = call.args
    two = ir.Constant(np.array(2.0, "float32"))
    return ir.Call(call.place.op, (data, apply("multiply", weight, two)), call.attrs)
