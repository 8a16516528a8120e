"""Running a program by PyTorch itself."""

from __future__ import annotations

import operator as python_operators
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from relay_lsp.ir.expressions import NDArray

from ..diagnostics import ImportReport
from .archive import open_archive
from .backend import torch
from .exported import read_exported
from .graph import Operation, OperationBlock, Program, Value
from .torchscript import load_script
from .values import DTYPE_CODES

__all__ = ["run"]


def run(path: Path, inputs: Mapping[str, NDArray]) -> Sequence[NDArray]:
    """The outputs of the program in a file; ``inputs`` are in the order of the program's."""
    report = ImportReport()
    data = path.read_bytes()
    archive = open_archive(data, path, report)
    tensors = [torch.from_numpy(np.array(value)) for value in inputs.values()]
    if not archive.is_torchscript:
        return flat(_interpreted(read_exported(archive, report), tensors))
    with torch.no_grad():
        return flat(load_script(data, report).eval()(*tensors))


def _interpreted(program: Program, inputs: Sequence[Any]) -> list[Any]:
    """The outputs of an exported program, operation by operation: PyTorch's loader could run what is in the file."""
    values: dict[Value, Any] = dict(zip(program.inputs, inputs, strict=True))
    for value in program.constants:
        values[value] = value.producer.attribute if value.producer else None
    for value, path in program.parameters.items():
        values[value] = torch.from_numpy(np.array(program.tensors[path]))
    with torch.no_grad():
        return _interpreted_block(program, values)


def _interpreted_block(block: OperationBlock, values: dict[Value, Any]) -> list[Any]:
    for operation in block.operations:
        given = [values[value] for value in operation.inputs]
        if operation.kind == "prim::ListConstruct":
            results: Any = [given]
        elif operation.kind == "prim::ListUnpack":
            results = given[0]
        elif operation.kind == "prim::If":
            results = _interpreted_block(operation.blocks[0 if bool(given[0]) else 1], values)
        elif operation.kind == "prim::Loop":
            results = _interpreted_loop(operation.blocks[0], given, values)
        else:
            results = _called(operation, given)
            results = results if len(operation.outputs) > 1 else [results]
        values.update(zip(operation.outputs, results, strict=False))
    return [values[value] for value in block.outputs]


def _interpreted_loop(body: OperationBlock, given: Sequence[Any], values: dict[Value, Any]) -> Sequence[Any]:
    """What the loop carries when its count is reached, or its condition no longer holds."""
    most, goes_on, *carried = given
    turn = 0
    while turn < most and bool(goes_on):
        values.update(zip(body.inputs, (turn, *carried), strict=True))
        goes_on, *carried = _interpreted_block(body, values)
        turn += 1
    return carried


def _called(operation: Operation, given: Sequence[Any]) -> Any:
    namespace, _, name = operation.kind.partition("::")
    if not operation.overload:
        return getattr(python_operators, _PYTHON_NAMES.get(name, name))(*given)
    operator = getattr(getattr(getattr(torch.ops, namespace), name), operation.overload)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for value, argument in zip(given, operator._schema.arguments, strict=True):
        value = _argument(value, argument.name)
        if not argument.kwarg_only:
            positional.append(value)
        elif value is not None:
            named[argument.name] = value
    return operator(*positional, **named)


_PYTHON_NAMES = {"floor_divide": "floordiv", "div": "truediv", "remainder": "mod"}


def _argument(value: Any, name: str) -> Any:
    """A value as the operator takes it: dtypes are objects in Python, and numbers in the program."""
    if "dtype" in name and isinstance(value, int):
        return getattr(torch, DTYPE_CODES[value])
    return None if name in ("layout", "memory_format", "device", "pin_memory") else value


def flat(value: object) -> list[NDArray]:
    """The tensors in nested tuples, lists and dictionaries, as arrays."""
    if isinstance(value, torch.Tensor):
        plain = cast("Any", value).detach()
        return [(plain.int_repr() if plain.is_quantized else plain).numpy()]
    if isinstance(value, (tuple, list)):
        return [array for part in cast("Sequence[object]", value) for array in flat(part)]
    if isinstance(value, dict):
        return [array for part in cast("dict[object, object]", value).values() for array in flat(part)]
    return [np.asarray(value)]
