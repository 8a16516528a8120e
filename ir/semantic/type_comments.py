"""What TVM's printer writes behind a value: ``/* ty=Tensor[(1, 64), float32] span=conv2d_0:0:0 */``.

TVM's parser passes over these comments. Here they are the best guess at the type of a statement while it is at fault,
and are checked against the types that are inferred.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ..syntax.parsing import parse_type
from ..types import Type

__all__ = ["TYPE_COMMENT", "type_of_comment"]

TYPE_COMMENT: Final = re.compile(r"/\* ty=([^*\n]*?)(?= \*/| span=)")
"""A type comment as far as its type, which is the group."""


@lru_cache(maxsize=4096)
def type_of_comment(text: str) -> Type | None:
    """The type that the text of a comment says; ``None`` where it is none that stands for itself."""
    return parse_type(text)
