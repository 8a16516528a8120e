"""The generated accessors of the package ``tflite``, which have no types, and the names of its enumerations."""

from __future__ import annotations

from typing import Any, cast

import tflite  # pyright: ignore[reportMissingTypeStubs]

__all__ = ["names_of", "schema"]

schema: Any = tflite
"""The classes of ``schema.fbs``."""


def names_of(enumeration: Any) -> dict[int, str]:
    """The members of one of the schema's enumerations by number."""
    members = cast("dict[str, object]", vars(enumeration))
    return {value: name for name, value in members.items() if isinstance(value, int)}
