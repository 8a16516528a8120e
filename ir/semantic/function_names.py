"""The names of one function, as far as what is being written in it needs them."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping

import msgspec

from ..types import Type

__all__ = ["FunctionNames"]


class FunctionNames(msgspec.Struct, frozen=True):
    """What a function binds, anywhere in it.

    ``parameters`` are empty where the function is read as a whole: its values tell them. ``unused`` are the names that
    nothing mentions yet, as far as that is known without a search.
    """

    bound: Container[str]
    parameters: Mapping[str, Type]
    unused: Collection[str]
