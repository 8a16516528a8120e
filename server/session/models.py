"""The models that texts were imported from: read in the worker, their layers kept by the hash of their content."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from relay_lsp.ir.model_reference import ModelReference

from ..features.provenance.model_nodes import NodeList, node_list
from ..worker.worker import JobError, Worker

if TYPE_CHECKING:
    from relay_lsp.frontends.imported import Layer

    from ..worker.model_imports import ModelOutcome

__all__ = ["KnownModel", "Models"]

_MODELS_KEPT = 8
_SECONDS = 120.0
"""How long a model may take to import."""


class KnownModel(msgspec.Struct, frozen=True):
    """A model whose content is that of a text's comment, or why it is not to be had."""

    layers: Mapping[str, Layer]
    nodes: NodeList
    failed: str = ""


class Models:
    """The models of the texts that are open."""

    def __init__(self, worker: Worker, may_read: Callable[[Path], bool] = lambda _: True) -> None:
        self._worker = worker
        self._may_read = may_read
        self._known: dict[tuple[str, str], asyncio.Task[KnownModel]] = {}

    async def import_text(
        self, path: Path, folder: Path, progress: Callable[[str], object] = lambda _: None
    ) -> ModelOutcome:
        """The Relay text of a model's file, which will lie in ``folder``.

        Raises:
            JobError: the worker could not do it: it took too long, crashed, or was stopped.
        """
        from ..worker.model_imports import ImportModel, ModelOutcome

        if not self._may_read(path):
            return ModelOutcome(failed=_withheld(path))
        return await self._worker.run(ImportModel(str(path), folder=str(folder)), timeout=_SECONDS, progress=progress)

    async def find(self, folder: Path | None, reference: ModelReference, seconds: float | None = None) -> KnownModel:
        """The model that a text in ``folder`` names. After ``seconds`` the answer is that it is not known yet."""
        if folder is None:
            return _unknown("the text is no file, and its model is looked for beside it")
        path = folder / reference.file
        if not self._may_read(path):
            return _unknown(_withheld(path))
        key = (str(path), reference.sha256)
        task = self._known.get(key)
        if task is None:
            task = self._known[key] = asyncio.create_task(self._read(path, reference))
            while len(self._known) > _MODELS_KEPT:
                self._known.pop(next(iter(self._known)))
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done:
            return _unknown(f"{path.name} is still being read")
        known = task.result()
        if known.failed:
            self._known.pop(key, None)  # It may be there the next time.
        return known

    async def _read(self, path: Path, reference: ModelReference) -> KnownModel:
        from ..worker.model_imports import ImportModel

        job = ImportModel(str(path), reference.framework)
        try:
            outcome: ModelOutcome = await self._worker.run(job, timeout=_SECONDS)
        except JobError as error:
            return _unknown(f"{path.name} was not read: {error.message}")
        if outcome.failed:
            return _unknown(outcome.failed)
        if outcome.sha256 != reference.sha256:
            return _unknown(f"{path.name} is not the model that this text was imported from: its content has changed")
        return KnownModel({layer.name: layer for layer in outcome.layers}, node_list(reference, outcome.layers))


def _withheld(path: Path) -> str:
    return f"{path.name} lies outside of the open folders: over a network no other files are read without trust"


def _unknown(reason: str) -> KnownModel:
    return KnownModel({}, NodeList("", {}), reason)
