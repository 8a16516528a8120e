"""Which module answers which message. A module is loaded when the first message for it comes.

Until a text has been opened and its diagnostics are out, a user waits for all that is loaded: the handlers of other
requests, and the features that they call, would take a sixth of that time. While the client has said nothing at all,
they are imported ahead (:func:`load_handlers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Final

from lsprotocol import types

from ..lsp import capabilities, methods
from ..lsp.message_codec import fields_of
from ..lsp.protocol import RelayLanguageServer

__all__ = ["HandlersOnDemand", "load_handlers"]

_MODULES: Final[Mapping[str, Sequence[str]]] = {
    "code_actions": (types.TEXT_DOCUMENT_CODE_ACTION, types.CODE_ACTION_RESOLVE),
    "code_lens": (types.TEXT_DOCUMENT_CODE_LENS, types.CODE_LENS_RESOLVE),
    "completion": (
        types.TEXT_DOCUMENT_COMPLETION,
        types.COMPLETION_ITEM_RESOLVE,
        types.TEXT_DOCUMENT_SIGNATURE_HELP,
    ),
    "document_links": (types.TEXT_DOCUMENT_DOCUMENT_LINK,),
    "explanations": (capabilities.EXPLAIN, capabilities.SHOW_REMARKS),
    "exploring": (methods.EXPLORE,),
    "files": (
        types.WORKSPACE_WILL_RENAME_FILES,
        types.WORKSPACE_DID_RENAME_FILES,
        types.WORKSPACE_DID_DELETE_FILES,
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    ),
    "formatting": (
        types.TEXT_DOCUMENT_FORMATTING,
        types.TEXT_DOCUMENT_RANGE_FORMATTING,
        types.TEXT_DOCUMENT_RANGES_FORMATTING,
    ),
    "history": (
        methods.HISTORY,
        methods.HISTORY_TEXT,
        methods.HISTORY_DIFFERENCE,
        methods.EXPORT_PIPELINE,
        capabilities.GO_TO_STEP,
        capabilities.REPLAY,
        capabilities.SHOW_HISTORY,
        capabilities.CLEAR_HISTORY,
    ),
    "hover": (types.TEXT_DOCUMENT_HOVER,),
    "inlay_hints": (types.TEXT_DOCUMENT_INLAY_HINT, types.INLAY_HINT_RESOLVE),
    "layers": (methods.COLOURS, methods.LAYERS, methods.NEIGHBOUR),
    "models": (methods.IMPORT_MODEL,),
    "navigation": (
        types.TEXT_DOCUMENT_DEFINITION,
        types.TEXT_DOCUMENT_TYPE_DEFINITION,
        types.TEXT_DOCUMENT_REFERENCES,
        types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,
    ),
    "passes": (
        capabilities.RUN_PASS,
        capabilities.RUN_PIPELINE,
        capabilities.VERIFY,
        capabilities.RESTART_WORKER,
        methods.PASSES,
        methods.PREVIEW,
    ),
    "provenance": (methods.PROVENANCE, methods.FATE),
    "reduction": (capabilities.REDUCE,),
    "renaming": (types.TEXT_DOCUMENT_PREPARE_RENAME, types.TEXT_DOCUMENT_RENAME),
    "semantic_tokens": (
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE,
    ),
    "structure": (
        types.TEXT_DOCUMENT_FOLDING_RANGE,
        types.TEXT_DOCUMENT_SELECTION_RANGE,
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY,
        types.CALL_HIERARCHY_INCOMING_CALLS,
        types.CALL_HIERARCHY_OUTGOING_CALLS,
        types.TEXT_DOCUMENT_LINKED_EDITING_RANGE,
        types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
    ),
    "symbols": (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.WORKSPACE_SYMBOL),
}
"""The modules of this package that are loaded on demand, and the methods and commands that each of them answers."""

_ASKED_FIRST: Final = frozenset(
    ("semantic_tokens", "code_actions", "symbols", "document_links", "inlay_hints", "structure", "code_lens")
)
"""What editors ask for when a text is opened."""


def load_handlers() -> Iterator[str]:
    """Import the modules without registering them, those that an opened text asks for first; gives their names."""
    for module in sorted(_MODULES, key=_ASKED_FIRST.__contains__, reverse=True):
        import_module(f".{module}", __package__)
        yield module


class HandlersOnDemand:
    """Registers the handlers of a method with ``server`` before its first message is handled."""

    def __init__(self, server: RelayLanguageServer) -> None:
        self._server = server
        self._modules = {name: module for module, names in _MODULES.items() for name in names}

    def register_for(self, message: object) -> None:
        """Register what answers the method of a message, or the command that it asks to execute, unless it is."""
        fields = fields_of(message)
        name = fields.get("method")
        if name == types.WORKSPACE_EXECUTE_COMMAND:
            name = fields_of(fields.get("params")).get("command")
        module = self._modules.get(str(name))
        if module is not None:
            self._register(module)

    def register_rest(self) -> Iterator[str]:
        """Register all others, module by module; gives their names."""
        while self._modules:
            module = next(iter(self._modules.values()))
            self._register(module)
            yield module

    def _register(self, module: str) -> None:
        for name in _MODULES[module]:
            del self._modules[name]
        import_module(f".{module}", __package__).register(self._server)
