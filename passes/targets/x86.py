"""What x86 processors can do, by the names that LLVM has for them.

Source of the rule: ``python/tvm/target/x86.py``.
"""

from __future__ import annotations

from typing import Final

from .target import Target

__all__ = ["has_avx512", "has_sse41", "has_sse42", "vector_lanes"]

_VNNI: Final = frozenset(
    {
        "cascadelake",
        "icelake-client",
        "icelake-server",
        "rocketlake",
        "tigerlake",
        "cooperlake",
        "sapphirerapids",
        "alderlake",
    }
)
_AVX512: Final = (_VNNI - {"alderlake"}) | {"skylake-avx512", "skx", "knl", "knm", "x86-64-v4", "cannonlake"}
_AVX2: Final = (
    _AVX512
    | _VNNI
    | {"haswell", "core-avx2", "broadwell", "skylake", "bdver4", "znver1", "znver2", "znver3", "x86-64-v3"}
)
_AVX: Final = _AVX2 | {"sandybridge", "corei7-avx", "ivybridge", "core-avx-i"}
_SSE42: Final = _AVX | {
    "silvermont",
    "slm",
    "goldmont",
    "goldmont-plus",
    "tremont",
    "nehalem",
    "corei7",
    "westmere",
    "bdver1",
    "bdver2",
    "bdver3",
    "x86-64-v2",
}
_SSE41: Final = _SSE42 | {"btver2", "penryn"}


def vector_lanes(target: Target) -> int:
    """How many 32-bit numbers a vector of the target holds."""
    cpu = target.text("mcpu")
    if cpu in _AVX512:
        return 16
    return 8 if cpu in _AVX2 else 4


def has_avx512(target: Target) -> bool:
    """Whether the target has vectors of 512 bits."""
    return target.text("mcpu") in _AVX512


def has_sse42(target: Target) -> bool:
    """Whether the target multiplies and adds up 8-bit numbers."""
    return target.text("mcpu") in _SSE42


def has_sse41(target: Target) -> bool:
    """Whether the target rounds vectors in one instruction."""
    return target.text("mcpu") in _SSE41
