"""``tvm.relay.op.contrib.register``: tables of patterns that an external compiler takes as one operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relay_lsp.passes.compiler_regions import pattern_tables
from relay_lsp.passes.compiler_regions import register_pattern_table as _register

__all__ = ["get_pattern_table", "register_pattern_table"]

_Table = Callable[[], Sequence[Any]]


def register_pattern_table(compiler: str, table: _Table | None = None) -> Any:
    """Make what ``table()`` gives the patterns of a compiler; without a table, a decorator that does."""

    def register(function: _Table) -> _Table:
        _register(compiler, function())
        return function

    return register if table is None else register(table)


def get_pattern_table(compiler: str) -> Sequence[Any] | None:
    """The patterns of a compiler, or nothing where none were registered."""
    return pattern_tables().get(compiler)
