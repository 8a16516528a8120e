"""``Target``: a kind with attributes, written as TVM writes it: ``llvm -mcpu=skylake-avx512``.

Source of the rule: ``TargetInternal::FromRawString`` and ``FromConfig`` in ``src/target/target.cc``,
``src/target/parsers/aprofile.cc``, ``src/target/tag.cc``, ``arm_cpu`` in ``python/tvm/target/target.py``.
"""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import TracebackType
from typing import Final

from relay_lsp.ir.metadata.objects import MetadataNode, SharedString

from ..infrastructure.errors import PassError, did_you_mean
from .kinds import KINDS, TargetKind, TargetValue
from .processors import is_processor, known_processors

__all__ = ["Target", "TargetError", "current_target"]

_ALIASES: Final[Mapping[str, str]] = {"arm_cpu": "llvm -keys=arm_cpu,cpu -device=arm_cpu", "cpu": "llvm"}
"""Names that stand for a target, as TVM's functions ``tvm.target.arm_cpu()`` do."""

_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")


class TargetError(PassError):
    """An unknown target, or an attribute that its kind does not take."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="unknown-target")


@dataclass(frozen=True)
class Target:
    """What code is made for. Inside ``with target:`` it is the current one, which layouts and rules follow."""

    kind: TargetKind
    keys: tuple[str, ...]
    attributes: Mapping[str, TargetValue] = field(default_factory=dict[str, TargetValue], hash=False)
    features: Mapping[str, bool] = field(default_factory=dict[str, bool], hash=False)

    @staticmethod
    def parse(text: str) -> Target:
        """The target that ``text`` names: a kind and its attributes, ``-name=value`` each.

        Raises:
            TargetError: a quote is not closed, there is no such kind, an attribute is not one of its, a value is of the
                wrong type, or no processor has the name that is given as ``mcpu``.
        """
        try:
            name, *options = shlex.split(text) or [""]
        except ValueError:
            raise TargetError(f"a quote in the target {text!r} is not closed") from None
        if name in _ALIASES:
            name, *first = shlex.split(_ALIASES[name])
            options = [*first, *options]
        kind = KINDS.get(name)
        if kind is None:
            known = ", ".join(sorted({*KINDS, *_ALIASES}))
            hint = did_you_mean(name, KINDS) or f"; there are {known}"
            raise TargetError(f"there is no target {name!r}{hint}")
        attributes = dict(kind.defaults)
        for option in options:
            key, value = _option(kind, option)
            attributes[key] = value
        return Target.of(kind, attributes)

    @staticmethod
    def of(kind: TargetKind, attributes: Mapping[str, TargetValue]) -> Target:
        """The target of a kind with these attributes, and the keys that follow from them."""
        rest = dict(attributes)
        given = rest.pop("keys", ())
        keys = list(given) if isinstance(given, tuple) else []
        device = rest.get("device")
        if isinstance(device, str):
            keys.append(device)
        keys += kind.keys
        features: dict[str, bool] = {}
        if kind.name in ("llvm", "c"):
            features = _arm_features(rest)
            keys += ("arm_cpu", "cpu") if features else ()
        return Target(kind, tuple(dict.fromkeys(keys)), dict(sorted(rest.items())), features)

    @property
    def device_type(self) -> int:
        """The number of the device, as DLPack counts them."""
        return self.kind.device_type

    def text(self, name: str) -> str:
        """An attribute that is a string; empty where it is not given."""
        value = self.attributes.get(name, "")
        return value if isinstance(value, str) else ""

    def node(self, host: Target | None = None) -> MetadataNode:
        """The target as a node of a metadata section, with the target of the host that runs the program."""
        shared = {str(key): key for key in _shared_keys(self.kind.keys)}
        return MetadataNode(
            "Target",
            fields={
                "kind": _kind_node(self.kind.name, self.kind.device_type, self.kind.keys),
                "tag": "",
                "keys": tuple(shared.get(key, key) for key in self.keys),
                "attrs": dict(self.attributes),
                "features": dict(self.features),
                "host": host.node() if host is not None else None,
            },
        )

    def __enter__(self) -> Target:
        _entered.targets.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _entered.targets.pop()

    def __str__(self) -> str:
        parts = [self.kind.name]
        if self.keys:
            parts.append(f"-keys={','.join(self.keys)}")
        parts += [f"-{name}={_written(value)}" for name, value in self.attributes.items()]
        return " ".join(parts)


class _Entered(threading.local):
    """The targets that a thread is inside of, outermost first."""

    def __init__(self) -> None:
        self.targets: list[Target] = []


_entered = _Entered()


def current_target() -> Target | None:
    """The innermost target that this thread is inside of; ``None`` outside of any."""
    return _entered.targets[-1] if _entered.targets else None


@cache
def _kind_node(name: str, device_type: int, keys: tuple[str, ...]) -> MetadataNode:
    """One node for each kind, which all targets of it share, and with it the strings of its keys."""
    return MetadataNode(
        "TargetKind",
        fields={
            "name": SharedString(name),
            "default_device_type": device_type,
            "default_keys": _shared_keys(keys),
        },
    )


@cache
def _shared_keys(keys: tuple[str, ...]) -> tuple[SharedString, ...]:
    return tuple(map(SharedString, keys))


def _written(value: TargetValue) -> str:
    if isinstance(value, bool):
        return str(int(value))
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    return shlex.quote(text) if text else ""


def _option(kind: TargetKind, option: str) -> tuple[str, TargetValue]:
    name, equals, text = option.lstrip("-").partition("=")
    if not option.startswith("-"):
        raise TargetError(f"an attribute of a target is written -name=value, not {option!r}")
    wanted = kind.attributes.get(name)
    if wanted is None:
        hint = did_you_mean(name, kind.attributes) or f"; it takes {', '.join(sorted(kind.attributes))}"
        raise TargetError(f"the target {kind.name} has no attribute {name!r}{hint}")
    if wanted is tuple:
        return name, tuple(part for part in text.split(",") if part)
    if wanted is bool and not equals:
        return name, True
    if wanted in (bool, int):
        if _INTEGER.fullmatch(text) is None:
            raise TargetError(f"attribute {name} of the target {kind.name} takes a number, not {text!r}")
        return name, bool(int(text)) if wanted is bool else int(text)
    if name == "mcpu" and not is_processor(text):
        hint = did_you_mean(text, known_processors()) or "; write it as LLVM does, such as core-avx2"
        raise TargetError(f"no processor is called {text!r}{hint} (register_processor makes a newer one known)")
    return name, text


def _arm_features(attributes: Mapping[str, TargetValue]) -> dict[str, bool]:
    """What an Arm processor of the A profile can do; nothing for others."""
    triple, cpu = str(attributes.get("mtriple", "")), str(attributes.get("mcpu", ""))
    is_aarch64 = triple.startswith("aarch64")
    if not is_aarch64 and (not triple.startswith("arm") or cpu.startswith("cortex-m")):
        return {}
    given = attributes.get("mattr", ())
    flags = given if isinstance(given, tuple) else ()

    def has(flag: str) -> bool:
        return flag in cpu or any(flag in each for each in flags)

    version = next((_number(each[2:-1]) for each in flags if each.startswith("+v") and each.endswith("a")), 0.0)
    has_i8mm = (version >= 8.6 and not has("+noi8mm")) or (8.2 <= version <= 8.5 and has("+i8mm"))
    has_dotprod = (version >= 8.4 and not has("+nodotprod")) or (8.2 <= version <= 8.3 and has("+dotprod"))
    return {
        "is_aarch64": is_aarch64,
        "has_asimd": is_aarch64 or has("+neon") or has("+simd"),
        "has_dotprod": has_dotprod,
        "has_matmul_i8": has_i8mm,
    }


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
