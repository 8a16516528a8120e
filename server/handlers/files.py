"""Files and folders that come, go, and get other names."""

from __future__ import annotations

from urllib.parse import urlsplit

from lsprotocol import types

from ..features.provenance.document_links import rename_sources
from ..lsp.protocol import RelayLanguageServer
from ..session.folders import path_of_url
from .synchronization import fetch_settings
from .views import view

__all__ = ["register"]


async def will_rename_files(server: RelayLanguageServer, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    """Edits of open documents whose comments name a file as their source that is about to get another name, or one in a
    folder that is."""
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for document in server.state.documents:
        seen = await view(server, document.uri)
        if seen is None or seen.document.doubt:  # the file is renamed all the same
            continue
        names = (
            (_relative(document.uri, file.old_uri), _relative(document.uri, file.new_uri)) for file in params.files
        )
        edits = list(rename_sources(seen.snapshot, {old: new for old, new in names if old and new}))
        if edits:
            changes += server.edit_of(seen.converter, edits, seen.version).document_changes or ()
    return types.WorkspaceEdit(document_changes=changes) if changes else None


def _relative(document: str, file: str) -> str:
    """A file's name as comments in a document have it: relative to the document's folder; empty for one elsewhere."""
    folder = document.rpartition("/")[0] + "/"
    return path_of_url(urlsplit(file[len(folder) :]).path).rstrip("/") if file.startswith(folder) else ""


def did_rename_files(server: RelayLanguageServer, params: types.RenameFilesParams) -> None:
    """Invalidate what is cached of a file under its old name; clients open it again under the new one."""
    for file in params.files:
        server.forget(file.old_uri)


def did_delete_files(server: RelayLanguageServer, params: types.DeleteFilesParams) -> None:
    """What is known of a file that is no more is forgotten, and its diagnostics are taken back."""
    for file in params.files:
        server.forget(file.uri)


def did_change_workspace_folders(server: RelayLanguageServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Folders were added to the workspace or taken from it."""
    server.state.change_folders(
        [folder.uri for folder in params.event.added], [folder.uri for folder in params.event.removed]
    )
    server.in_background(fetch_settings(server))


def did_change_watched_files(server: RelayLanguageServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Files were written outside of the editor; a client that has fetched their diagnostics fetches them again."""
    for document in filter(None, (server.state.documents.find(change.uri) for change in params.changes)):
        server.state.history.file_written(document.uri)
        # The client may have sent the new text before this.
        server.in_background(server.state.history.recall_written(document.uri, document.lines))
    if server.client_pulls and any(server.state.documents.find(change.uri) is None for change in params.changes):
        server.workspace_diagnostic_refresh(None)


def register(server: RelayLanguageServer) -> None:
    """Answer these messages."""
    server.feature(types.WORKSPACE_WILL_RENAME_FILES)(will_rename_files)
    server.feature(types.WORKSPACE_DID_RENAME_FILES)(did_rename_files)
    server.feature(types.WORKSPACE_DID_DELETE_FILES)(did_delete_files)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched_files)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_workspace_folders)
