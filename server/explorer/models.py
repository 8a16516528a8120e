"""The model that a text was imported from, for the first pane of the explorer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from relay_lsp.ir.model_reference import ModelReference

from ..features.provenance.model_nodes import NodeList, node_list
from ..worker.model_imports import ImportModel

__all__ = ["model_beside", "with_model", "with_overlays"]


def model_beside(text: str, folder: Path) -> NodeList | str:
    """The nodes of the model that a text names, whose file is looked for from ``folder``; or why there are none.

    It is empty where the text names no model.
    """
    reference = ModelReference.read(text)
    if reference is None:
        return ""
    path = folder / reference.file
    if not path.is_file():
        return f"the model {reference.file}, which the text was imported from, is not there"
    outcome = ImportModel(str(path), reference.framework).run(lambda _: None)
    if outcome.failed:
        return outcome.failed
    if outcome.sha256 != reference.sha256:
        return f"{path.name} is not the model that the text was imported from: its content has changed"
    return node_list(reference, outcome.layers)


def with_model(trace: str, name: str, nodes: NodeList) -> str:
    """A trace whose first line has the nodes of the model."""
    from relay_lsp.passes.provenance.trace_records import ModelText  # passes load when one has run

    return _with_header(trace, model=ModelText(name, nodes.text, nodes.lines))


def with_overlays(trace: str, overlays: Mapping[str, str]) -> str:
    """A trace whose first line has the files that are laid over it, by name."""
    from relay_lsp.passes.provenance.trace_records import OverlayFile

    return _with_header(trace, overlays=[OverlayFile(name, text) for name, text in overlays.items()])


def _with_header(trace: str, **changes: object) -> str:
    from relay_lsp.passes.provenance.trace_records import HeaderRecord

    first, newline, rest = trace.partition("\n")
    header = msgspec.structs.replace(msgspec.json.decode(first, type=HeaderRecord), **changes)
    return msgspec.json.encode(header).decode() + newline + rest
