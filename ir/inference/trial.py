"""Whether an operator would take arguments of some types: its relation is asked, and nothing is reported.

It answers while a call is being written: types that are not known and attributes that are missing do not stand in the
way. What a missing integer could be is read from the shapes of the arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from ..attributes import AttributeField, AttributeValueError, Attrs
from ..expressions import Var
from ..module import IRModule
from ..ops.operator import Op, RelationError
from ..types import IncompleteType, TensorType, Type
from .context import UNKNOWN_RESULT, CallContext
from .solver import TypeSolver

__all__ = ["Fit", "dimensions_of", "refusal", "trial", "value_of"]

_MOST_VALUES: Final = 16
"""So many values of a missing attribute are tried for one call."""


class Fit:
    """What a relation says of a call: that it takes it, that it does not, or that it cannot tell."""

    TAKEN: Final = 0
    UNKNOWN: Final = 1
    REFUSED: Final = 2


def trial(op: Op, types: Sequence[Type | None], attributes: Mapping[str, object], module: IRModule) -> int:
    """How an operator takes arguments of ``types``, ``None`` for one that is not known.

    ``attributes`` are those that are given, as Python values. For a required integer that is missing, the dimensions
    of the arguments are tried: the call fits if it does with one of them.
    """
    if op.relation is None or (not op.variadic and len(types) > len(op.arguments)):
        return Fit.UNKNOWN
    given: list[Type] = [IncompleteType() if type is None else type for type in types]
    if not op.variadic:
        given += [IncompleteType() for _ in op.arguments[len(given) :]]
    verdict = Fit.REFUSED
    for attrs in _attributes(op, attributes, given):
        verdict = min(verdict, _ask(op, given, attrs, module))
        if verdict == Fit.TAKEN:
            break
    return verdict


def refusal(op: Op, types: Sequence[Type], attributes: Mapping[str, object], module: IRModule) -> RelationError | None:
    """Why an operator refuses arguments of ``types`` with these attributes; ``None`` where it takes them.

    Raises:
        ValueError: that is not known: a required attribute is missing, an argument is not known well enough.
    """
    attrs = next(_attributes(op, attributes, ()), None)
    if op.relation is None or (attrs is None and op.attrs_type is not None):
        raise ValueError(f"{op.name} cannot be asked")
    try:
        if op.relation(_context(types, attrs, module)) is None:
            raise ValueError(f"{op.name} needs to know more of its arguments")
    except RelationError as error:
        return error
    except Exception as error:  # a fault in one operator's relation must not take the whole answer with it
        raise ValueError(f"the type relation of {op.name} failed") from error
    return None


def _context(types: Sequence[Type], attrs: Attrs | None, module: IRModule) -> CallContext:
    arguments = [Var(f"argument{number}") for number in range(len(types))]
    return CallContext(module, TypeSolver(), types, attrs, UNKNOWN_RESULT, arguments)


def _ask(op: Op, types: Sequence[Type], attrs: Attrs | None, module: IRModule) -> int:
    assert op.relation is not None
    try:
        result = op.relation(_context(types, attrs, module))
    except RelationError:
        return Fit.REFUSED
    except Exception:  # a fault in one operator's relation must not take the whole answer with it
        return Fit.UNKNOWN
    return Fit.UNKNOWN if result is None else Fit.TAKEN


def _attributes(op: Op, attributes: Mapping[str, object], types: Sequence[Type]) -> Iterator[Attrs | None]:
    """The attributes that a call may have: those given, defaults, and for what is missing what the shapes suggest."""
    if op.attrs_type is None:
        yield None
        return
    fields = op.attrs_type.fields()
    known: dict[str, object] = {}
    for name, value in attributes.items():
        if name in fields:
            try:
                known[name] = fields[name].convert(value)
            except AttributeValueError:
                continue
    missing = [field for field in fields.values() if field.required and field.name not in known]
    numbers = dimensions_of(types)
    choices = [[field.convert(number) for number in numbers] if _is_integer(field) else [None] for field in missing]
    for _, values in zip(range(_MOST_VALUES), product(*choices), strict=False):
        yield op.attrs_type(**known, **{field.name: value for field, value in zip(missing, values, strict=True)})


def _is_integer(field: AttributeField) -> bool:
    try:
        field.convert(1)
    except AttributeValueError:
        return False
    return True


def dimensions_of(types: Sequence[Type]) -> list[int]:
    """The constant dimensions of tensors, each once, those of the last tensor first."""
    numbers: dict[int, None] = {}
    for type in reversed(types):
        if isinstance(type, TensorType):
            numbers.update({int(dim): None for dim in type.shape if isinstance(dim, int)})
    return list(numbers)


def value_of(text: str) -> object:
    """The value that the text of an attribute stands for.

    Raises:
        ValueError: it is no constant, or it is not written to the end.
    """
    try:
        return ast.literal_eval(text.strip())
    except (SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise ValueError(f"{text!r} is no constant") from error
