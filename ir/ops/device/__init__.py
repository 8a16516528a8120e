"""Where values live: annotations and copies between devices.

Source of the rule: ``src/relay/op/memory/on_device.cc``, ``src/relay/op/memory/device_copy.cc``.
"""

from __future__ import annotations

from ...attributes import Attrs, attribute, attributes
from ...expressions import VirtualDevice
from ..identity import identity_kernel, identity_relation
from ..layout_inference import elementwise_layout
from ..operator import Argument, Op, OpPattern, register

__all__ = ["DeviceCopyAttrs", "OnDeviceAttrs"]


@attributes("relay.attrs.OnDeviceAttrs")
class OnDeviceAttrs(Attrs):
    """Attributes of ``on_device``."""

    virtual_device: VirtualDevice = attribute(default=VirtualDevice(), doc="The device that is asked for.")
    constrain_result: bool = attribute(default=False, doc="Whether the value of the whole call must live there.")
    constrain_body: bool = attribute(default=True, doc="Whether the value of `body` must live there.")


@attributes("relay.attrs.DeviceCopyAttrs")
class DeviceCopyAttrs(Attrs):
    """Attributes of ``device_copy``."""

    src_virtual_device: VirtualDevice = attribute(doc="Where the value comes from.")
    dst_virtual_device: VirtualDevice = attribute(doc="Where the value goes.")


register(
    Op(
        "on_device",
        doc="Ask that an expression be evaluated on a device. The value is `body`.",
        arguments=(Argument("body", "The expression; any type.", "Expr"),),
        attrs=OnDeviceAttrs,
        relation=identity_relation,
        pattern=OpPattern.OPAQUE,
        kernel=identity_kernel,
        infer_layout=elementwise_layout,
        level=10,
        non_computational=True,
    )
)

register(
    Op(
        "device_copy",
        doc="Copy a value from one device to another. The value is `data`.",
        arguments=(Argument("data", "The value; any type."),),
        attrs=DeviceCopyAttrs,
        relation=identity_relation,
        pattern=OpPattern.OPAQUE,
        kernel=identity_kernel,
        infer_layout=elementwise_layout,
        level=10,
    )
)
