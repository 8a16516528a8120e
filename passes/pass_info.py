"""What is known about a pass without running it.

Source of the rule: ``include/tvm/ir/transform.h`` (``PassInfoNode``).
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
        required = ", ".join(self.required)
        return f"pass name: {self.name}, opt_level: {self.opt_level}, required passes: [{required}]"
