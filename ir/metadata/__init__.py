"""The ``#[metadata]`` section of a module's text: TVM's JSON graph of nodes, read and written.

What the text cannot say in place (a constant tensor, a symbolic dimension, attributes of another class than the
operator's) stands in this section as ``{type key: [objects]}``, and the text refers to it by ``meta[type key][index]``.

Source of the rule: ``src/relay/printer/meta_data.h``, ``src/node/serialization.cc``.
"""

from .encoding import MetadataError
from .nodes import type_key_of
from .objects import MetadataNode, SharedString, Unreadable
from .reader import MetadataFault, read_metadata, read_metadata_parts
from .writer import metadata_pieces, write_metadata

__all__ = [
    "MetadataError",
    "MetadataFault",
    "MetadataNode",
    "SharedString",
    "Unreadable",
    "metadata_pieces",
    "read_metadata",
    "read_metadata_parts",
    "type_key_of",
    "write_metadata",
]
