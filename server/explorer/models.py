"""The model that a text was imported from, for the first pane of the explorer."""

from __future__ import annotations

from pathlib import Path

import msgspec

from relay_lsp.ir.model_reference import ModelReference

from ..features.model_nodes import NodeList, node_list
from ..worker.model_imports import ImportModel

__all__ = ["model_beside", "with_model"]


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
    from relay_lsp.passes.provenance.trace_records import HeaderRecord, ModelText  # passes load when one has run

    first, newline, rest = trace.partition("\n")
    header = msgspec.json.decode(first, type=HeaderRecord)
    header = msgspec.structs.replace(header, model=ModelText(name, nodes.text, nodes.lines))
    return msgspec.json.encode(header).decode() + newline + rest
