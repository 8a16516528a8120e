"""The names of one function, as far as what is being written in it needs them."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass

from ..types import Type

__all__ = ["FunctionNames"]


@dataclass(frozen=True, slots=True)
class FunctionNames:
    """What a function binds, anywhere in it.

    ``parameters`` are empty where the function is read as a whole: its values tell them. ``unused`` are the names that
    nothing mentions yet, as far as that is known without a search.
    """

    bound: Container[str]
    parameters: Mapping[str, Type]
    unused: Collection[str]
