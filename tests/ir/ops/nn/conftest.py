"""What the tests of the nn operators share: the type of a call, the error of one that has none, and its value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.expressions import Call, Var
from relay_lsp.ir.inference import infer_expr
from relay_lsp.ir.types import ANY, TensorType, TupleType, Type


def tensor(shape: str) -> TensorType:
    """The tensor type that ``1 3 ? 4`` or ``1 3 int8`` means; float32 where no dtype is given."""
    words = shape.split()
    dtype = words.pop() if words and words[-1][0].isalpha() else "float32"
    return TensorType(tuple(ANY if word == "?" else int(word) for word in words), dtype)


def short(type: Type | None) -> str:
    """A type as :func:`tensor` reads it; a tuple's fields with commas between."""
    if isinstance(type, TupleType):
        return ", ".join(map(short, type.fields))
    assert isinstance(type, TensorType)
    return " ".join([*map(str, type.shape), *([] if type.dtype == "float32" else [type.dtype])])


def call(name: str, types: Sequence[Type | None], attrs: dict[str, Any]) -> Call:
    """A call of an operator on variables of the given types."""
    op = ops.get(name)
    attrs_type = op.metadata_attrs_type or op.attrs_type
    variables = tuple(Var(f"x{number}", type) for number, type in enumerate(types))
    fields = attrs_type.fields() if attrs_type else {}
    values = {key: fields[key].convert(value) for key, value in attrs.items()}
    return Call(op, variables, attrs_type(**values) if attrs_type else None)


@pytest.fixture
def typed() -> Callable[..., str]:
    """The type of a call: ``typed("nn.relu", "1 3")`` is ``1 3``; ``None`` is an argument of unknown type."""

    def type_of(name: str, *arguments: str | None, **attrs: Any) -> str:
        types = [None if argument is None else tensor(argument) for argument in arguments]
        inferred = infer_expr(call(name, types, attrs))
        assert not inferred.diagnostics, inferred.diagnostics[0].message
        return short(inferred.expr.checked_type)

    return type_of


@pytest.fixture
def rejected() -> Callable[..., Diagnostic]:
    """The one error of a call that has no type."""

    def error_of(name: str, *arguments: str | None, **attrs: Any) -> Diagnostic:
        types = [None if argument is None else tensor(argument) for argument in arguments]
        (diagnostic,) = infer_expr(call(name, types, attrs)).diagnostics
        return diagnostic

    return error_of


@pytest.fixture
def value() -> Callable[..., Any]:
    """The value of a call on numpy arrays; every result is checked against its inferred type."""

    def value_of(name: str, *arrays: np.ndarray[Any, Any], **attrs: Any) -> Any:
        types: list[Type | None] = [TensorType(array.shape, array.dtype.name) for array in arrays]
        inferred = infer_expr(call(name, types, attrs))
        assert not inferred.diagnostics, inferred.diagnostics[0].message
        made = inferred.expr
        assert isinstance(made, Call)
        op, result_type = ops.get(name), made.checked_type
        assert op.kernel is not None
        assert result_type is not None
        result = op.kernel(made.attrs, arrays, result_type)
        if isinstance(result_type, TensorType):
            assert (result.shape, result.dtype.name) == (result_type.shape, result_type.dtype)
        return result

    return value_of


@pytest.fixture
def random() -> np.random.Generator:
    """Reproducible random numbers."""
    return np.random.default_rng(0)
