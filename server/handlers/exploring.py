"""The explorer inside an editor: its page, and the traces of pipelines over a buffer."""

from __future__ import annotations

import msgspec

from relay_lsp.ir.model_reference import ModelReference

from ..explorer.models import with_model
from ..explorer.page import PageNotBuiltError, explorer_page
from ..lsp.answers import ExploreAnswer
from ..lsp.methods import EXPLORE
from ..lsp.protocol import RelayLanguageServer
from ..pass_calls import PassCallError
from ..pass_contexts import ContextOptions, config_entry
from .addresses import folder_of
from .arguments import field_of, open_document, version_in
from .passes import calls_asked_for
from .running import place_of_failure, work
from .views import refusal

__all__ = ["register"]


async def on_explore(server: RelayLanguageServer, params: object) -> ExploreAnswer:
    """The trace of passes over a document, and the page that shows it (`docs/protocol.md` has its form)."""
    document = open_document(server, field_of(params, "textDocument", "uri"))
    given_version = version_in(field_of(params, "version"))
    version = document.version if given_version is None else given_version
    calls = await calls_asked_for(server, document, params)
    level = field_of(params, "level")
    if level is not None and (not isinstance(level, int) or not 0 <= level <= 4):
        raise refusal(f"the level of a pass context is 0 to 4, not {level!r}")
    try:
        config = dict(map(config_entry, _texts(params, "config")))
    except PassCallError as error:
        raise refusal(str(error)) from None
    names = (tuple(_texts(params, "require")), tuple(_texts(params, "disable")))
    given = ContextOptions(3 if level is None else level, *names, config)
    try:
        explorer_page()
    except PageNotBuiltError as error:
        raise refusal(str(error)) from None
    reference, folder = ModelReference.read(document.text), folder_of(document.uri)
    model = await server.state.models.find(folder, reference) if reference is not None and folder is not None else None
    title, converter = ", ".join(map(str, calls)) or "no passes", server.converter_for(document)
    async with work(server, f"Relay: explore {title}", f"explore {title}") as report:
        run = await server.state.passes.explore(document, calls, None if level is None else given, version, report)
    if not run.trace:
        place = place_of_failure(converter, run.diagnostics)
        raise refusal(run.failed or "there is nothing to show", place or None)
    trace = run.trace
    if reference is not None and model is not None and not model.failed:
        trace = with_model(trace, reference.file, model.nodes)
    if field_of(params, "withPage") is not True:
        return {"version": version, "failed": run.failed, "trace": trace}
    return {"version": version, "failed": run.failed, "page": explorer_page([trace])}


def _texts(params: object, name: str) -> list[str]:
    try:
        return msgspec.convert(field_of(params, name) or (), list[str])
    except msgspec.ValidationError:
        raise refusal(f"{name} is a list of texts") from None


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(EXPLORE)(on_explore)
