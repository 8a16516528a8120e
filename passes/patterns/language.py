"""The words of the pattern language: what a piece of a dataflow graph looks like.

A pattern is matched by identity: the same pattern object standing in two places matches the same expression in both.

Source of the rule: ``python/tvm/relay/dataflow_pattern/__init__.py``, ``include/tvm/relay/dataflow_pattern.h``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from relay_lsp.ir.expressions import AttributeValue, Expr
from relay_lsp.ir.ops import operator
from relay_lsp.ir.types import Shape, Type

__all__ = [
    "AltPattern",
    "AttrPattern",
    "CallPattern",
    "ConstantPattern",
    "DFPattern",
    "DataTypePattern",
    "DominatorPattern",
    "ExprPattern",
    "FunctionPattern",
    "IfPattern",
    "LetPattern",
    "ShapePattern",
    "TupleGetItemPattern",
    "TuplePattern",
    "TypePattern",
    "VarPattern",
    "WildcardPattern",
    "dominates",
    "has_attr",
    "has_dtype",
    "has_shape",
    "has_type",
    "is_constant",
    "is_expr",
    "is_if",
    "is_let",
    "is_op",
    "is_tuple",
    "is_tuple_get_item",
    "is_var",
    "wildcard",
]


class DFPattern:
    """Any pattern. ``pattern(a, b)`` is a call of it, ``a | b`` is either, ``a + b`` an addition."""

    __slots__ = ()

    @property
    def parts(self) -> Sequence[DFPattern]:
        """The patterns inside this one, in the order in which TVM visits them."""
        return ()

    def __call__(self, *args: DFPattern | None) -> CallPattern:
        """A call of what this matches; ``pattern(None)`` takes any arguments."""
        if len(args) == 1 and args[0] is None:
            return CallPattern(self, None)
        return CallPattern(self, tuple(arg for arg in args if arg is not None))

    def __or__(self, other: DFPattern) -> AltPattern:
        return AltPattern(self, other)

    def __add__(self, other: DFPattern) -> CallPattern:
        return is_op("add")(self, other)

    def __sub__(self, other: DFPattern) -> CallPattern:
        return is_op("subtract")(self, other)

    def __mul__(self, other: DFPattern) -> CallPattern:
        return is_op("multiply")(self, other)

    def __truediv__(self, other: DFPattern) -> CallPattern:
        return is_op("divide")(self, other)

    def has_attr(self, attrs: Mapping[str, object]) -> AttrPattern:
        """This, with these attributes: of a call, of a function, or of an operator (``TOpPattern``)."""
        return AttrPattern(self, attrs)

    def has_type(self, ttype: Type) -> TypePattern:
        """This, of this type."""
        return TypePattern(self, ttype)

    def has_dtype(self, dtype: str) -> DataTypePattern:
        """This, a tensor of this dtype."""
        return DataTypePattern(self, dtype)

    def has_shape(self, shape: Sequence[object]) -> ShapePattern:
        """This, a tensor of this shape."""
        return ShapePattern(self, shape)

    def match(self, expr: Expr) -> bool:
        """Whether ``expr`` is of this form."""
        return _above("matcher").match(self, expr)

    def partition(
        self,
        expr: Expr,
        attrs: Mapping[str, AttributeValue] | None = None,
        check: Callable[[Expr], bool] = lambda _: True,
    ) -> Expr:
        """``expr`` with each match that passes ``check`` moved into a function that has ``attrs``, and called."""
        return _above("rewriting").partition(self, expr, attrs, check)

    def optional(self, option_constructor: Callable[[DFPattern], DFPattern]) -> DFPattern:
        """This, or this wrapped in what ``option_constructor`` makes of it."""
        return option_constructor(self) | self

    def dominates(self, parent: DFPattern, path: DFPattern | None = None) -> DominatorPattern:
        """This, where every way up from it leads through ``path`` (anything, if not given) to ``parent``."""
        return DominatorPattern(parent, path if path is not None else wildcard(), self)


def _above(module: str) -> Any:
    """A module that stands above the language, imported at first use."""
    return importlib.import_module(f".{module}", __package__)


class WildcardPattern(DFPattern):
    """Anything."""

    __slots__ = ()


class ConstantPattern(DFPattern):
    """Any constant."""

    __slots__ = ()


class VarPattern(DFPattern):
    """A variable; of this name, unless it is empty."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name: Final = name


class ExprPattern(DFPattern):
    """What is structurally equal to ``expr``."""

    __slots__ = ("expr",)

    def __init__(self, expr: Expr) -> None:
        self.expr: Final = expr


class CallPattern(DFPattern):
    """A call. ``args`` is ``None`` where any arguments will do."""

    __slots__ = ("args", "op")

    def __init__(self, op: DFPattern, args: Sequence[DFPattern] | None) -> None:
        self.op: Final = op
        self.args: Final = None if args is None else tuple(args)

    @property
    def parts(self) -> Sequence[DFPattern]:
        """Callee and arguments."""
        return (self.op, *(self.args or ()))


class FunctionPattern(DFPattern):
    """A function. ``params`` is ``None`` where any parameters will do."""

    __slots__ = ("body", "params")

    def __init__(self, params: Sequence[DFPattern] | None, body: DFPattern) -> None:
        self.params: Final = None if params is None else tuple(params)
        self.body: Final = body

    @property
    def parts(self) -> Sequence[DFPattern]:
        """Parameters and body."""
        return (*(self.params or ()), self.body)


class IfPattern(DFPattern):
    """A condition with both its branches."""

    __slots__ = ("cond", "false_branch", "true_branch")

    def __init__(self, cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> None:
        self.cond: Final = cond
        self.true_branch: Final = true_branch
        self.false_branch: Final = false_branch

    @property
    def parts(self) -> Sequence[DFPattern]:
        """Condition and branches."""
        return (self.cond, self.true_branch, self.false_branch)


class LetPattern(DFPattern):
    """A binding and what follows it."""

    __slots__ = ("body", "value", "var")

    def __init__(self, var: DFPattern, value: DFPattern, body: DFPattern) -> None:
        self.var: Final = var
        self.value: Final = value
        self.body: Final = body

    @property
    def parts(self) -> Sequence[DFPattern]:
        """Variable, value and body."""
        return (self.var, self.value, self.body)


class TuplePattern(DFPattern):
    """A tuple. ``fields`` is ``None`` where any fields will do."""

    __slots__ = ("fields",)

    def __init__(self, fields: Sequence[DFPattern] | None) -> None:
        self.fields: Final = None if fields is None else tuple(fields)

    @property
    def parts(self) -> Sequence[DFPattern]:
        """The fields."""
        return self.fields or ()

    def __getitem__(self, index: int) -> TupleGetItemPattern:
        return TupleGetItemPattern(self, index)


class TupleGetItemPattern(DFPattern):
    """A projection; at this index, unless it is ``None``."""

    __slots__ = ("index", "tuple_value")

    def __init__(self, tuple_value: DFPattern, index: int | None = None) -> None:
        self.tuple_value: Final = tuple_value
        self.index: Final = index

    @property
    def parts(self) -> Sequence[DFPattern]:
        """The tuple."""
        return (self.tuple_value,)


class AltPattern(DFPattern):
    """Either pattern; the left one is tried first."""

    __slots__ = ("left", "right")

    def __init__(self, left: DFPattern, right: DFPattern) -> None:
        self.left: Final = left
        self.right: Final = right

    @property
    def parts(self) -> Sequence[DFPattern]:
        """Both."""
        return (self.left, self.right)


class _Constrained(DFPattern):
    """A pattern with one more thing asked of what it matches."""

    __slots__ = ("pattern",)

    def __init__(self, pattern: DFPattern) -> None:
        self.pattern: Final = pattern

    @property
    def parts(self) -> Sequence[DFPattern]:
        """The pattern."""
        return (self.pattern,)


class AttrPattern(_Constrained):
    """A pattern with these attributes."""

    __slots__ = ("attrs",)

    def __init__(self, pattern: DFPattern, attrs: Mapping[str, object]) -> None:
        super().__init__(pattern)
        self.attrs: Final = attrs


class TypePattern(_Constrained):
    """A pattern of this type."""

    __slots__ = ("type",)

    def __init__(self, pattern: DFPattern, ttype: Type) -> None:
        super().__init__(pattern)
        self.type: Final = ttype


class DataTypePattern(_Constrained):
    """A pattern of a tensor of this dtype."""

    __slots__ = ("dtype",)

    def __init__(self, pattern: DFPattern, dtype: str) -> None:
        super().__init__(pattern)
        self.dtype: Final = dtype


class ShapePattern(_Constrained):
    """A pattern of a tensor of this shape."""

    __slots__ = ("shape",)

    def __init__(self, pattern: DFPattern, shape: Sequence[object]) -> None:
        super().__init__(pattern)
        self.shape: Final[Shape] = tuple(shape)  # pyright: ignore[reportAttributeAccessIssue]


class DominatorPattern(DFPattern):
    """``child``, from which every way up leads through ``path`` to ``parent``."""

    __slots__ = ("child", "parent", "path")

    def __init__(self, parent: DFPattern, path: DFPattern, child: DFPattern) -> None:
        self.parent: Final = parent
        self.path: Final = path
        self.child: Final = child

    @property
    def parts(self) -> Sequence[DFPattern]:
        """Parent, path and child."""
        return (self.parent, self.path, self.child)


def wildcard() -> DFPattern:
    """Anything."""
    return WildcardPattern()


def is_var(name: str = "") -> DFPattern:
    """A variable, of this name unless it is empty."""
    return VarPattern(name)


def is_constant() -> DFPattern:
    """Any constant."""
    return ConstantPattern()


def is_expr(expr: Expr) -> DFPattern:
    """What is structurally equal to ``expr``."""
    return ExprPattern(expr)


def is_op(op_name: str) -> DFPattern:
    """The operator of this name.

    Raises:
        KeyError: there is none.
    """
    return ExprPattern(operator.get(op_name))


def is_tuple(fields: Sequence[DFPattern] | None) -> TuplePattern:
    """A tuple of these fields, or any tuple for ``None``."""
    return TuplePattern(fields)


def is_tuple_get_item(tuple_value: DFPattern, index: int | None = None) -> TupleGetItemPattern:
    """A projection of ``tuple_value``, at any index for ``None``."""
    return TupleGetItemPattern(tuple_value, index)


def is_if(cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> IfPattern:
    """A condition with both its branches."""
    return IfPattern(cond, true_branch, false_branch)


def is_let(var: DFPattern, value: DFPattern, body: DFPattern) -> LetPattern:
    """A binding and what follows it."""
    return LetPattern(var, value, body)


def has_attr(attrs: Mapping[str, object], pattern: DFPattern | None = None) -> AttrPattern:
    """``pattern``, or anything, with these attributes."""
    return AttrPattern(pattern if pattern is not None else wildcard(), attrs)


def has_type(ttype: Type, pattern: DFPattern | None = None) -> TypePattern:
    """``pattern``, or anything, of this type."""
    return TypePattern(pattern if pattern is not None else wildcard(), ttype)


def has_dtype(dtype: str, pattern: DFPattern | None = None) -> DataTypePattern:
    """``pattern``, or anything, that is a tensor of this dtype."""
    return DataTypePattern(pattern if pattern is not None else wildcard(), dtype)


def has_shape(shape: Sequence[object], pattern: DFPattern | None = None) -> ShapePattern:
    """``pattern``, or anything, that is a tensor of this shape."""
    return ShapePattern(pattern if pattern is not None else wildcard(), shape)


def dominates(parent: DFPattern, path: DFPattern, child: DFPattern) -> DominatorPattern:
    """``child``, from which every way up leads through ``path`` to ``parent``."""
    return DominatorPattern(parent, path, child)
