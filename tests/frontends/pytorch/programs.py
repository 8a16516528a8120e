"""Small programs of PyTorch, and whether the module that is made of one computes what PyTorch does."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.frontends.imported import ImportedModel
from relay_lsp.frontends.verification import largest_difference
from relay_lsp.ir.diagnostics import Severity

torch: Any = pytest.importorskip("torch")


def exported(module: Any, *inputs: Any, **options: Any) -> bytes:
    """The bytes of a module that was exported with these inputs."""
    buffer = io.BytesIO()
    torch.export.save(torch.export.export(module.eval(), inputs, **options), buffer)
    return buffer.getvalue()


def scripted(module: Any, *inputs: Any) -> bytes:
    """The bytes of a module that was traced with these inputs; without inputs it is scripted."""
    made = (
        torch.jit.trace(module.eval(), inputs, check_trace=False, strict=False)
        if inputs
        else torch.jit.script(module.eval())
    )
    buffer = io.BytesIO()
    torch.jit.save(made, buffer)
    return buffer.getvalue()


def infos(inputs: Sequence[Any]) -> list[tuple[str, Any]]:
    """``input_infos`` of tensors."""
    return [(f"x{i}", (tuple(x.shape), str(x.dtype).removeprefix("torch."))) for i, x in enumerate(inputs)]


def errors(made: ImportedModel) -> list[str]:
    """What could not be converted."""
    return [str(diagnostic) for diagnostic in made.diagnostics if diagnostic.severity is Severity.ERROR]


def flat(value: Any) -> list[Any]:
    """The arrays in nested tuples, lists and dictionaries."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [array for part in value for array in flat(part)]
    return [value.detach().numpy() if hasattr(value, "detach") else np.asarray(value)]


def assert_computes(made: ImportedModel, module: Any, *inputs: Any) -> None:
    """The imported module computes what ``module`` does."""
    assert errors(made) == []
    given = iter(inputs)
    arguments = [
        made.params[var.name_hint] if var.name_hint in made.params else next(given).numpy()
        for var in made.module["main"].params
    ]
    actual = flat(ir.evaluate(made.module, *arguments))
    with torch.no_grad():
        expected = flat(module.eval()(*(value.clone() for value in inputs)))
    assert len(actual) == len(expected)
    for ours, theirs in zip(actual, expected, strict=True):
        assert ours.shape == theirs.shape
        assert largest_difference(ours, theirs) <= 1


def main_text(made: ImportedModel) -> str:
    """The text of ``@main``, with types and spans."""
    return ir.to_text(ir.infer_types(made.module).module, show_meta_data=False).partition("\n")[2]
