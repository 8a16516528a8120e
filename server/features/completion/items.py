"""What a completion is: what stands in the list, what is put in for it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Completion", "CompletionKind", "Completions"]


class CompletionKind(enum.Enum):
    """What is completed; decides the icon."""

    ATTRIBUTE = "attribute"
    ATTRIBUTE_VALUE = "value"
    VALUE = "variable"
    FUNCTION = "function"
    CONSTRUCTOR = "constructor"
    OPERATOR = "operator"
    TYPE = "type"
    DTYPE = "dtype"
    KEYWORD = "keyword"
    PASS = "pass"
    OPTION = "option"


class Completion(NamedTuple):
    """One thing that could be written in place of ``span``. A snippet has ``$1``, ``$0`` for the cursor's stops.

    There are hundreds in an answer, so they are made as quickly as can be.
    """

    label: str
    kind: CompletionKind
    span: TextSpan
    detail: str = ""
    """One line about it, for the list."""
    insert_text: str = ""
    snippet: str = ""
    subject: str = ""
    """What names its documentation: ``op:nn.relu``, ``attribute:nn.conv2d:strides``, ``pass:FuseOps``."""


@dataclass(frozen=True)
class Completions:
    """What can be written. Where there is more than an editor should be sent, it asks again with the next letter."""

    items: list[Completion]
    is_incomplete: bool
