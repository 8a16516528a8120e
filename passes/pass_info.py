"""What is known about a pass without running it.

Source of the rule: ``include/tvm/ir/transform.h`` (``PassInfoNode``); of its text ``src/ir/transform.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PassInfo"]


@dataclass(frozen=True, slots=True)
class PassInfo:
    """The level from which a pass runs, its name, and the names of the passes that must hold before it."""

    opt_level: int
    name: str
    required: tuple[str, ...] = ()

    def __str__(self) -> str:
        required = "".join(f"{name}, " for name in self.required)
        names = f"[\n{required}]" if required else "[]"
        return (
            f"The meta data of the pass - pass name: {self.name}, opt_level: {self.opt_level}, "
            f"required passes: {names}\n"
        )
