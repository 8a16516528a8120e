"""The canonical text of modules, expressions and types: what TVM's ``astext`` prints, to the byte.

Source of the rule: ``src/relay/printer``.
"""

from .text import PrintedText, text_pieces, to_text, to_text_with_positions
from .types import type_to_text
from .values import AttributeTexts, number_text, scalar_text, string_literal

__all__ = [
    "AttributeTexts",
    "PrintedText",
    "number_text",
    "scalar_text",
    "string_literal",
    "text_pieces",
    "to_text",
    "to_text_with_positions",
    "type_to_text",
]
