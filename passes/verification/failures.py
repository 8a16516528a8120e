"""How passes can go wrong on a module, as a user names it: ``raises``, ``breaks typing``, ``takes longer than 2 s``."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from relay_lsp.ir.module import IRModule

from ..infrastructure import BrokenModuleError, Pass
from ..instruments import faults
from .bisecting import check

__all__ = ["CONDITIONS", "FailureCondition"]

CONDITIONS: Final = 'raises, raises "part of the message", breaks typing, changes the result, takes longer than SECONDS'
"""What :meth:`FailureCondition.parse` reads."""

_SLOW: Final = re.compile(r"(?:takes longer than|slower than)\s+([\d.]+)\s*(ms|s)?(?:econds?)?")
_RAISES: Final = re.compile(r"raises\s*:?\s*(?P<quote>[\"']?)(?P<text>.*)(?P=quote)", re.DOTALL)
_VARIABLE: Final = re.compile(r"%[\w.]+|@[\w.]+|\d+|0x[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class FailureCondition:
    """One way to go wrong. ``text`` is part of a message, ``seconds`` how long is too long."""

    kind: str
    text: str = ""
    seconds: float = 0.0

    @staticmethod
    def parse(words: str) -> FailureCondition:
        """The condition that a user writes, one of :data:`CONDITIONS`.

        Raises:
            ValueError: it is none of them.
        """
        stripped = words.strip()
        if stripped in ("breaks typing", "changes the result"):
            return FailureCondition(stripped)
        slow = _SLOW.fullmatch(stripped)
        if slow is not None:
            return FailureCondition("takes longer", seconds=float(slow[1]) * (1e-3 if slow[2] == "ms" else 1))
        raises = _RAISES.fullmatch(stripped)
        if raises is not None and not raises["text"].startswith(('"', "'")):
            return FailureCondition("raises", raises["text"])
        raise ValueError(f"{words!r} is no condition; there are: {CONDITIONS}")

    def signature(self, module: IRModule, passes: Sequence[Pass]) -> str | None:
        """What goes wrong, in words that do not depend on names and numbers; ``None`` where nothing of this kind does.

        Two modules with one signature fail in the same way. Whatever a pass raises is taken for its failure.
        """
        if self.kind == "changes the result":
            culprit = check(module, passes).culprit
            return self.kind if culprit is not None and culprit.kind == self.kind else None
        started = time.perf_counter()
        try:
            for each in passes:
                module = each(module)
        except Exception as error:
            breaks_typing = isinstance(error, BrokenModuleError)
            if breaks_typing != (self.kind == "breaks typing") or self.kind == "takes longer":
                return None
            message = str(error)
            return f"{type(error).__name__}: {_VARIABLE.sub('_', message)}" if self.text in message else None
        if self.kind == "takes longer":
            return self.kind if time.perf_counter() - started > self.seconds else None
        if self.kind == "breaks typing" and (errors := faults(module)):
            return _VARIABLE.sub("_", errors[0].message)
        return None
