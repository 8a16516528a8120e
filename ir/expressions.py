"""Relay's expressions, by TVM's names: immutable, shared, compared by identity.

An expression is made once and never changed; a pass makes new ones. Two slots are filled after construction,
each at most once by the stage that owns it: ``checked_type`` by inference, ``span`` by lowering (TVM gives a bound
value the position of its last use, which is known only later). ``Final`` lets the type checker hold this
without a cost at run time: modules of a hundred thousand expressions are ordinary.

Source of the rule: ``include/tvm/relay/expr.h``, ``function.h``, ``adt.h``, ``include/tvm/ir/expr.h``; of Python's
operators on them ``python/tvm/relay/expr.py``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from .lazy_numpy import np
from .spans import AnySpan
from .types import DataType, GlobalTypeVar, TensorType, Type, TypeVar

if TYPE_CHECKING:
    import numpy.typing as npt

    from .attributes import Attrs

__all__ = [
    "AttributeValue",
    "Call",
    "Clause",
    "Constant",
    "Constructor",
    "ErrorExpr",
    "Expr",
    "Function",
    "GlobalVar",
    "If",
    "Let",
    "Match",
    "NDArray",
    "Pattern",
    "PatternConstructor",
    "PatternTuple",
    "PatternVar",
    "PatternWildcard",
    "RefCreate",
    "RefRead",
    "RefWrite",
    "Tuple",
    "TupleGetItem",
    "Var",
    "VirtualDevice",
]

NDArray: TypeAlias = "npt.NDArray[Any]"

AttributeValue: TypeAlias = (
    "bool | int | float | str | tuple[AttributeValue, ...] | Mapping[str, AttributeValue] | object | None"
)
"""A value in a function's attribute dictionary."""


class VirtualDevice(msgspec.Struct, frozen=True):
    """Where a value lives: ``VirtualDevice(device_type=1, virtual_device_id=0, target=…, memory_scope="")``."""

    device_type: int = -1
    virtual_device_id: int = -1
    target: object = None
    memory_scope: str = ""


class Expr:
    """Any Relay expression."""

    __slots__ = ("__weakref__", "checked_type", "span")

    checked_type: Type | None
    span: AnySpan | None

    def __init__(self, span: AnySpan | None = None) -> None:
        self.span = span
        self.checked_type = None

    def __repr__(self) -> str:
        return _above("summary").summary(self)

    def __str__(self) -> str:
        return self.text(show_header=False, show_meta_data=False)

    def text(self, show_meta_data: bool = True, show_header: bool = True) -> str:
        """The text of this expression, as :func:`relay_lsp.ir.to_text` writes it."""
        return _above("printing").to_text(self, show_meta_data=show_meta_data, show_header=show_header)

    def astext(self, show_meta_data: bool = True) -> str:
        """As :meth:`text`, by TVM's name."""
        return self.text(show_meta_data=show_meta_data)

    def same_as(self, other: object) -> bool:
        """Whether it is the same object."""
        return self is other

    def astuple(self) -> Expr:
        """Itself: what TVM's ``TupleWrapper`` around several results gives."""
        return self

    def astype(self, dtype: str) -> Expr:
        """A cast to ``dtype``."""
        return _above("arithmetic").cast(self, dtype)

    def __call__(self, *args: Expr) -> Call:
        """A call of this function value."""
        return Call(self, args)

    def __getitem__(self, index: int) -> Expr:
        return _above("arithmetic").project(self, index)

    def __iter__(self) -> Iterator[Expr]:
        return _above("arithmetic").results(self)

    def __add__(self, other: Expr | float) -> Expr:
        return _operate("add", self, other)

    def __radd__(self, other: float) -> Expr:
        return _operate("add", other, self)

    def __sub__(self, other: Expr | float) -> Expr:
        return _operate("subtract", self, other)

    def __rsub__(self, other: float) -> Expr:
        return _operate("subtract", other, self)

    def __mul__(self, other: Expr | float) -> Expr:
        return _operate("multiply", self, other)

    def __rmul__(self, other: float) -> Expr:
        return _operate("multiply", other, self)

    def __truediv__(self, other: Expr | float) -> Expr:
        return _operate("divide", self, other)

    def __rtruediv__(self, other: float) -> Expr:
        return _operate("divide", other, self)

    def __lt__(self, other: Expr | float) -> Expr:
        return _operate("less", self, other)

    def __le__(self, other: Expr | float) -> Expr:
        return _operate("less_equal", self, other)

    def __gt__(self, other: Expr | float) -> Expr:
        return _operate("greater", self, other)

    def __ge__(self, other: Expr | float) -> Expr:
        return _operate("greater_equal", self, other)

    def __neg__(self) -> Expr:
        return _operate("negative", self)


def _above(module: str) -> Any:
    """A module that stands above the expressions. It is imported at first use: most programs never ask for it."""
    return importlib.import_module(f".{module}", __package__)


def _operate(name: str, *operands: Expr | float) -> Expr:
    return _above("arithmetic").operate(name, *operands)


def _dtype_of_number(number: float) -> str:
    own = getattr(number, "dtype", None)
    return own if isinstance(own, str) else "float32" if isinstance(number, float) else "int32"


class Constant(Expr):
    """A tensor known at compile time. ``data`` is never written to.

    It may be given as a number, of which numpy makes a scalar tensor when ``data`` is first asked for: a number that is
    typed does not wait for numpy. Without a ``dtype``, that is ``int32`` or ``float32``, or the number's own.

    ``virtual_device`` is the object that the metadata section names, so that writing it back gives the same section;
    no pass looks at it.
    """

    __slots__ = ("_data", "dtype", "virtual_device")

    def __init__(
        self,
        data: NDArray | float,
        dtype: str | None = None,
        span: AnySpan | None = None,
        virtual_device: VirtualDevice | None = None,
    ) -> None:
        if isinstance(data, float) and hasattr(data, "shape"):
            data = np.asarray(data)  # numpy's float64 is a number, too
        self._data: NDArray | float = data
        self.virtual_device: Final = virtual_device
        if dtype is None:
            dtype = _dtype_of_number(data) if isinstance(data, (int, float)) else data.dtype.name
        self.dtype: Final[DataType] = DataType(dtype)
        self.span = span
        self.checked_type = None

    @property
    def data(self) -> NDArray:
        """The tensor."""
        data = self._data
        if isinstance(data, (int, float)):
            data = self._data = np.array(data, dtype=str(self.dtype))
        return data

    @property
    def tensor_type(self) -> TensorType:
        """The type that the data has."""
        return TensorType(() if isinstance(self._data, (int, float)) else tuple(self._data.shape), self.dtype)

    @property
    def is_scalar(self) -> bool:
        """Whether the rank is 0."""
        return isinstance(self._data, (int, float)) or self._data.ndim == 0


class Var(Expr):
    """A local variable, ``%x``. Its identity, not its name, says which."""

    __slots__ = ("name_hint", "type_annotation", "virtual_device")

    def __init__(
        self,
        name_hint: str,
        type_annotation: Type | None = None,
        span: AnySpan | None = None,
        virtual_device: VirtualDevice | None = None,
    ) -> None:
        self.name_hint: Final = name_hint
        self.type_annotation: Final = type_annotation
        self.virtual_device: Final = virtual_device
        self.span = span
        self.checked_type = None

    def __repr__(self) -> str:
        return f"%{self.name_hint}"

    __str__ = __repr__


class GlobalVar(Expr):
    """The name of a function of the module, ``@main``."""

    __slots__ = ("name_hint",)

    def __init__(self, name_hint: str, span: AnySpan | None = None) -> None:
        self.name_hint: Final = name_hint
        self.span = span
        self.checked_type = None

    def __repr__(self) -> str:
        return f"@{self.name_hint}"

    __str__ = __repr__


class Tuple(Expr):
    """``(%a, %b)``."""

    __slots__ = ("fields",)

    def __init__(self, fields: Sequence[Expr], span: AnySpan | None = None) -> None:
        self.fields: Final = tuple(fields)
        self.span = span
        self.checked_type = None

    def __len__(self) -> int:
        return len(self.fields)

    def __bool__(self) -> bool:
        return True  # as of any expression


class TupleGetItem(Expr):
    """``%t.0``."""

    __slots__ = ("index", "tuple_value")

    def __init__(self, tuple_value: Expr, index: int, span: AnySpan | None = None) -> None:
        self.tuple_value: Final = tuple_value
        self.index: Final = index
        self.span = span
        self.checked_type = None


class Call(Expr):
    """``nn.relu(%x)``: an operator, function, constructor or any function value applied to arguments."""

    __slots__ = ("args", "attrs", "op", "type_args")

    def __init__(
        self,
        op: Expr,
        args: Sequence[Expr],
        attrs: Attrs | None = None,
        type_args: Sequence[Type] | None = (),
        span: AnySpan | None = None,
    ) -> None:
        self.op: Final = op
        self.args: Final = tuple(args)
        self.attrs: Final = attrs
        self.type_args: Final[tuple[Type, ...]] = tuple(type_args or ())
        self.span = span
        self.checked_type = None


class Let(Expr):
    """``let %x = value; body``."""

    __slots__ = ("body", "value", "var")

    def __init__(self, var: Var, value: Expr, body: Expr, span: AnySpan | None = None) -> None:
        self.var: Final = var
        self.value: Final = value
        self.body: Final = body
        self.span = span
        self.checked_type = None


class If(Expr):
    """``if (%c) { … } else { … }``."""

    __slots__ = ("cond", "false_branch", "true_branch")

    def __init__(self, cond: Expr, true_branch: Expr, false_branch: Expr, span: AnySpan | None = None) -> None:
        self.cond: Final = cond
        self.true_branch: Final = true_branch
        self.false_branch: Final = false_branch
        self.span = span
        self.checked_type = None


class Function(Expr):
    """``fn (%x: T) -> R { body }``, at the top level or as a value."""

    __slots__ = ("attrs", "body", "params", "ret_type", "type_params", "virtual_device")

    def __init__(
        self,
        params: Sequence[Var],
        body: Expr,
        ret_type: Type | None = None,
        type_params: Sequence[TypeVar] | None = (),
        attrs: Mapping[str, AttributeValue] | None = None,
        span: AnySpan | None = None,
        virtual_device: VirtualDevice | None = None,
    ) -> None:
        self.params: Final = tuple(params)
        self.body: Final = body
        self.ret_type: Final = ret_type
        self.type_params: Final = tuple(type_params or ())
        self.attrs: Final[Mapping[str, AttributeValue]] = attrs or {}
        self.virtual_device: Final = virtual_device
        self.span = span
        self.checked_type = None

    @property
    def is_primitive(self) -> bool:
        """Whether the function is a fused kernel (``Primitive=1``), which passes leave alone."""
        return bool(self.attrs.get("Primitive", 0))

    def with_attr(self, name: str | Mapping[str, AttributeValue], value: AttributeValue | None = None) -> Function:
        """The function with one more attribute, or with several."""
        added = {name: value} if isinstance(name, str) else name
        attrs = {**self.attrs, **added}
        made = Function(self.params, self.body, self.ret_type, self.type_params, attrs, self.span, self.virtual_device)
        made.checked_type = self.checked_type
        return made


class RefCreate(Expr):
    """``ref(%x)``."""

    __slots__ = ("value",)

    def __init__(self, value: Expr, span: AnySpan | None = None) -> None:
        self.value: Final = value
        self.span = span
        self.checked_type = None


class RefRead(Expr):
    """``ref_read(%r)``."""

    __slots__ = ("ref",)

    def __init__(self, ref: Expr, span: AnySpan | None = None) -> None:
        self.ref: Final = ref
        self.span = span
        self.checked_type = None


class RefWrite(Expr):
    """``ref_write(%r, %x)``; its value is the empty tuple."""

    __slots__ = ("ref", "value")

    def __init__(self, ref: Expr, value: Expr, span: AnySpan | None = None) -> None:
        self.ref: Final = ref
        self.value: Final = value
        self.span = span
        self.checked_type = None


class Constructor(Expr):
    """A constructor of an algebraic data type, ``Cons``."""

    __slots__ = ("belong_to", "inputs", "name_hint", "tag")

    def __init__(
        self,
        name_hint: str,
        inputs: Sequence[Type],
        belong_to: GlobalTypeVar,
        tag: int = -1,
        span: AnySpan | None = None,
    ) -> None:
        self.name_hint: Final = name_hint
        self.inputs: Final = tuple(inputs)
        self.belong_to: Final = belong_to
        self.tag: Final = tag
        self.span = span
        self.checked_type = None

    def __repr__(self) -> str:
        return self.name_hint

    __str__ = __repr__


class ErrorExpr(Expr):
    """What stands in for an expression that could not be read; ``parts`` are those below it that could.

    Inference types the parts, gives the whole the error type, and reports nothing that follows from it.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Expr, ...] = (), span: AnySpan | None = None) -> None:
        self.parts: Final = parts
        self.span = span
        self.checked_type = None


class Pattern:
    """A pattern of a ``match`` arm."""

    __slots__ = ("span",)

    span: AnySpan | None


class PatternWildcard(Pattern):
    """``_``."""

    __slots__ = ()

    def __init__(self, span: AnySpan | None = None) -> None:
        self.span = span


class PatternVar(Pattern):
    """``%x``: matches anything and names it."""

    __slots__ = ("var",)

    def __init__(self, var: Var, span: AnySpan | None = None) -> None:
        self.var: Final = var
        self.span = span


class PatternConstructor(Pattern):
    """``Cons(%head, _)``."""

    __slots__ = ("constructor", "patterns")

    def __init__(self, constructor: Constructor, patterns: Sequence[Pattern] = (), span: AnySpan | None = None) -> None:
        self.constructor: Final = constructor
        self.patterns: Final = tuple(patterns)
        self.span = span


class PatternTuple(Pattern):
    """``(%a, _)``."""

    __slots__ = ("patterns",)

    def __init__(self, patterns: Sequence[Pattern] = (), span: AnySpan | None = None) -> None:
        self.patterns: Final = tuple(patterns)
        self.span = span


class Clause:
    """One arm of a ``match``: a pattern and what it gives."""

    __slots__ = ("lhs", "rhs", "span")

    def __init__(self, lhs: Pattern, rhs: Expr, span: AnySpan | None = None) -> None:
        self.lhs: Final = lhs
        self.rhs: Final = rhs
        self.span = span


class Match(Expr):
    """``match (data) { clauses }``; ``match?`` where it need not cover every constructor."""

    __slots__ = ("clauses", "complete", "data")

    def __init__(
        self, data: Expr, clauses: Sequence[Clause], complete: bool = True, span: AnySpan | None = None
    ) -> None:
        self.data: Final = data
        self.clauses: Final = tuple(clauses)
        self.complete: Final = complete
        self.span = span
        self.checked_type = None
