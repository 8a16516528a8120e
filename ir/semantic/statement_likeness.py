"""In what statements may differ of which one stands for all: names of values and functions, and values of constants.

A constant has the type of its dtype, whatever its value is. The numbers of attributes, shapes and tuple indices decide
types, and so do constants that the type relation of an operator looks at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..dimensions import FloatImm, IntImm
from ..expressions import Call, Constant
from ..inference.context import constants_in
from ..ops.operator import Op
from ..syntax.literals import NumberError, read_number
from ..syntax.tokens import FLOAT, GLOBAL, INTEGER
from .lowered_statement import LoweredStatement

__all__ = ["SPEAKING", "Likeness", "first_places", "free_numbers", "pattern_of"]

SPEAKING: Final = frozenset("INFbsM@uU")
"""The kinds of token whose text does not follow from their kind; names of values are left out."""

_NUMBERS: Final = INTEGER + FLOAT
_OTHERS: Final = SPEAKING.difference(_NUMBERS, GLOBAL)


class Likeness:
    """What statements have in common that differ in functions and constants alone.

    ``pattern`` tells which of the names of values are the same (:func:`pattern_of`).
    """

    __slots__ = ("_kinds", "_texts", "functions", "without_numbers")

    def __init__(self, kinds: str, texts: Sequence[str], pattern: object) -> None:
        self._kinds: Final = kinds
        self._texts: Final = texts
        self.functions: Final[Sequence[str]] = []
        """The functions of the module that it names, as often as they are written."""
        others: list[str] = []
        for kind, text in zip(kinds, texts, strict=True):
            if kind in _OTHERS:
                others.append(text)
            elif kind == GLOBAL:
                self.functions.append(text)
        self.without_numbers: Final = (kinds, pattern, pattern_of(self.functions), *others)
        """What it has in common with those that differ in all numbers, too."""

    def key(self, free: frozenset[int]) -> object:
        """What all of them have in common; ``free`` are the numbers of which only the dtype matters."""
        numbers = [
            _dtype(text, kind == FLOAT) if token in free else text
            for token, (kind, text) in enumerate(zip(self._kinds, self._texts, strict=True))
            if kind in _NUMBERS
        ]
        return (self.without_numbers, *numbers)


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


def _looks_at_values(call: Call, op: Op) -> bool:
    return op.relation_reads_values or (call.attrs is not None and bool(constants_in(call.attrs)))


def _dtype(text: str, is_float: bool) -> str:
    value = read_number(text, is_float)
    if isinstance(value, NumberError):
        return text
    if isinstance(value, (IntImm, FloatImm)):
        return value.dtype
    return "float32" if is_float else "int32"
