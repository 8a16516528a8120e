"""Models of other frameworks: their text on request, and the nodes that values of an imported text came from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lsprotocol import types

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.model_reference import ModelReference

from ..features.provenance.model_nodes import NodeList, node_markdown
from ..features.provenance.provenance import ValueOrigin, origins_at
from ..history.store import default_folder
from ..lsp.answers import ImportAnswer
from ..lsp.methods import IMPORT_MODEL
from ..lsp.protocol import RelayLanguageServer
from ..session.folders import path_of_uri, path_of_url
from .addresses import file_uri, folder_of
from .arguments import field_of
from .running import work
from .views import View, refusal

if TYPE_CHECKING:
    from relay_lsp.frontends.imported import Layer

__all__ = ["node_definition", "node_documentation", "register"]


_HOVER_SECONDS = 1.0
"""How long a hover waits for a model that is being read; the next one finds it."""
_MODEL_SCHEME = "relay-model"
"""The scheme of texts that clients show of a model, at the model's path."""


async def on_import_model(server: RelayLanguageServer, params: object) -> ImportAnswer:
    """The Relay text of a model's file, with what could not be converted."""
    path, target = _path(field_of(params, "uri")), _path(field_of(params, "target"))
    if path is None:
        raise refusal('the request needs {"uri": …} of a file')
    async with work(server, f"Relay: import {path.name}", f"import {path.name}") as report:
        outcome = await server.state.models.import_text(path, path.parent if target is None else target.parent, report)
    if outcome.failed:
        raise refusal(outcome.failed)
    return {
        "text": outcome.text,
        "framework": outcome.framework,
        "problems": [
            {"severity": problem.severity.name.lower(), "message": problem.message} for problem in outcome.problems
        ],
    }


def _path(uri: object) -> Path | None:
    return path_of_uri(uri) if isinstance(uri, str) else None


async def node_documentation(server: RelayLanguageServer, seen: View, origins: Sequence[ValueOrigin]) -> str:
    """What the model says of the layers that a value came from, in Markdown; empty where no model is known."""
    reference = _reference(seen)
    if reference is None or not any(not origin.line for origin in origins):
        return ""
    known = await server.state.models.find(_folder(seen.document.uri), reference, _HOVER_SECONDS)
    layers = [known.layers[origin.source] for origin in origins if origin.source in known.layers]
    return "\n\n".join(map(node_markdown, layers))


async def node_definition(server: RelayLanguageServer, seen: View, offset: int) -> list[types.Location]:
    """Where the layers of the value at ``offset`` stand: in the program that the model was exported from, or in the
    list of the model's nodes, which is written to a file of ours for that."""
    reference = _reference(seen)
    origins = [origin for origin in origins_at(seen.snapshot, offset) if not origin.line]
    under_cursor = [origin for origin in origins if origin.span is not None and origin.span.contains(offset)]
    if reference is None or not origins:
        return []
    folder = _folder(seen.document.uri)
    known = await server.state.models.find(folder, reference)
    if known.failed:
        server.say(known.failed, Severity.WARNING)
        return []
    layers = [known.layers[origin.source] for origin in under_cursor or origins if origin.source in known.layers]
    places = (_location(server, folder, reference, known.nodes, layer) for layer in layers)
    return [place for place in places if place is not None]


def _location(
    server: RelayLanguageServer, folder: Path | None, reference: ModelReference, nodes: NodeList, layer: Layer
) -> types.Location | None:
    file, colon, line = layer.source.rpartition(":")
    target = file_uri(folder, file) if colon and line.isdecimal() else None
    if target is not None:
        return types.Location(target, _line(int(line) - 1))
    if server.state.is_foreign:
        return None
    state = Path(server.state.settings.history_folder or default_folder())
    return types.Location(_written(state / "models", reference, nodes).as_uri(), _line(nodes.lines[layer.name]))


def _line(number: int) -> types.Range:
    place = types.Position(max(number, 0), 0)
    return types.Range(place, place)


def _written(folder: Path, reference: ModelReference, nodes: NodeList) -> Path:
    """The file in ``folder`` that holds a list of nodes."""
    folder.mkdir(parents=True, exist_ok=True)
    name = Path(reference.file).name
    # By the list's content, not only by the model's: another version may write it otherwise.
    content = nodes.text.encode("utf-8", "replace")
    path = folder / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}.txt"
    if not path.exists():
        path.write_bytes(content)
    return path


def _reference(seen: View) -> ModelReference | None:
    lines = seen.snapshot.lines
    return ModelReference.read(lines.part(0, min(ModelReference.LOOKED_AT, lines.length)))


def _folder(uri: str) -> Path | None:
    """The folder of a text: of a file, or of the model whose text a client shows."""
    parts = urlsplit(uri)
    return Path(path_of_url(parts.path)).parent if parts.scheme == _MODEL_SCHEME else folder_of(uri)


def register(server: RelayLanguageServer) -> None:
    """Answer this request."""
    server.feature(IMPORT_MODEL)(on_import_model)
