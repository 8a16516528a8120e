"""What an importer gives: the module, its parameters, and what is known of the model that they come from."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.expressions import NDArray
from relay_lsp.ir.module import IRModule

from .diagnostics import ImportDiagnostic, ModelImportWarning

__all__ = ["ImportedModel", "Layer", "ModelSource"]


@dataclass(frozen=True, slots=True)
class Layer:
    """One node of a model, by the name that the spans of its expressions carry."""

    name: str
    operator: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    """The attributes as text, in the model's order."""
    source: str = ""
    """``FILE:LINE`` of the program that the model was exported from, where the export says."""


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The model's bytes: which file they were, and their SHA-256."""

    framework: str
    path: Path | None
    sha256: str

    @staticmethod
    def of(framework: str, data: bytes, path: Path | None = None) -> ModelSource:
        """The source whose content is ``data``."""
        return ModelSource(framework, path, hashlib.sha256(data).hexdigest())


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """A module whose expressions have their layers' names as spans, and the model behind it."""

    module: IRModule
    params: Mapping[str, NDArray]
    """What the module's parameters hold, by name; the others are the model's inputs."""
    diagnostics: tuple[ImportDiagnostic, ...]
    layers: tuple[Layer, ...]
    """Every node that was imported, in the model's order; those of subgraphs after the node that has them."""
    source: ModelSource

    def with_warnings(self, stacklevel: int = 3) -> tuple[IRModule, dict[str, NDArray]]:
        """The module and its parameters, as TVM's functions give them; ``warnings`` shows every error and warning.

        ``stacklevel`` says whose line the warnings name: that of the caller's caller where it is not given.
        """
        for diagnostic in self.diagnostics:
            if diagnostic.severity <= Severity.WARNING:
                warnings.warn(str(diagnostic), ModelImportWarning, stacklevel=stacklevel)
        return self.module, dict(self.params)
