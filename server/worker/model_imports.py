"""Importing a model in the worker: its text, its layers, and what could not be converted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relay_lsp.frontends.imported import Layer
    from relay_lsp.ir.diagnostics import Severity

    from .worker_process import Progress

__all__ = ["ImportModel", "ModelOutcome", "ModelProblem"]


@dataclass(frozen=True)
class ModelProblem:
    """One diagnostic of an import: its place in the model and its message, in a sentence."""

    severity: Severity
    message: str


@dataclass(frozen=True)
class ModelOutcome:
    """What became of a model; ``failed`` says why nothing did."""

    text: str = ""
    """Its Relay text, whose weights are parameters of ``@main``; empty where that was not asked for."""
    framework: str = ""
    sha256: str = ""
    layers: tuple[Layer, ...] = ()
    problems: tuple[ModelProblem, ...] = ()
    failed: str = ""


@dataclass(frozen=True)
class ImportModel:
    """Import the model in a file, as one of ``framework`` where that is given."""

    path: str
    framework: str = ""
    folder: str = ""
    """Where its text will lie; without it there is no text."""

    def run(self, progress: Progress) -> ModelOutcome:
        """Import it. A file that is no model, and a package that is missing, are said by the outcome."""
        from relay_lsp.frontends.diagnostics import MissingExtraError, ModelImportError
        from relay_lsp.frontends.model_text import model_text
        from relay_lsp.frontends.models import read_model
        from relay_lsp.ir.garbage_collection import without_collection

        path = Path(self.path)
        progress(f"importing {path.name}")
        try:
            with without_collection():
                imported = read_model(path, self.framework)
                text = model_text(imported, True, Path(self.folder))[0] if self.folder else ""
        except (MissingExtraError, ModelImportError, ValueError) as error:
            return ModelOutcome(failed=f"{path.name} was not imported: {error}")
        problems = tuple(ModelProblem(each.severity, str(each)) for each in imported.diagnostics)
        source = imported.source
        return ModelOutcome(text, source.framework, source.sha256, imported.layers, problems)
