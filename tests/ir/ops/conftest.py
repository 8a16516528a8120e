"""Calls of operators as text: their values, and the errors of their types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir import infer_types, parse
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.evaluation import evaluate
from relay_lsp.ir.types import Type


def _signature(**arguments: Any) -> str:
    """Parameters that take the arguments: their shapes and dtypes, or a type given as text."""
    types = {
        name: value if isinstance(value, str) else f"Tensor[{_shape(value)}, {np.asarray(value).dtype}]"
        for name, value in arguments.items()
    }
    return ", ".join(f"%{name}: {type}" for name, type in types.items())


def _program(call: str, **arguments: Any) -> str:
    return f'#[version = "0.0.5"]\ndef @main({_signature(**arguments)}) {{ {call} }}'


def _shape(value: Any) -> str:
    sizes = ", ".join(map(str, np.shape(value)))
    return f"({sizes})"


@pytest.fixture
def value() -> Callable[..., Any]:
    """``value("nn.relu(%x)", x=array)``: the value of a call over arrays."""

    def evaluate_call(call: str, **arguments: Any) -> Any:
        arrays = {name: np.asarray(argument) for name, argument in arguments.items()}
        parsed = parse(_program(call, **arrays))
        assert not parsed.diagnostics
        return evaluate(parsed.module, *arrays.values())

    return evaluate_call


@pytest.fixture
def type_of() -> Callable[..., Type | None]:
    """``type_of("nn.relu(%x)", x="Tensor[(2), float32]")``: the type of a call."""

    def type_call(call: str, **types: str) -> Type | None:
        inferred = infer_types(parse(_program(call, **types)).module)
        assert not inferred.diagnostics
        return inferred.module["main"].body.checked_type

    return type_call


@pytest.fixture
def error_of() -> Callable[..., Diagnostic]:
    """``error_of("nn.relu(%x)", x="()")``: the one error that a call has."""

    def find_error(call: str, **types: str) -> Diagnostic:
        parsed = parse(_program(call, **types))
        (error,) = (*parsed.diagnostics, *infer_types(parsed.module).diagnostics)
        return error

    return find_error
