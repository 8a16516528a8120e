"""The canonical text of modules, expressions and types: what TVM's ``astext`` prints, to the byte.

Source of the rule: ``src/relay/printer``.
"""

from .text import PrintedText, text_pieces, to_text, to_text_with_positions
from .types import TypeTooLongError, type_to_text
from .values import AttributeTexts, MetadataTable, number_text, scalar_text, string_literal, value_text

__all__ = [
    "AttributeTexts",
    "MetadataTable",
    "PrintedText",
    "TypeTooLongError",
    "number_text",
    "scalar_text",
    "string_literal",
    "text_pieces",
    "to_text",
    "to_text_with_positions",
    "type_to_text",
    "value_text",
]
