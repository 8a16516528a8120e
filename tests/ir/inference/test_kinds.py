"""What may stand where in a type."""

from __future__ import annotations

import pytest

from relay_lsp.ir.inference.kinds import KindChecker
from relay_lsp.ir.module import IRModule, TypeData
from relay_lsp.ir.types import FuncType, GlobalTypeVar, RelayRefType, TupleType, Type, TypeCall, TypeVar, scalar_type

LIST, ITEM = GlobalTypeVar("List"), TypeVar("A")
MODULE = IRModule(type_definitions={LIST: TypeData(LIST, (ITEM,), ())})
NUMBER = scalar_type("int32")


@pytest.mark.parametrize(
    "type",
    [NUMBER, TupleType((NUMBER, TypeCall(LIST, (NUMBER,)))), FuncType((NUMBER,), RelayRefType(NUMBER)), ITEM],
)
def test_good_types(type: Type) -> None:
    assert KindChecker(MODULE).faults(type) == []


@pytest.mark.parametrize(
    ("type", "fault"),
    [
        (
            TupleType((LIST,)),
            "List cannot be a field of a tuple type: it takes 1 type argument, List[A]",
        ),
        (TypeCall(LIST, ()), "List takes 1 type argument, not 0"),
        (TypeCall(GlobalTypeVar("Tree"), ()), "the data type Tree is not defined"),
        (TypeCall(ITEM, (NUMBER,)), "A is no data type and takes no type arguments"),
        (
            RelayRefType(LIST),
            "List cannot be the content of a reference: it takes 1 type argument, List[A]",
        ),
    ],
)
def test_faults(type: Type, fault: str) -> None:
    assert KindChecker(MODULE).faults(type) == [fault]


def test_a_type_is_checked_once() -> None:
    checker, type = KindChecker(MODULE), TypeCall(LIST, ())
    assert checker.faults(type)
    assert not checker.faults(type)
