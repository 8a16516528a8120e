"""What marks a function that ``OutLiner`` has made: the attribute that names the operator it came from."""

from typing import Final

__all__ = ["OUTLINED"]

OUTLINED: Final = "Outlined"
