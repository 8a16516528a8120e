"""The kinds of targets: each with its device, the keys that rules are found under, and its attributes' defaults.

Source of the rule: ``src/target/target_kind.cc``, and ``DLDeviceType`` of DLPack for the numbers of devices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

__all__ = ["CPU", "KINDS", "TargetKind", "TargetValue", "register_target_kind"]

TargetValue: TypeAlias = "bool | int | str | tuple[str, ...]"
"""A value of a target's attribute."""

CPU: Final = 1
CUDA: Final = 2
OPENCL: Final = 4
VULKAN: Final = 7
METAL: Final = 8
ROCM: Final = 10
EXTERNAL: Final = 12
WEBGPU: Final = 15
HEXAGON: Final = 16


_COMMON: Final[Mapping[str, type]] = {
    "keys": tuple,
    "device": str,
    "model": str,
    "libs": tuple,
    "tag": str,
    "from_device": int,
    "target_device_type": int,
    "num-cores": int,
}
"""What every kind takes."""


@dataclass(frozen=True)
class TargetKind:
    """One kind: ``options`` are the attributes that it takes besides those that every kind takes, with their types;
    ``defaults`` are those that it has anyway.

    Rules for operators are found under ``keys``, the first that has one.
    """

    name: str
    device_type: int
    keys: tuple[str, ...] = ()
    options: Mapping[str, type] = field(default_factory=dict[str, type])
    defaults: Mapping[str, TargetValue] = field(default_factory=dict[str, TargetValue])

    @property
    def attributes(self) -> Mapping[str, type]:
        """All attributes that it takes, with their types."""
        return {**_COMMON, **self.options}


_LLVM: Final[Mapping[str, type]] = {
    "mattr": tuple,
    "mcpu": str,
    "mtriple": str,
    "mfloat-abi": str,
    "mabi": str,
    "opt-level": int,
    "cl-opt": tuple,
    **dict.fromkeys(
        ("fast-math", *(f"fast-math-{name}" for name in ["nnan", "ninf", "nsz", "arcp", "contract", "reassoc"])), bool
    ),
}
_GPU: Final[Mapping[str, type]] = {
    "mcpu": str,
    "arch": str,
    "mtriple": str,
    "mattr": tuple,
    "max_num_threads": int,
    "max_threads_per_block": int,
    "max_shared_memory_per_block": int,
    "max_function_args": int,
    "registers_per_block": int,
    "texture_spatial_limit": int,
    "thread_warp_size": int,
}

KINDS: Final[dict[str, TargetKind]] = {}
"""Every kind by name."""


def register_target_kind(kind: TargetKind) -> TargetKind:
    """Make a kind of target known by its name: one of the caller's own, perhaps.

    Raises:
        ValueError: another kind has the name.
    """
    if KINDS.setdefault(kind.name, kind) != kind:
        raise ValueError(f"there is a kind of target called {kind.name} already")
    return kind


def _gpu(name: str, device_type: int, **defaults: int | str) -> TargetKind:
    return TargetKind(name, device_type, (name, "gpu"), _GPU, defaults)


for _kind in (
    TargetKind("llvm", CPU, ("cpu",), _LLVM),
    TargetKind(
        "c",
        CPU,
        ("cpu",),
        {"mcpu": str, "march": str, "workspace-byte-alignment": int, "constants-byte-alignment": int},
    ),
    TargetKind("stackvm", CPU),
    TargetKind("hybrid", CPU),
    TargetKind("ext_dev", EXTERNAL),
    TargetKind("hexagon", HEXAGON, ("hexagon",), {**_LLVM, "llvm-options": tuple, "vtcm-capacity": int}),
    _gpu("cuda", CUDA, arch="sm_50", max_num_threads=1024, thread_warp_size=32),
    TargetKind(
        "nvptx",
        CUDA,
        ("cuda", "gpu"),
        _GPU,
        {"max_num_threads": 1024, "mcpu": "sm_50", "thread_warp_size": 32},
    ),
    _gpu(
        "rocm",
        ROCM,
        max_num_threads=256,
        max_threads_per_block=256,
        max_shared_memory_per_block=65536,
        thread_warp_size=64,
    ),
    _gpu("opencl", OPENCL, max_num_threads=256, texture_spatial_limit=16384, thread_warp_size=1),
    _gpu(
        "metal",
        METAL,
        max_function_args=31,
        max_num_threads=256,
        max_shared_memory_per_block=32768,
        max_threads_per_block=256,
        thread_warp_size=16,
    ),
    _gpu("vulkan", VULKAN, max_num_threads=256, max_threads_per_block=256, thread_warp_size=1),
    _gpu("webgpu", WEBGPU, max_num_threads=256),
):
    register_target_kind(_kind)
