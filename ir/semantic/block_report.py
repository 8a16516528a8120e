"""What there is to say about the statements of a block, as far as the whole text is asked for it at every edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from ..diagnostics import Severity
from ..syntax.cuts import Role
from .lazy_findings import counted
from .typed_statement import ReportedStatement, TypedStatement

__all__ = ["NOTHING_REPORTED", "BlockReport", "report_of"]


class BlockReport:
    """Which statements of a block are reported (:attr:`.TypedStatement.is_reported`), and what that comes to.

    The statements are counted from the beginning of the block.
    """

    __slots__ = ("at", "braces", "counts", "misread", "outer_graph", "suggested", "with_unused")

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
        self.suggested: Final = frozenset([name for state in states for name in state.suggested or ()])
        """The names that were probably meant with those that mean nothing."""
        self.outer_graph: Final[Mapping[str, int]] = {name: at for at, state in reported for name in state.outer_graph}
        """The last statement that uses each graph variable which its own function does not bind before it."""
        self.with_unused: Final = [at for at, state in reported if state.inner_unused]
        """Those that bind a value inside of them which they do not use."""


NOTHING_REPORTED: Final = BlockReport(())


def report_of(block: Sequence[TypedStatement | None]) -> BlockReport:
    """What there is to say about the statements of a block."""
    reported = [(at, state) for at, state in enumerate(block) if type(state) is ReportedStatement and state.is_reported]
    return BlockReport(reported) if reported else NOTHING_REPORTED
