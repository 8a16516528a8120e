"""The layers that requests are about: those under the cursor, and those of all texts."""

from __future__ import annotations

from ..features.layers.indexing import layer_index
from ..features.layers.layer_index import LayerIndex
from ..features.layers.navigation import LayerAtCursor, layer_at
from ..lsp.conversion import ProtocolConverter
from ..lsp.protocol import RelayLanguageServer
from .views import View, layers_read

__all__ = ["layer_under", "layers_of_all_texts"]


async def layer_under(server: RelayLanguageServer, seen: View, offset: int) -> LayerAtCursor | None:
    """The layers that are meant at an offset, where no name of the program stands.

    Raises:
        JsonRpcException: the text has changed while its layers were read.
    """
    if seen.is_part or seen.snapshot.symbol_at(offset) is not None:
        return None
    await layers_read(server, seen)
    uri, lines = seen.document.uri, seen.snapshot.lines
    return layer_at(seen.snapshot, offset, lambda: server.state.history.layer_index(uri, lines))


async def layers_of_all_texts(server: RelayLanguageServer) -> list[tuple[ProtocolConverter, LayerIndex]]:
    """The layers in open documents, then in the files of the workspace's folders."""
    encoding = server.state.documents.encoding
    texts: list[tuple[ProtocolConverter, LayerIndex]] = []
    for document in server.state.documents.of_workspace:
        index = server.state.history.layer_index(document.uri, document.lines)
        texts.append((server.converter_for(document), index))
    for uri, snapshot in await server.state.unopened():
        texts.append((ProtocolConverter(uri, snapshot.lines, encoding), layer_index(snapshot.lines)))
    return texts
