"""What a snapshot asks of the reading of its text, whichever reading it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from ..diagnostics import Diagnostic, Place
from ..expressions import Expr
from ..module import TypeData
from ..syntax.scopes import SymbolKind
from ..text.text_span import TextSpan
from ..types import GlobalTypeVar, Type
from .cache_regions import CacheBlock, CacheRegion
from .lints.unused import Unused
from .lowered_statement import LoweredStatement
from .segment_names import TokenLikeness
from .symbols import Symbol

__all__ = ["FunctionNames", "ModuleMeaning"]


class FunctionNames(msgspec.Struct, frozen=True):
    """What a function binds, anywhere in it.

    ``parameters`` are empty where the function is read as a whole: its values tell them. ``unused`` are the names that
    nothing mentions yet, as far as that is known without a search.
    """

    bound: Container[str]
    parameters: Mapping[str, Type]
    unused: Collection[str]


class ModuleMeaning(Protocol):
    """What is wrong with a text, what its names mean, and the types of its expressions.

    There are two readings: statement by statement (:class:`~.statement_names.StatementNames`), which follows edits, and
    of the whole text at once (:class:`~.whole_module.WholeModuleAnalysis`), which every text has. Segments are counted
    from 0; ``first`` to ``end`` is a half-open range of them. The key of a symbol belongs to the reading that made it.
    """

    # ---- what is wrong

    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is wrong, in the order of the text."""
        ...

    @property
    def unplaced(self) -> int:
        """How many findings there are besides those that :meth:`diagnostics` gave."""
        ...

    def unused(self) -> Sequence[Unused]:
        """The values that nothing uses. Those of functions before an edit are the same objects as before it."""
        ...

    # ---- what stays the same between edits

    def regions(self, first: int = 0, end: int | None = None) -> Iterator[CacheRegion]:
        """The text in regions that callers may cache something of; put together, they are the text.

        Where only some segments are wanted, the regions that these are in.
        """
        ...

    def cache_blocks(self) -> Iterator[CacheBlock]:
        """All statements of the text, in fewer pieces than :meth:`regions`; functions read as a whole come last."""
        ...

    def token_memo(self, index: int) -> dict[object, object]:
        """What callers cache of a segment as long as its tokens mean the same."""
        ...

    def token_likeness(self, index: int) -> TokenLikeness | None:
        """What the tokens of a segment have in common with those of others; ``None`` where they are looked at alone."""
        ...

    @property
    def call_memo(self) -> dict[object, object]:
        """What callers cache of :attr:`calls` as long as these stay the same."""
        ...

    @property
    def text_memo(self) -> dict[object, object]:
        """What callers keep from one text to the one after an edit, with what shows whether it still holds."""
        ...

    def template(self, index: int) -> LoweredStatement | None:
        """What a statement has in common with those that differ in names alone; ``None`` where it is not read alone."""
        ...

    def shared_template(self, index: int) -> LoweredStatement | None:
        """The lowering of another statement that this one differs from in names alone, where there is one."""
        ...

    # ---- names

    def named_tokens(self, index: int) -> tuple[Mapping[int, tuple[SymbolKind, bool]], Container[int]]:
        """What the tokens of a segment name, and whether they define it; and the tokens that name nothing."""
        ...

    def symbol_at(self, index: int, token: int) -> Symbol | None:
        """The symbol that a token of a segment defines or uses."""
        ...

    def head_memo(self, index: int) -> dict[object, object] | None:
        """What callers cache of a head that says the types of all its parameters; ``None`` for other segments."""
        ...

    def symbols(self, first: int, end: int) -> Iterator[Symbol]:
        """The symbols defined in a range of segments, in order."""
        ...

    def defined(self, first: int, end: int) -> Iterator[tuple[SymbolKind, str]]:
        """The kind and name of each definition in a range of segments, in order."""
        ...

    def parameters(self, index: int, within: TextSpan) -> Iterator[tuple[int, str, Type | None]]:
        """The parameters of the function whose head is a segment that begin in a range of it.

        Where each begins in the segment, its name and its type.
        """
        ...

    def type_symbols(self) -> list[Symbol]:
        """The types and constructors of the module, in order."""
        ...

    @property
    def functions(self) -> Sequence[Symbol]:
        """The functions of the module, in order."""
        ...

    def function_before(self, index: int, offset: int) -> Symbol | None:
        """The last function that begins at an offset in a segment or before it."""
        ...

    def functions_named(self, names: Collection[str]) -> Sequence[Symbol]:
        """The functions of the module that have one of some names, in order."""
        ...

    def function_names_among(self, names: Collection[str]) -> Sequence[tuple[str, int]]:
        """Those of some names that are those of functions of the module, and where they begin, in order."""
        ...

    @property
    def calls(self) -> Sequence[tuple[str, Collection[str]]]:
        """The functions of the module in the order of the text, and the names of those that each one names."""
        ...

    def values_at(self, index: int, offset: int) -> Iterator[Symbol]:
        """The values and type parameters that are visible at an offset in a segment, those bound last first."""
        ...

    def type_parameters_at(self, index: int, offset: int) -> Iterator[Symbol]:
        """The type parameters among these."""
        ...

    def typed_values_at(
        self, index: int, offset: int, wanted: re.Pattern[str] | None = None
    ) -> Iterator[tuple[str, Type | None]]:
        """The names of the values, and their types, each once; with ``wanted`` those whose names it matches."""
        ...

    def function_names(self, index: int) -> FunctionNames | None:
        """The names of the function around a segment; ``None`` outside of functions."""
        ...

    # ---- expressions and types

    def expression(self, index: int, statement: object, node: object) -> Expr | None:
        """The expression, of the typed module, made from a node of the syntax of a segment."""
        ...

    def value(self, key: object) -> Expr | None:
        """The expression that a symbol stands for."""
        ...

    def knows(self, expr: Expr) -> bool:
        """Whether this reading can tell the type of an expression."""
        ...

    def statement_type(self, index: int) -> Type | None:
        """The type of the value of a statement that is read alone, where it is known and nothing is wrong with it."""
        ...

    def type_ending_at(self, index: int, token: int) -> Type | None:
        """The type of the innermost expression that ends with a token of a statement that is read alone."""
        ...

    def parts_typed(self, index: int) -> Mapping[Expr, Type] | None:
        """The types of the parts of a statement's :meth:`template`; ``None`` where it is not read alone.

        It is the same object for statements of one template with values of the same types that follow one another.
        """
        ...

    def statement_types(
        self, block: CacheBlock, is_true: Callable[[str, Type], bool] | None = None
    ) -> Sequence[Type | None]:
        """The types of the statements of a block, where they are known; else the error type.

        ``None`` stands for what the block does not count, and for statements of whose text and type ``is_true`` holds,
        which is asked once for each.
        """
        ...

    def type_of(self, expr: Expr) -> Type | None:
        """The type of an expression, where all of it is known."""
        ...

    def locate(self, place: Place) -> TextSpan | None:
        """The range of a part of an expression."""
        ...

    @property
    def type_definitions(self) -> Mapping[GlobalTypeVar, TypeData]:
        """The data types of the module."""
        ...
