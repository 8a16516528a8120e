"""A server over stdio, driven by pytest-lsp with the capabilities that editors really send."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import LanguageClient, client_capabilities

URI = "file:///workspace/model.relay"
COMMAND = [sys.executable, "-m", "relay_lsp.server", "serve"]
PROFILES = ("visual-studio-code", "neovim")


class Editor:
    """An editor with one document: applies what the server asks it to apply, and asks in short calls."""

    def __init__(self, client: LanguageClient, settings: dict[str, Any]) -> None:
        self.client = client
        self.settings = settings
        self.folder_settings: dict[str, dict[str, Any]] = {}
        self.version = 0
        self.encoding = ""
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.every_publication: list[types.PublishDiagnosticsParams] = []
        self.applied: list[types.WorkspaceEdit] = []
        self.messages: list[str] = []
        self.progress: list[Any] = []
        self.progress_tokens: list[types.ProgressToken] = []
        self._answer_the_server()

    def _answer_the_server(self) -> None:
        client = self.client

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def on_published(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = params
            self.every_publication.append(params)

        @client.feature(types.WORKSPACE_APPLY_EDIT)
        def on_apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.applied.append(params.edit)
            return types.ApplyWorkspaceEditResult(applied=True)

        @client.feature(types.WORKSPACE_CONFIGURATION)
        def on_configuration(params: types.ConfigurationParams) -> list[Any]:
            return [self.folder_settings.get(str(item.scope_uri), self.settings) for item in params.items]

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def on_message(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        @client.feature(types.WINDOW_LOG_MESSAGE)
        def on_log(params: types.LogMessageParams) -> None:
            pass

        @client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def on_progress_create(params: types.WorkDoneProgressCreateParams) -> None:
            self.progress_tokens.append(params.token)

        @client.feature(types.PROGRESS)
        def on_progress(params: types.ProgressParams) -> None:
            self.progress.append(params.value)

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def on_register(params: types.RegistrationParams) -> None:
            pass

        @client.feature("relay/status")
        def on_status(params: Any) -> None:
            pass

    @property
    def publications(self) -> int:
        return len(self.every_publication)

    def open(self, text: str, uri: str = URI) -> None:
        self.version += 1
        item = types.TextDocumentItem(uri=uri, language_id="relay", version=self.version, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    def close(self) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document))

    def change(
        self, text: str, start: tuple[int, int] | None = None, end: tuple[int, int] | None = None, uri: str = URI
    ) -> None:
        """Replace a range of lines and characters, or the whole text."""
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=self.version)
        event: types.TextDocumentContentChangeEvent
        if start is None:
            event = types.TextDocumentContentChangeWholeDocument(text=text)
        else:
            event = types.TextDocumentContentChangePartial(
                text=text, range=types.Range(types.Position(*start), types.Position(*(end or start)))
            )
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [event]))

    def save(self) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(self.document))

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(uri=URI)

    async def diagnostics(
        self, accept: Callable[[Sequence[types.Diagnostic]], bool] = lambda diagnostics: True, seconds: float = 120
    ) -> list[types.Diagnostic]:
        """What is published for the version that the editor has, once it is as ``accept`` wants it."""
        for _ in range(int(seconds / 0.02)):
            params = self.published.get(URI)
            if params is not None and params.version == self.version and accept(params.diagnostics):
                return list(params.diagnostics)
            await asyncio.sleep(0.02)
        raise AssertionError(f"at version {self.version} the server has published {self.published.get(URI)}")


async def start(
    profile: str,
    settings: dict[str, Any],
    command: Sequence[str] = COMMAND,
    root: Path | None = None,
    env: dict[str, str] | None = None,
    *,
    fetches: bool = False,
) -> Editor:
    """An editor with a server that has been initialized, and started in the folder that is open where there is one.

    It may be one that ``fetches`` diagnostics, and does so again when it is told to.
    """
    client = LanguageClient(converter_factory=get_converter)
    editor = Editor(client, settings)
    await client.start_io(*command, cwd=root, env=env)
    client.capabilities = client_capabilities(profile)
    if fetches:
        assert client.capabilities.text_document is not None
        assert client.capabilities.workspace is not None
        client.capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities()
        client.capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    result = await client.initialize_async(
        types.InitializeParams(
            process_id=os.getpid(),
            capabilities=client.capabilities,
            root_uri="file:///workspace" if root is None else root.as_uri(),
            initialization_options=settings,
        )
    )
    editor.encoding = str(result.capabilities.position_encoding or "utf-16")
    client.initialized(types.InitializedParams())
    return editor


async def leave(editor: Editor) -> None:
    """Say goodbye, as an editor that is closed does."""
    await editor.client.shutdown_async(None)
    editor.client.exit(None)
    await editor.client.stop()


@pytest_asyncio.fixture(params=PROFILES, scope="module", loop_scope="module")
async def editor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """An editor of each kind. Starting a server takes a second, so the tests of a file share it."""
    folder = tmp_path_factory.mktemp("history")
    made = await start(request.param, {"history": {"folder": str(folder)}, "passTimeout": 300})
    yield made
    await leave(made)


@pytest.fixture(autouse=True)
def without_documents(request: pytest.FixtureRequest) -> None:
    """Forget what earlier tests have left."""
    if "editor" in request.fixturenames:
        made: Editor = request.getfixturevalue("editor")
        made.close()
        made.published.clear()
        made.applied.clear()
        made.messages.clear()
