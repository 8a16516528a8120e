"""In what statements may differ of which one stands for all: names of values and functions, and values of constants.

A constant has the type of its dtype, whatever its value is, and the attributes of a function tell nothing of its type,
however they are called. The numbers of attributes, shapes and tuple indices decide
types, and so do constants that the type relation of an operator looks at. Statements at fault may differ in words that
mean nothing, too, where nobody looks for what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

from ..dimensions import FloatImm, IntImm
from ..expressions import Call, Constant, ErrorExpr
from ..inference.context import constants_in
from ..ops.operator import Op
from ..syntax.lexer import WHITE_SPACE
from ..syntax.literals import NumberError, read_number
from ..syntax.statements import Segment
from ..syntax.tokens import CLOSING, COMMENTS, FLOAT, FUNCTION, GLOBAL, INTEGER, NAME, OPENING, STRING, VALUES
from .lowered_statement import LoweredStatement

__all__ = [
    "SPEAKING",
    "Likeness",
    "first_places",
    "free_literals_at_fault",
    "free_numbers",
    "likeness_at_fault",
    "literals_of",
    "pattern_of",
]

SPEAKING: Final = frozenset("INFbsM@uU")
"""The kinds of token whose text does not follow from their kind; names of values are left out."""

_NUMBERS: Final = INTEGER + FLOAT
_LITERALS: Final = _NUMBERS + STRING
_LITERAL: Final = re.compile(f"[{_LITERALS}]")
_OTHER: Final = re.compile(f"[{re.escape(''.join(sorted(SPEAKING.difference(_LITERALS))))}]")
"""What is no literal; most tokens are neither."""

_DEVICE: Final = "virtual_device"
"""What looks like an attribute of a function, and is none."""


class Likeness:
    """What statements have in common that differ in functions and constants alone.

    ``pattern`` tells which of the names of values are the same (:func:`pattern_of`).
    """

    __slots__ = ("_kinds", "_texts", "functions", "without_literals")

    def __init__(
        self,
        kinds: str,
        texts: Sequence[str],
        pattern: object,
        means_nothing: Callable[[str], bool] | None = None,
        layout: object = None,
    ) -> None:
        self._kinds: Final = kinds
        self._texts: Final = texts
        self.functions: Final[Sequence[str]] = []
        """The functions of the module that it names, as often as they are written."""
        others: list[object] = [] if means_nothing is None else [layout]
        free: list[str] = []
        attributes = _attributes_of_functions(kinds) if FUNCTION in kinds and means_nothing is None else ()
        for other in _OTHER.finditer(kinds):
            token, kind = other.start(), other[0]
            text = texts[token]
            if kind == GLOBAL:
                self.functions.append(text)
            elif (token in attributes and text != _DEVICE) or (
                means_nothing is not None and kind == NAME and means_nothing(text)
            ):
                free.append(text)
                others.append(None)
            else:
                others.append(text)
        if free:
            others.append(pattern_of(free))
        self.without_literals: Final = (kinds, pattern, pattern_of(self.functions), *others)
        """What it has in common with those that differ in all literals, too."""

    def key(self, free: frozenset[int]) -> object:
        """What all of them have in common; ``free`` are the literals of which nothing but the dtype matters."""
        literals: list[object] = [self.without_literals]
        for literal in _LITERAL.finditer(self._kinds):
            token = literal.start()
            text = self._texts[token]
            if token in free:
                literals.append(None if literal[0] == STRING else _dtype(text, literal[0] == FLOAT))
            else:
                literals.append(text)
        return tuple(literals)


@lru_cache(maxsize=4_096)
def _attributes_of_functions(kinds: str) -> Collection[int]:
    """The tokens that name attributes of the functions in a statement: ``a`` of ``fn (%x: int32, a=1) { %x }``."""
    attributes: set[int] = set()
    opened: list[str] = []
    before = closed = ""
    for token, kind in enumerate(kinds):
        if kind in OPENING:
            # The parameters stand behind the word, or behind a list of type parameters.
            opened.append(closed if before == "]" else before)
        elif kind in CLOSING and opened:
            closed = opened.pop()
        elif kind == "=" and before == NAME and opened and opened[-1] == FUNCTION:
            attributes.add(token - 1)
        before = kind
    return attributes


def likeness_at_fault(segment: Segment, means_nothing: Callable[[str], bool]) -> tuple[Likeness, list[str]]:
    """What a statement at fault has in common with others, and the names of values in it, as often as they are written.

    How a fault is mended depends on the white space, and on the lines that comments end; of a word that
    ``means_nothing`` is said nothing but that.
    """
    kinds, texts, _ = segment.tokens
    names = [text for kind, text in zip(kinds, texts, strict=True) if kind in VALUES]
    spaces = [piece[len(piece.rstrip(WHITE_SPACE)) :] for piece in segment.pieces]
    ends = ["\n" in piece for kind, piece in zip(segment.kinds, segment.pieces, strict=True) if kind in COMMENTS]
    layout: tuple[object, ...] = (segment.kinds, segment.role, segment.is_short, *spaces, *ends)
    if any(name[1] == "0" and name[2:3].isdigit() for name in names):
        layout = (*layout, *names)  # ``%01`` is ``%1``, which their texts do not tell
    return Likeness(kinds, texts, pattern_of(names), means_nothing, layout), names


def pattern_of(names: Sequence[str]) -> object:
    """Which of some names are the same: statements that differ in names alone agree in it."""
    return None if len(set(names)) == len(names) else tuple(map(first_places(names).__getitem__, names))


def first_places(names: Sequence[str]) -> Mapping[str, int]:
    """Where each of some names stands first."""
    return {name: len(names) - 1 - place for place, name in enumerate(reversed(names))}


def free_numbers(lowered: LoweredStatement) -> frozenset[int]:
    """The tokens of a statement that are numbers of which only the dtype matters."""
    tokens: set[int] = set()
    for expr, origin in lowered.origins.items():
        if isinstance(expr, Constant):
            position = origin.node.first
            if origin.node.last == position and origin.statement.kinds[position] in _NUMBERS:
                tokens.add(origin.statement.token(position))
        elif isinstance(expr, Call) and isinstance(expr.op, Op) and _looks_at_values(expr, expr.op):
            return frozenset()
    return frozenset(tokens)


def literals_of(segment: Segment) -> Sequence[int]:
    """The tokens of a statement that are numbers and strings."""
    return [token for token, kind in enumerate(segment.tokens[0]) if kind in _LITERALS]


def free_literals_at_fault(lowered: LoweredStatement) -> frozenset[int]:
    """:func:`free_numbers`, and literals that were taken out to mend it; those of what could not be mended.

    Of a block that could not be, the statements inside are read all the same.
    """
    segment = lowered.unit.segment
    is_unread = lowered.is_broken and not cast("ErrorExpr", lowered.value).parts and not lowered.lowering.diagnostics
    statements = (each for each in segment.every_statement() if each.root is not None or not is_unread)
    read = {token for statement in statements for token in statement.index}
    return free_numbers(lowered) | set(literals_of(segment)).difference(read)


def _looks_at_values(call: Call, op: Op) -> bool:
    return op.relation_reads_values or (call.attrs is not None and bool(constants_in(call.attrs)))


def _dtype(text: str, is_float: bool) -> str:
    value = read_number(text, is_float)
    if isinstance(value, NumberError):
        return text
    if isinstance(value, (IntImm, FloatImm)):
        return value.dtype
    return "float32" if is_float else "int32"
