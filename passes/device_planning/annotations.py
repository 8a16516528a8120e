"""``on_device`` and ``device_copy``: the calls that say where a value lies, or bring it elsewhere.

Source of the rule: ``src/relay/op/memory/on_device.h``, ``on_device.cc``, ``device_copy.cc``.
"""

from __future__ import annotations

from typing import Final

from relay_lsp.ir.expressions import Call, Constructor, Expr, Function, GlobalVar, Var, VirtualDevice
from relay_lsp.ir.ops.application import apply, is_call_to
from relay_lsp.ir.ops.device import DeviceCopyAttrs, OnDeviceAttrs
from relay_lsp.ir.ops.operator import Op

from ..infrastructure import PassError

__all__ = [
    "UNCONSTRAINED",
    "device_copy",
    "device_copy_attrs",
    "device_copy_parts",
    "ignoring_on_device",
    "is_fixed",
    "is_normal",
    "on_device",
    "on_device_attrs",
]

UNCONSTRAINED: Final = VirtualDevice()
"""Any device."""

_WITHOUT_ANNOTATION: Final = (Op, Constructor, GlobalVar, Var, Function)
"""What lies on any device, or on the one that its binding says."""


def on_device_attrs(expr: Expr) -> OnDeviceAttrs | None:
    """The attributes of a call of ``on_device``; ``None`` where ``expr`` is none."""
    if not isinstance(expr, Call) or not is_call_to(expr, "on_device"):
        return None
    return expr.attrs if isinstance(expr.attrs, OnDeviceAttrs) else OnDeviceAttrs()


def device_copy_attrs(expr: Expr) -> DeviceCopyAttrs | None:
    """The attributes of a call of ``device_copy``; ``None`` where ``expr`` is none."""
    if not isinstance(expr, Call) or not is_call_to(expr, "device_copy"):
        return None
    return expr.attrs if isinstance(expr.attrs, DeviceCopyAttrs) else None


def device_copy_parts(expr: Expr) -> tuple[Expr, VirtualDevice, VirtualDevice] | None:
    """What a call of ``device_copy`` copies, from where and to where; a copy of a copy is one."""
    attrs = device_copy_attrs(expr)
    if attrs is None:
        return None
    body, source = expr, attrs.src_virtual_device
    while (inner := device_copy_attrs(body)) is not None and isinstance(body, Call):
        source = inner.src_virtual_device
        body = body.args[0]
    return body, source, attrs.dst_virtual_device


def ignoring_on_device(expr: Expr) -> Expr:
    """``expr`` without an ``on_device`` around it."""
    return expr.args[0] if isinstance(expr, Call) and is_call_to(expr, "on_device") else expr


def is_fixed(attrs: OnDeviceAttrs) -> bool:
    """Whether both the body and what is around the call are to lie on the device."""
    return attrs.constrain_result and attrs.constrain_body


def is_normal(attrs: OnDeviceAttrs) -> bool:
    """Whether the body is to lie on the device, and what is around the call may lie elsewhere."""
    return attrs.constrain_body and not attrs.constrain_result


def on_device(body: Expr, device: VirtualDevice) -> Expr:
    """``body`` fixed to ``device``, where that does not follow from what ``body`` is (``MaybeOnDeviceFixed``).

    Raises:
        PassError: ``body`` is fixed to another device already.
    """
    if device == UNCONSTRAINED or isinstance(body, _WITHOUT_ANNOTATION):
        return body
    inner = on_device_attrs(body)
    if inner is None:
        return _fixed(body, device)
    if (inner.constrain_body or inner.constrain_result) and inner.virtual_device != device:
        raise PassError("nested on_device calls ask for different devices", place=body)
    body = ignoring_on_device(body)
    return apply("on_device", body, virtual_device=device, constrain_result=True, constrain_body=inner.constrain_body)


def _fixed(body: Expr, device: VirtualDevice) -> Call:
    return apply("on_device", body, virtual_device=device, constrain_result=True, constrain_body=True)


def device_copy(body: Expr, source: VirtualDevice, target: VirtualDevice) -> Call:
    """``body``, which lies on ``source``, on ``target``."""
    return apply("device_copy", body, src_virtual_device=source, dst_virtual_device=target)
