"""The language server on pygls: its protocol with our own documents and our own answer to ``initialize``."""

from __future__ import annotations

import logging
from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method
from pygls.workspace import Workspace as PyglsWorkspace

from .capabilities import initialize_result, server_version

__all__ = ["RelayLanguageServer", "RelayProtocol"]

logger = logging.getLogger(__name__)


class RelayProtocol(LanguageServerProtocol):
    """pygls's protocol, without its copy of every text: it splits all lines anew for each change."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answer as :func:`.capabilities.initialize_result` has it."""
        self._server.process_id = params.process_id
        self.client_capabilities = params.capabilities
        plain = self._converter.unstructure(params)
        result = self._converter.structure(initialize_result(plain), types.InitializeResult)
        self.server_capabilities = result.capabilities
        self._workspace = PyglsWorkspace(None, workspace_folders=list(params.workspace_folders or ()))
        yield self.fm.features[types.INITIALIZE], (params,), None
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Hand the text to our documents."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """Hand the changes to our documents."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """Let our documents forget the text."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None


class RelayLanguageServer(LanguageServer):
    """pygls's server with :class:`RelayProtocol`. What it knows of Relay is in its ``workspace_state``."""

    def __init__(self) -> None:
        super().__init__("relay-lsp", server_version(), protocol_cls=RelayProtocol)
