"""``Op``: an operator, declared once. Everything that needs to know about an operator reads this object."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, TypeAlias

import msgspec

from ..attributes import Attrs
from ..expressions import Expr, NDArray
from ..types import Dim, GlobalTypeVar, Type

if TYPE_CHECKING:
    from .layout_inference import InferLayout

__all__ = [
    "Argument",
    "FlopRule",
    "Kernel",
    "Op",
    "OpPattern",
    "RelationContext",
    "RelationError",
    "TypeRelation",
    "Value",
    "attribute_names",
    "find",
    "get",
    "register",
    "registered",
    "unregister",
]


class OpPattern(enum.IntEnum):
    """How an operator fuses (``include/tvm/relay/op_attr_types.h``)."""

    ELEMWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    COMM_REDUCE = 3
    OUT_ELEMWISE_FUSABLE = 4
    TUPLE = 7
    OPAQUE = 8


class Argument(msgspec.Struct, frozen=True):
    """One argument: its name, the type in words (TVM's ``add_argument``) and its documentation."""

    name: str
    doc: str = ""
    type: str = "Tensor"


class RelationError(Exception):
    """A call that cannot be typed: what is wrong, and which argument or attribute is at fault.

    ``argument`` is an index, ``attribute`` a name; with neither the whole call is at fault. ``related`` names other
    arguments that the message speaks of, each with its own words.
    """

    def __init__(
        self,
        message: str,
        *,
        argument: int | None = None,
        attribute: str | None = None,
        code: str = "type-mismatch",
        related: Sequence[tuple[int, str]] = (),
    ) -> None:
        super().__init__(message)
        self.message: Final = message
        self.argument: Final = argument
        self.attribute: Final = attribute
        self.code: Final = code
        self.related: Final = tuple(related)


class RelationContext(Protocol):
    """What a type relation sees of the call that it types."""

    types: Sequence[Type]
    """The arguments' types as far as they are known; an unknown one is an ``IncompleteType``."""
    attrs: Any
    """The call's attributes, of the operator's declared class."""
    output: Type
    """What is known of the result so far; usually an ``IncompleteType``."""
    arguments: Sequence[Expr]
    """The argument expressions, for the few relations that read a constant."""

    def assign(self, argument: int, type: Type) -> None:
        """Unify the type of an argument with ``type``: an unannotated weight takes it, a known one must agree.

        Raises:
            RelationError: they disagree.
        """
        ...

    def require_equal(self, lhs: Dim, rhs: Dim) -> bool:
        """Whether two dimensions can be equal: ``?`` and symbolic ones can, two different numbers cannot."""
        ...

    def find_type(self, name: str) -> GlobalTypeVar | None:
        """The algebraic data type that the module defines under ``name``, if it does (``Storage``)."""
        ...


TypeRelation: TypeAlias = Callable[["RelationContext"], "Type | None"]
"""Gives the type of a call's result, or ``None`` while an argument's type is not known well enough.

Raises:
    RelationError: the call is ill-typed.
"""

Value: TypeAlias = "NDArray | tuple[Value, ...]"

Kernel: TypeAlias = Callable[[Any, Sequence[Any], Type], Any]
"""``kernel(attrs, inputs, result_type)``: numpy arrays (or nested tuples of them) in and out."""

FlopRule: TypeAlias = Callable[[Any, Sequence[Type], Type], int]
"""``flops(attrs, argument_types, result_type)``: the floating-point operations of a call.

Raises:
    UnknownSizeError: a shape is open.
"""


_OPERATORS: Final = __name__.rpartition(".")[0]
"""The package of the operators that are declared here; those of users are elsewhere."""


class Op(Expr):
    """An operator; also the expression that names it in a call."""

    __slots__ = (
        "arguments",
        "attrs_type",
        "doc",
        "flops",
        "infer_layout",
        "kernel",
        "metadata_attrs_type",
        "name",
        "non_computational",
        "pattern",
        "relation",
        "reshapes_only",
        "shape_needs_data",
        "stateful",
        "support_level",
        "variadic",
        "without_code",
        "without_pattern",
    )

    def __init__(
        self,
        name: str,
        *,
        doc: str,
        arguments: Sequence[Argument] = (),
        attrs: type[Attrs] | None = None,
        relation: TypeRelation | None = None,
        pattern: OpPattern = OpPattern.OPAQUE,
        kernel: Kernel | None = None,
        flops: FlopRule | None = None,
        infer_layout: InferLayout | None = None,
        stateful: bool = False,
        level: int = 10,
        variadic: bool = False,
        metadata_attrs: type[Attrs] | None = None,
        non_computational: bool = False,
        reshapes_only: bool = False,
        shape_needs_data: bool = False,
        without_code: bool = False,
        without_pattern: bool = False,
    ) -> None:
        super().__init__()
        self.name: Final = name
        self.doc: Final = inspect.cleandoc(doc)
        self.arguments: Final = tuple(arguments)
        self.attrs_type: Final = attrs
        self.relation: Final = relation
        self.pattern: Final = pattern
        self.kernel: Final = kernel
        self.flops: Final = flops
        """The operations of a call, where the pattern does not say; ask :mod:`.costs`."""
        self.infer_layout: Final = infer_layout
        self.stateful: Final = stateful
        self.support_level: Final = level
        self.variadic: Final = variadic
        self.metadata_attrs_type: Final = metadata_attrs
        """Attributes that TVM's registry does not name: a text can give them only as ``meta[…]``."""
        self.non_computational: Final = non_computational
        """Whether it stands for something else and is never run as it is, as ``qnn.*`` (``TNonComputational``)."""
        self.reshapes_only: Final = reshapes_only
        """Whether it keeps the data and gives it another shape (``TReshapeOp``)."""
        self.shape_needs_data: Final = shape_needs_data
        """Whether the shape of a result depends on values of arguments (``TShapeDataDependent``)."""
        self.without_code: Final = without_code
        """Whether no target of TVM has code for it (no ``FTVMStrategy``): what runs it when compiling is refused."""
        self.without_pattern: Final = without_pattern
        """Whether TVM registers no fusion pattern for it (no ``TOpPattern``): a pass that asks for one refuses it."""

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    def __reduce__(self) -> tuple[Callable[[str], Op], tuple[str]]:
        return get, (self.name,)

    @property
    def relation_reads_values(self) -> bool:
        """Whether the type relation may look at the values of arguments; those of this package look at types alone."""
        return self.relation is not None and not str(getattr(self.relation, "__module__", "")).startswith(_OPERATORS)

    def default_attrs(self) -> Attrs | None:
        """The attributes with every default, where none is required; ``None`` for an operator without attributes."""
        return None if self.attrs_type is None else self.attrs_type()


_registry: dict[str, Op] = {}


def register(op: Op) -> Op:
    """Add an operator to the registry.

    Raises:
        ValueError: the name is taken.
    """
    if op.name in _registry:
        raise ValueError(f"operator {op.name} is registered twice")
    _registry[op.name] = op
    attribute_names.cache_clear()
    return op


def unregister(name: str) -> None:
    """Forget an operator: one of a user's file that failed, or that is read anew."""
    _registry.pop(name, None)
    attribute_names.cache_clear()


def get(name: str) -> Op:
    """The operator called ``name``.

    Raises:
        KeyError: there is none.
    """
    return _registry[name]


@lru_cache(maxsize=1)
def attribute_names() -> frozenset[str]:
    """The names of all attributes of operators, and those that mean something wherever attributes stand."""
    declared = {op.attrs_type for op in registered().values() if op.attrs_type is not None}
    own = [name for attrs in declared for name in attrs.fields()]
    return frozenset([*own, "attrs_type_key", "virtual_device"])


def find(name: str) -> Op | None:
    """The operator called ``name``, if there is one."""
    return _registry.get(name)


def registered() -> Mapping[str, Op]:
    """Every operator by name."""
    return _registry


def reject(message: str, *, argument: int | None = None, attribute: str | None = None) -> NoReturn:
    """Raise a :class:`RelationError`."""
    raise RelationError(message, argument=argument, attribute=attribute)
