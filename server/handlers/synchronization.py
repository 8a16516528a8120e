"""The life of a document and of the server: open, change, save, close; settings; the end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pygls.uris import to_fs_path

from relay_lsp.ir.syntax.suggestions import closest

from ..documents.documents import Document
from ..import_path import withhold
from ..lsp.capabilities import initialize_result
from ..lsp.conversion import change_of
from ..lsp.message_at_work import opened_lines, parameters_at_work
from ..lsp.message_codec import Plain, fields_of
from ..lsp.protocol import RelayLanguageServer
from ..session.changing_passes import load_passes
from .running import apply
from .views import recall

__all__ = ["fetch_settings", "register"]

_SECTION = "relay"


def _section(given: Any) -> Any:
    """The part of a configuration that is ours; some clients send it bare, some under its name."""
    return fields_of(given).get(_SECTION, given)


def initialize(server: RelayLanguageServer, params: types.InitializeParams) -> Plain:
    """Answer as :func:`..lsp.capabilities.initialize_result` has it."""
    server.process_id = params.process_id
    folders = [folder.uri for folder in params.workspace_folders or ()]
    root = params.root_uri or (folders[0] if folders else None)
    server.state.root = Path(to_fs_path(root) or "") if root else None
    server.state.change_folders(folders or ([params.root_uri] if params.root_uri else []))
    given = parameters_at_work()
    server.begin(fields_of(given.get("capabilities")), params.initialization_options)
    return Plain(initialize_result(given))


def initialized(server: RelayLanguageServer, params: types.InitializedParams) -> None:
    """The client is ready."""
    server.state.start()
    options = fields_of(server.initialization_options)
    # Trust is for the client's user to give. A setting, which a workspace may bring along, must not be able to.
    # Over a network it is not even the client's: it comes from the command line that started the server, and a client
    # whose user does not trust the workspace can only decline it.
    is_granted, said = server.granted_trust, options.get("trusted")
    server.state.extensions.is_trusted = said is True if is_granted is None else is_granted and said is not False
    server.state.may_write = is_granted is not False
    schemes = options.get("readOnlySchemes")
    if isinstance(schemes, list):
        server.state.documents.read_only_schemes = frozenset(map(str, cast("list[Any]", schemes)))
    folder = options.get("folder")
    if server.state.root is None and isinstance(folder, str):
        server.state.root = Path(folder)
        withhold(folder)
    _configure(server, _section(server.initialization_options))
    server.in_background(_begin(server))


async def _begin(server: RelayLanguageServer) -> None:
    registrations: list[types.Registration] = []
    if server.supports("workspace", "didChangeConfiguration", "dynamicRegistration"):
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        registrations.append(types.Registration("relay-configuration", method, {"section": _SECTION}))
    if server.supports("workspace", "didChangeWatchedFiles", "dynamicRegistration"):
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        watchers = {"watchers": [{"globPattern": "**/*.{relay,rly}"}]}
        registrations.append(types.Registration("relay-files", method, watchers))
    if registrations:
        await server.client_register_capability_async(types.RegistrationParams(registrations))
    await fetch_settings(server)
    server.status("ready", "")
    await server.state.load_extensions()
    await _load_rest(server)


async def fetch_settings(server: RelayLanguageServer) -> None:
    """Ask for the settings of everything, and of each folder of a workspace that has several."""
    if not server.supports("workspace", "configuration"):
        return
    folders = list(server.state.folders.uris)
    asked = folders if len(folders) > 1 else []
    items = [types.ConfigurationItem(section=_SECTION)]
    items += (types.ConfigurationItem(scope_uri=uri, section=_SECTION) for uri in asked)
    answer = await server.workspace_configuration_async(types.ConfigurationParams(items))
    general = answer[0] if answer else None
    if general or asked:
        own = {uri: given for uri, given in zip(asked, answer[1:], strict=False) if given}
        _configure(server, general or _section(server.initialization_options), own)


def _configure(server: RelayLanguageServer, given: Any, own: Mapping[str, Any] | None = None) -> None:
    """Apply settings. Texts that were opened before these named the folder of the history are looked up there."""
    history = server.state.history
    before = history.folder
    server.state.configure(given, own)
    if history.folder != before:
        for document in server.state.documents:
            if not history.knows(document):
                server.in_background(recall(server, document), document)


async def _take_settings(server: RelayLanguageServer) -> None:
    await fetch_settings(server)
    await server.state.load_extensions()


def did_change_configuration(server: RelayLanguageServer, params: types.DidChangeConfigurationParams) -> None:
    """Settings were changed: they are in the message, or are to be asked for."""
    given = _section(params.settings)
    if given:
        _configure(server, given)
        server.in_background(server.state.load_extensions())
    elif server.supports("workspace", "configuration"):
        server.in_background(_take_settings(server))


def did_open(server: RelayLanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    """A document was opened."""
    item = params.text_document
    is_first = not any(server.state.documents)
    text = opened_lines.get() or item.text
    document = server.state.documents.open(item.uri, text, item.version, item.language_id)
    _changed(server, document)
    server.in_background(recall(server, document), document)
    if is_first and (server.preparation is None or server.preparation.done()):
        server.preparation = server.in_background(_prepare(server, document))


async def _prepare(server: RelayLanguageServer, document: Document) -> None:
    """Load what the first request of each kind, and start what the first pass, would have to wait for."""
    await server.state.analysis.snapshot(document)
    del document  # the user may have closed it before there is a pause
    await _load_rest(server)
    await server.state.prepare()
    await server.state.idle_time.work_off(load_passes(), server.state.analysis.thread)


async def _load_rest(server: RelayLanguageServer) -> None:
    """Load what answers the other requests, and what the first list of operators and unknown name would wait for."""
    idle_time = server.state.idle_time
    await idle_time.work_off(server.register_rest())
    from ..features.completion import look_operators_up  # Loaded by then; loaded here, every start would take longer.

    await idle_time.work_off(look_operators_up())
    closest("", ())


def did_change(server: RelayLanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    """A document was edited."""
    identifier = params.text_document
    changes = [change_of(event) for event in params.content_changes]
    before = server.state.documents.find(identifier.uri)
    was_certain = before is None or not before.doubt
    document = server.state.documents.change(identifier.uri, changes, identifier.version)
    if document is None:
        server.log(f"a change of {identifier.uri}, which is not open, was left aside")
        return
    server.say_doubt(document, was_certain=was_certain)
    server.state.analysis.superseded(document)
    server.state.history.edited(identifier.uri, document.lines)
    if server.state.history.expects(identifier.uri):
        server.in_background(server.state.history.recall_written(identifier.uri, document.lines))
    _changed(server, document)


def _changed(server: RelayLanguageServer, document: Document) -> None:
    server.state.passes.examine_comment(document)
    if not server.client_pulls:
        server.state.publisher.schedule(document)


def did_close(server: RelayLanguageServer, params: types.DidCloseTextDocumentParams) -> None:
    """A document was closed; its diagnostics go with it."""
    server.forget(params.text_document.uri)


def did_save(server: RelayLanguageServer, params: types.DidSaveTextDocumentParams) -> None:
    """A document was saved: the configured pipeline has its turn."""
    document = server.state.documents.find(params.text_document.uri)
    if document is not None:
        server.in_background(server.state.history.saved(document.uri, document.lines))
        # Where nothing but diagnostics comes of it, it ends with the document.
        is_asked_for = server.state.settings_for(document.uri).apply_on_save or server.state.settings.instruments
        server.in_background(_check(server, document), None if is_asked_for else document)


async def _check(server: RelayLanguageServer, document: Document) -> None:
    version = document.version
    edits = await server.state.passes.check_on_save(document)
    if edits and document.version == version:
        await apply(server, document, edits, "Relay: pipeline on save")


def shutdown(server: RelayLanguageServer, params: None) -> None:
    """The client is about to end us."""
    server.has_left = True
    server.protocol.cancel_requests()
    server.abandon_background()
    server.state.shut_down()


def register(server: RelayLanguageServer) -> None:
    """Answer these messages."""
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.SHUTDOWN)(shutdown)
