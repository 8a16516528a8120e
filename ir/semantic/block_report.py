"""What there is to say about the statements of a block, as far as the whole text is asked for it at every edit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from ..diagnostics import Severity
from ..syntax.cuts import Role
from ..syntax.suggestions import closest
from .lazy_findings import counted
from .typed_statement import ReportedStatement, TypedStatement

__all__ = ["NOTHING_REPORTED", "BlockReport", "report_of"]


_WORD: Final = re.compile(r"\w[\w.]*")


class BlockReport:
    """Which statements of a block are reported (:attr:`.TypedStatement.is_reported`), and what that comes to.

    The statements are counted from the beginning of the block.
    """

    __slots__ = (
        "_at_fault",
        "_unresolved",
        "_words",
        "at",
        "braces",
        "calling",
        "counts",
        "misread",
        "outer",
        "outer_graph",
        "suggested",
        "undefined",
        "used_beside_undefined",
        "with_unused",
    )

    def __init__(self, reported: Sequence[tuple[int, ReportedStatement]]) -> None:
        states = [state for _, state in reported]
        self.at: Final = [at for at, _ in reported]
        self.counts: Final[Mapping[Severity, int]] = Counter(
            [finding.severity for state in states for finding in counted(state.diagnostics)]
        )
        """How many findings of each severity there are."""
        self.misread: Final = [at for at, state in reported if state.is_misread]
        """Those whose syntax is at fault."""
        self.braces: Final = [at for at, state in reported if state.segment.role is Role.EXTRA_CLOSE]
        """Those of them that are braces which close nothing."""
        self.undefined: Final = {at: state.uses for at, state in reported if state.suggested is not None}
        """Those that use names which mean nothing, and all names that each of them uses."""
        self.used_beside_undefined: Final = frozenset([name for uses in self.undefined.values() for name in uses])
        """All these names."""
        self.suggested: Final = frozenset([name for state in states for name in state.suggested or ()])
        """The names that were probably meant with those that mean nothing."""
        self.calling: Final = [at for at, state in reported if state.calls]
        """Those that name functions of the module."""
        self.outer: Final = [at for at, state in reported if state.outer_graph]
        """Those that use graph variables which their own function does not bind before them."""
        self.outer_graph: Final[Mapping[str, int]] = {name: at for at, state in reported for name in state.outer_graph}
        """The last of them that uses each of these variables."""
        self.with_unused: Final = [at for at, state in reported if state.inner_unused]
        """Those that bind a value inside of them which they do not use."""
        self._at_fault: Final = [state for state in states if state.lowered.diagnostics]
        self._words: frozenset[str] | None = None
        self._unresolved: Collection[str] = ()

    def may_be_explained_by(self, names: Collection[str]) -> bool:
        """Whether words at fault may be right, or another word be meant, where some names of the module change."""
        if self._words is None:
            self._unresolved = {
                state.segment.tokens[1][token]
                for state in self._at_fault
                for _, token in state.lowered.lowering.unresolved
            }
            self._words = frozenset([word for state in self._at_fault for word in _WORD.findall(state.segment.text)])
        return not self._words.isdisjoint(names) or any(closest(word, names) for word in self._unresolved)


NOTHING_REPORTED: Final = BlockReport(())


def report_of(block: Sequence[TypedStatement | None]) -> BlockReport:
    """What there is to say about the statements of a block."""
    reported = [(at, state) for at, state in enumerate(block) if type(state) is ReportedStatement and state.is_reported]
    return BlockReport(reported) if reported else NOTHING_REPORTED
