"""Any framework's model by its file name: which importer reads it, and which runtime runs it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from relay_lsp.ir.expressions import NDArray

from .imported import ImportedModel

__all__ = ["FRAMEWORKS", "Framework", "framework_of", "read_model", "run_model"]


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework whose models are imported.

    Its package in this folder has the functions ``read(model, **options)``, which gives an :class:`ImportedModel`, and
    ``run(model, inputs)``, which gives the outputs that the framework's own runtime computes.
    """

    name: str
    suffixes: tuple[str, ...]

    def read(self, path: Path, **options: object) -> ImportedModel:
        """Import a file."""
        return cast("Callable[..., ImportedModel]", self._function("read"))(path, **options)

    def run(self, path: Path, inputs: Mapping[str, NDArray]) -> Sequence[NDArray]:
        """Run a file by the framework's own runtime."""
        return cast("Callable[..., Sequence[NDArray]]", self._function("run"))(path, inputs)

    def _function(self, name: str) -> object:
        return getattr(importlib.import_module(f"{__package__}.{self.name}"), name)


FRAMEWORKS: dict[str, Framework] = {
    framework.name: framework
    for framework in (
        Framework("onnx", (".onnx",)),
        Framework("pytorch", (".pt2", ".pt")),
        Framework("tflite", (".tflite",)),
    )
}
"""The frameworks by name."""


def framework_of(path: Path) -> Framework:
    """The framework whose files are called so.

    Raises:
        ValueError: there is none.
    """
    for framework in FRAMEWORKS.values():
        if path.suffix.lower() in framework.suffixes:
            return framework
    known = ", ".join(suffix for framework in FRAMEWORKS.values() for suffix in framework.suffixes)
    raise ValueError(f"{path.name}: a model's file ends with {known}")


def read_model(path: Path, framework: str = "", **options: object) -> ImportedModel:
    """Import a file by its name, or as a model of ``framework``.

    Raises:
        ValueError: there is no such framework, or no framework's files are called so.
        ModelImportError: the file is no model, or, with ``strict=True``, a part of it cannot be converted.
        MissingExtraError: the framework's package is not installed.
    """
    if framework and framework not in FRAMEWORKS:
        raise ValueError(f"there is no framework {framework!r}; there are {', '.join(sorted(FRAMEWORKS))}")
    return (FRAMEWORKS[framework] if framework else framework_of(path)).read(path, **options)


def run_model(path: Path, framework: str, inputs: Mapping[str, NDArray]) -> Sequence[NDArray]:
    """What the runtime of ``framework`` computes of ``inputs``."""
    return FRAMEWORKS[framework].run(path, inputs)
