"""The servers whose answers are measured: ours, and a peer beside us on texts that ask as much of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ..client import Client
from ..inputs import chain, shared_value
from .profiles import Profiles

__all__ = ["RELAY", "Dialect", "Target", "ours"]


@dataclass(frozen=True)
class Dialect:
    """What long texts of a language look like, one statement to a line, so that the same edits can be made in each."""

    chain: Callable[[int], str]
    """A text of so many statements, each of which uses the one before it."""
    shared_value: Callable[[int], str]
    """A text in which the value on line 2 is used so often."""
    first_line: int
    """The line of a chain's statement number 0."""
    period: int
    """After so many statements a chain repeats itself."""
    position: int
    """The statement in each period that :attr:`operation` looks like."""
    operator: str
    """An operator of one operand; of two, where ``operation`` has it twice."""
    operation: str
    """What a statement looks like with ``{number}``, ``{operator}`` and ``{operand}``, without its end."""
    end: str
    """How a statement ends, line end included."""
    parameter: str
    """The function's first parameter."""
    opened_comment: str | None
    """What opens a comment of many lines, if there is one."""

    def middle(self, size: int) -> int:
        """The number of a statement in the middle of a chain that is an ``operation``."""
        return size // 2 // self.period * self.period + self.position

    def line(self, number: int) -> int:
        """The line of a statement of a chain."""
        return self.first_line + number

    def statement(self, number: int, operand: str) -> str:
        """A statement with its line end."""
        return self._operation(number, operand) + self.end

    def operation_end(self, number: int) -> int:
        """Where on its line an ``operation`` of a chain ends."""
        return len(self._operation(number, f"%{number - 1}"))

    def operator_end(self, number: int) -> int:
        """Where on its line the operator of a chain's ``operation`` ends."""
        return self.operation.format(number=number, operator=self.operator, operand="\n").index(self.operator) + len(
            self.operator
        )

    def operand(self, number: int) -> int:
        """A place in the operand of a chain's ``operation``."""
        return self.operation.format(number=number, operator=self.operator, operand="\n").index("\n") + 1

    def _operation(self, number: int, operand: str) -> str:
        return self.operation.format(number=number, operator=self.operator, operand=operand)


@dataclass(frozen=True)
class Target:
    """A language server and what it reads."""

    dialect: Dialect
    start: Callable[[], Client]


RELAY = Dialect(
    chain=chain,
    shared_value=shared_value,
    first_line=2,
    period=5,
    position=2,
    operator="nn.relu",
    operation="  %{number} = {operator}({operand})",
    end=";\n",
    parameter="%x",
    opened_comment="/*",
)


def ours(command: Sequence[str] = (), profiles: Profiles | None = None) -> Target:
    """Our server, or another build of it by its command; profiled, if so wanted."""
    return Target(RELAY, partial(Client, command, record=profiles.record if profiles is not None else None))
