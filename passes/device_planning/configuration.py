"""For which targets a program is compiled, and which devices follow from them.

Source of the rule: ``src/target/compilation_config.cc``, ``src/target/virtual_device.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from relay_lsp.ir.expressions import VirtualDevice

from ..infrastructure import PassContext, PassError
from ..targets import KINDS, Target
from ..targets.kinds import CPU
from .annotations import UNCONSTRAINED

__all__ = ["CompilationConfig", "default_device", "joined_devices"]

_HOSTS: Final = (CPU, 16)
"""Devices that can run a program: a CPU, and Hexagon."""


class CompilationConfig:
    """The targets for operators, the target of the host, and the devices that each stands for."""

    def __init__(self, targets: Sequence[Target], context: PassContext) -> None:
        if not targets:
            raise PassError("a target is needed, such as llvm")
        names = [target.kind.name for target in targets]
        if len(set(names)) != len(names):
            raise PassError(f"each kind of target can be given once only, not {', '.join(names)}")
        host = next((target for target in targets if target.device_type in _HOSTS), None)
        self.host_target = host or Target.of(KINDS["llvm"], {})
        self._nodes = {target.device_type: target.node(self.host_target) for target in reversed(targets)}
        # One object for each device, so that the metadata section lists it once.
        self._known: dict[VirtualDevice, VirtualDevice] = {UNCONSTRAINED: UNCONSTRAINED}
        self.host_device = VirtualDevice(self.host_target.device_type, 0, self.host_target.node())
        fallback = context.get_config("relay.fallback_device_type", 0)
        if not fallback:
            types = {target.device_type for target in targets}
            fallback = types.pop() if len(types) == 1 else CPU
        self.default_device = self.canonical(VirtualDevice(fallback, 0))

    def canonical(self, device: VirtualDevice) -> VirtualDevice:
        """``device`` with the target that its type implies; equal devices are one object.

        Raises:
            PassError: there is no target for its type.
        """
        if device.target is not None or device.device_type == -1:
            return self._known.setdefault(device, device)
        node = self._nodes.get(device.device_type)
        if node is None:
            known = ", ".join(map(str, sorted(self._nodes)))
            raise PassError(
                f"no target is given for the device type {device.device_type}; there are targets for {known}"
            )
        device = replace(device, target=node)
        return self._known.setdefault(device, device)


def joined_devices(left: VirtualDevice, right: VirtualDevice) -> VirtualDevice | None:
    """The device that agrees with both in all that they say; ``None`` where they contradict each other."""
    if left == right:
        return left
    pairs = (
        (left.device_type, right.device_type, -1),
        (left.virtual_device_id, right.virtual_device_id, -1),
        (left.target, right.target, None),
        (left.memory_scope, right.memory_scope, ""),
    )
    if any(a != b and a != free and b != free for a, b, free in pairs):
        return None
    return default_device(left, right)


def default_device(device: VirtualDevice, fallback: VirtualDevice) -> VirtualDevice:
    """``device``, with what it leaves open from ``fallback``; the target only where it suits the device's type."""
    device_type = device.device_type if device.device_type != -1 else fallback.device_type
    target = device.target
    if target is None and fallback.device_type in (-1, device_type):
        target = fallback.target
    return VirtualDevice(
        device_type,
        device.virtual_device_id if device.virtual_device_id != -1 else fallback.virtual_device_id,
        target,
        device.memory_scope or fallback.memory_scope,
    )
