"""Lines above functions."""

from __future__ import annotations

from contextlib import suppress

from lsprotocol import types

from ..features.hints.code_lens import LensKind, lenses, size_of
from ..lsp.capabilities import RUN_PIPELINE, SHOW_HISTORY
from ..lsp.message_codec import fields_of
from ..lsp.protocol import RelayLanguageServer
from ..pass_calls import PassCallError, parse_pipeline
from .views import View, view

__all__ = ["register"]

_LENS_COMMANDS = {LensKind.PIPELINE: RUN_PIPELINE, LensKind.HISTORY: SHOW_HISTORY}


async def on_code_lens(server: RelayLanguageServer, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """Lines above functions."""
    seen = await view(server, params.text_document.uri)
    if seen is None or not server.state.settings_for(seen.document.uri).code_lens:
        return None
    steps = await server.state.history.steps_to(seen.snapshot.text)
    code_lenses: list[types.CodeLens] = []
    made_by = [step.pass_name for step in steps if not step.details.by_hand]
    for lens in lenses(seen.snapshot, made_by, _pipeline_names(server, seen)):
        made = types.CodeLens(seen.converter.range(lens.span))
        argument = {"uri": seen.document.uri, **({"function": lens.function} if lens.function else {})}
        if lens.kind is LensKind.SIZE:
            made.data = {**argument, "number": lens.number, "version": seen.version}
        else:
            made.command = types.Command(lens.title, _LENS_COMMANDS[lens.kind], arguments=[argument])
        code_lenses.append(made)
    return code_lenses


def _pipeline_names(server: RelayLanguageServer, seen: View) -> list[str]:
    """The names of the passes of the pipeline for a text; none where it cannot be read."""
    with suppress(PassCallError):
        return [call.name for call in parse_pipeline(server.state.passes.pipeline_for(seen.document))]
    return []


async def on_code_lens_resolve(server: RelayLanguageServer, lens: types.CodeLens) -> types.CodeLens:
    """How large a function is. Where the text has changed since, the editor requests all lenses again by itself."""
    data = fields_of(lens.data)
    seen = await view(server, str(data.get("uri")))
    number = data.get("number")
    which = number if isinstance(number, int) and number > 0 else 0
    size = size_of(seen.snapshot, str(data.get("function")), which) if seen is not None else None
    lens.command = types.Command(size or "", "")
    return lens


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(on_code_lens)
    server.feature(types.CODE_LENS_RESOLVE)(on_code_lens_resolve)
