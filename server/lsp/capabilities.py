"""What the server tells a client that it can do: the answer to ``initialize``.

Plain data, without the protocol library: over stdio the answer goes out before that library, which takes a third of a
second to import, is loaded (see :mod:`..serving.stdio`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..documents.positions import Encoding
from .version import VERSION

__all__ = [
    "CLEAR_HISTORY",
    "COMMANDS",
    "EXPLAIN",
    "GO_TO_STEP",
    "REDUCE",
    "REPLAY",
    "RESTART_WORKER",
    "RUN_PASS",
    "RUN_PIPELINE",
    "SHOW_HISTORY",
    "SHOW_REMARKS",
    "TOKEN_MODIFIERS",
    "TOKEN_TYPES",
    "VERIFY",
    "choose_encoding",
    "initialize_result",
    "pulls_diagnostics",
    "supports",
]

TOKEN_TYPES = (
    "namespace",
    "type",
    "typeParameter",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "function",
    "macro",
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
)
"""The semantic token types in the order of their numbers (LSP 3.17, *SemanticTokenTypes*)."""

TOKEN_MODIFIERS = ("declaration", "definition", "readonly", "defaultLibrary")
"""The semantic token modifiers in the order of their bits."""

RUN_PASS = "relay-lsp.runPass"
RUN_PIPELINE = "relay-lsp.runPipeline"
VERIFY = "relay-lsp.verify"
EXPLAIN = "relay-lsp.explain"
SHOW_REMARKS = "relay-lsp.showRemarks"
REDUCE = "relay-lsp.reduce"
RESTART_WORKER = "relay-lsp.restartWorker"
CLEAR_HISTORY = "relay-lsp.clearHistory"
GO_TO_STEP = "relay-lsp.goToStep"
REPLAY = "relay-lsp.replay"
SHOW_HISTORY = "relay-lsp.showHistory"
COMMANDS = (
    *(RUN_PASS, RUN_PIPELINE, VERIFY, EXPLAIN, SHOW_REMARKS, REDUCE, RESTART_WORKER),
    *(CLEAR_HISTORY, GO_TO_STEP, REPLAY, SHOW_HISTORY),
)

FILES = [
    {"scheme": "file", "pattern": {"glob": "**/*.{relay,rly}", "matches": "file"}},
    {"scheme": "file", "pattern": {"glob": "**/*", "matches": "folder"}},
]
"""The files and folders whose renaming and deletion the server is notified of."""

CODE_ACTION_KINDS = (
    "quickfix",
    "refactor.rewrite.explain",
    "refactor.extract",
    "refactor.inline",
    "refactor.rewrite",
    "source",
    "source.fixAll.relay",
    "source.runPipeline.relay",
    "source.updateTypeComments.relay",
)


def choose_encoding(client: Mapping[str, object]) -> Encoding:
    """The first position encoding of the client's that we know; UTF-16 where it names none."""
    encodings = _at(client, "general", "positionEncodings")
    for offered in cast("list[object]", encodings) if isinstance(encodings, list) else ():
        try:
            return Encoding(offered)
        except ValueError:
            continue
    return Encoding.UTF_16


def pulls_diagnostics(client: Mapping[str, object]) -> bool:
    """Whether the client fetches diagnostics itself, and lets us say when to do so again: passes report late."""
    pulls = _at(client, "textDocument", "diagnostic") is not None
    return pulls and bool(_at(client, "workspace", "diagnostics", "refreshSupport"))


def _at(client: Mapping[str, object], *path: str) -> Any:
    current: Any = client
    for part in path:
        if not isinstance(current, Mapping):
            return None
        current = cast("Mapping[str, object]", current).get(part)
    return current


def initialize_result(params: Mapping[str, object]) -> dict[str, object]:
    """The result of ``initialize`` for these parameters (LSP 3.17, *InitializeResult*)."""
    client = cast("Mapping[str, object]", params.get("capabilities") or {})
    capabilities: dict[str, object] = {
        "positionEncoding": choose_encoding(client).value,
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "hoverProvider": True,
        "definitionProvider": True,
        "typeDefinitionProvider": True,
        "referencesProvider": True,
        "documentHighlightProvider": True,
        "documentSymbolProvider": {"label": "Relay"},
        "workspaceSymbolProvider": True,
        "foldingRangeProvider": True,
        "selectionRangeProvider": True,
        "inlayHintProvider": {"resolveProvider": True},
        "completionProvider": {"triggerCharacters": ["%", "@", ".", "=", '"', "["], "resolveProvider": True},
        "signatureHelpProvider": {"triggerCharacters": ["(", ","], "retriggerCharacters": ["=", ","]},
        "renameProvider": {"prepareProvider": True},
        "codeActionProvider": {"codeActionKinds": list(CODE_ACTION_KINDS), "resolveProvider": True},
        "codeLensProvider": {"resolveProvider": True},
        "documentLinkProvider": {"resolveProvider": False},
        "documentFormattingProvider": True,
        "documentRangeFormattingProvider": {"rangesSupport": True},
        "documentOnTypeFormattingProvider": {"firstTriggerCharacter": ";", "moreTriggerCharacter": ["}", "\n"]},
        "callHierarchyProvider": True,
        "linkedEditingRangeProvider": True,
        "executeCommandProvider": {"commands": list(COMMANDS), "workDoneProgress": True},
        "semanticTokensProvider": {
            "legend": {"tokenTypes": list(TOKEN_TYPES), "tokenModifiers": list(TOKEN_MODIFIERS)},
            "range": True,
            "full": {"delta": True},
        },
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "fileOperations": {
                "willRename": {"filters": FILES},
                "didRename": {"filters": FILES},
                "didDelete": {"filters": FILES},
            },
        },
    }
    if pulls_diagnostics(client):
        capabilities["diagnosticProvider"] = {
            "identifier": "relay",
            "interFileDependencies": False,
            "workspaceDiagnostics": True,
            "workDoneProgress": True,
        }
    return {"capabilities": capabilities, "serverInfo": {"name": "relay-lsp", "version": VERSION}}


def supports(client: Mapping[str, object], *path: str) -> bool:
    """Whether the client's capabilities have something other than false at this path."""
    return bool(_at(client, *path))
