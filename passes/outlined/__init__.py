"""What ``OutLiner`` makes into functions: what marks them, and which expressions each of them gathers."""

from typing import Final

from .effects import Effects
from .parts import Part, Source, parts_of
from .statements import is_opaque

__all__ = ["OUTLINED", "Effects", "Part", "Source", "is_opaque", "parts_of"]

OUTLINED: Final = "Outlined"
"""The attribute of such a function: the name of the operator or layer that it stands for."""
