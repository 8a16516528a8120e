"""Relay's types, by TVM's names. Immutable; compared structurally, type variables by identity.

Source of the rule: ``include/tvm/ir/type.h``, ``tensor_type.h``, ``adt.h``, ``src/relay/ir``.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .dimensions import ANY, AnyDim, Dim, DimExpr, DimOperation, Shape, SizeVar, is_static

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "ANY",
    "ERROR",
    "LONGEST_TYPE_SHOWN",
    "OPEN",
    "AnyDim",
    "CompositeType",
    "DataType",
    "Dim",
    "DimExpr",
    "DimOperation",
    "ErrorType",
    "FuncType",
    "GlobalTypeVar",
    "IncompleteType",
    "RelayRefType",
    "Shape",
    "SizeVar",
    "TensorType",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeKind",
    "TypeVar",
    "is_static",
    "scalar_type",
    "shortened_type",
]

LONGEST_TYPE_SHOWN: Final = 10_000
"""Characters of a type that are shown in an editor or a message; behind them stands ``…``."""

_VAST: Final = 100_001

_DTYPE = re.compile(r"(?:(float|int|uint|bfloat|custom\[\w+\])(\d{1,4})|(bool|handle|void))(?:x(\d{1,6}))?\Z")


class DataType(str):
    """A dtype by its name: ``float32``, ``int8x4``, ``bool``, ``bfloat16``, ``custom[posites2]16``.

    ``uint1`` is another name for ``bool``, as in TVM (``include/tvm/runtime/data_type.h``).
    """

    __slots__ = ()

    def __new__(cls, name: str) -> Self:
        """The dtype called ``name``, which need not be a valid one."""
        return super().__new__(cls, "bool" if name == "uint1" else name)

    def _match(self) -> re.Match[str] | None:
        return _DTYPE.match(self)

    @property
    def is_valid(self) -> bool:
        """Whether TVM knows a dtype of this name."""
        return self._match() is not None

    @property
    def code(self) -> str:
        """The kind: ``float``, ``int``, ``uint``, ``bfloat``, ``bool``, ``handle``, ``void`` or ``custom[…]``."""
        match = self._match()
        return (match[1] or match[3]) if match else ""

    @property
    def bits(self) -> int:
        """Bits of one lane."""
        match = self._match()
        if not match:
            return 0
        if match[2]:
            return int(match[2])
        return {"bool": 1, "handle": 64, "void": 0}[match[3]]

    @property
    def lanes(self) -> int:
        """Lanes of a vector dtype; 1 for a scalar."""
        match = self._match()
        return int(match[4]) if match and match[4] else 1

    @property
    def is_float(self) -> bool:
        """Whether this is an IEEE float (bfloat16 is not)."""
        return self.startswith("float")

    @property
    def is_int(self) -> bool:
        """Whether this is a signed integer."""
        return self.startswith("int")

    @property
    def is_uint(self) -> bool:
        """Whether this is an unsigned integer; ``bool`` is TVM's ``uint1``."""
        return self.startswith("uint") or self == "bool"


class Type:
    """Any Relay type."""

    __slots__ = ()


class TensorType(Type):
    """``Tensor[(1, 64), float32]``; a scalar has the empty shape."""

    __slots__ = ("_hash", "dtype", "shape")

    def __init__(self, shape: Sequence[Dim], dtype: str = "float32") -> None:
        shape = tuple(shape)
        self.shape: Final[Shape] = shape
        self.dtype: Final[DataType] = dtype if type(dtype) is DataType else DataType(dtype)
        self._hash: Final[int] = hash((shape, dtype))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, TensorType) and self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[TensorType], tuple[Shape, DataType]]:
        return TensorType, (self.shape, self.dtype)

    def __repr__(self) -> str:
        if not self.shape:
            return str(self.dtype)
        return f"Tensor[({', '.join(map(str, self.shape))}), {self.dtype}]"

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)

    @property
    def concrete_shape(self) -> tuple[int, ...]:
        """The shape as integers.

        Raises:
            TypeError: a dimension is not known.
        """
        unknown = next((dim for dim in self.shape if not isinstance(dim, int)), None)
        if unknown is not None:
            raise TypeError(f"{self!r} has no concrete shape: the dimension {unknown} is not known")
        return tuple(int(dim) for dim in self.shape if isinstance(dim, int))


class CompositeType(Type):
    """A type that consists of others.

    Thirty statements ``%n = (%m, %m)`` have a type of 2 ** 30 parts, of which thirty are different objects. So what is
    asked of all parts (the hash, whether anything is unknown) is worked out once, from what the parts know of theirs;
    comparison looks at each pair of objects once; and what is shown of a type ends after :data:`LONGEST_TYPE_SHOWN`
    characters. Nothing of this is recursive: types may nest as deep as memory allows.
    """

    __slots__ = ("_hash", "_size", "has_error", "has_incomplete", "has_unknown")

    def __init__(self, key: object, parts: Sequence[Type]) -> None:
        self._hash: Final = hash(key)
        size = 1 + len(parts)
        has_error = has_incomplete = has_unknown = False
        for part in parts:
            if isinstance(part, CompositeType):
                size += part._size
                has_error = has_error or part.has_error
                has_incomplete = has_incomplete or part.has_incomplete
                has_unknown = has_unknown or part.has_unknown
            elif isinstance(part, IncompleteType):
                has_incomplete = True
                has_unknown = has_unknown or part is not OPEN
            elif part is ERROR:
                has_error = True
        self._size: Final[int] = min(size, _VAST)
        self.has_error: Final[bool] = has_error
        """Whether a part, however deep, is :data:`ERROR`."""
        self.has_incomplete: Final[bool] = has_incomplete
        """Whether a part, however deep, is still to be inferred."""
        self.has_unknown: Final[bool] = has_unknown
        """Whether such a part is one that a solver may merge with another type: any but :data:`OPEN`."""

    @property
    def is_vast(self) -> bool:
        """Whether it has more than 100,000 parts when each is counted as often as it stands there."""
        return self._size == _VAST

    @property
    def parts(self) -> tuple[Type, ...]:
        """The types that it consists of, in their order in the text; not its type parameters."""
        raise NotImplementedError

    def _is_like(self, other: Any) -> bool:
        """Whether ``other``, which is of the same class, may differ in its parts only."""
        return len(self.parts) == len(other.parts)

    def pieces(self) -> list[str | Type]:
        """What is shown of it, in order: texts and its parts."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, CompositeType) or self._hash != other._hash:
            return False
        seen: set[tuple[int, int]] = set()
        stack: list[tuple[Type, Type]] = [(self, other)]
        while stack:
            left, right = stack.pop()
            if left is right:
                continue
            if not isinstance(left, CompositeType):
                if left != right:
                    return False
                continue
            pair = (id(left), id(right))
            if pair in seen:
                continue
            seen.add(pair)
            if type(left) is not type(right) or not isinstance(right, CompositeType) or not left._is_like(right):
                return False
            stack.extend(zip(left.parts, right.parts, strict=True))
        return True

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return shortened_type(self)


def shortened_type(
    type: Type, longest: int = LONGEST_TYPE_SHOWN, deepest: float = math.inf, leaf: Callable[[Type], str] = repr
) -> str:
    """A type in Relay's syntax, cut off behind about ``longest`` characters and where it nests deeper than ``deepest``.

    ``leaf`` writes the types that are made of no others.
    """
    shown: list[str] = []
    length = 0
    stack: list[tuple[str | Type, int]] = [(type, 0)]
    while stack:
        piece, depth = stack.pop()
        if isinstance(piece, CompositeType) and depth <= deepest:
            stack.extend((part, depth + 1) for part in reversed(piece.pieces()))
            continue
        text = piece if isinstance(piece, str) else "…" if isinstance(piece, CompositeType) else leaf(piece)
        length += len(text)
        if length > longest:
            shown.append("…")
            break
        shown.append(text)
    return "".join(shown)


def _separated(types: tuple[Type, ...]) -> list[str | Type]:
    """``types`` with commas between them."""
    pieces: list[str | Type] = []
    for index, part in enumerate(types):
        if index:
            pieces.append(", ")
        pieces.append(part)
    return pieces


class TupleType(CompositeType):
    """``(Tensor[(1), float32], int32)``."""

    __slots__ = ("fields",)

    def __init__(self, fields: Sequence[Type]) -> None:
        fields = tuple(fields)
        self.fields: Final = fields
        super().__init__(("tuple", fields), fields)

    def __reduce__(self) -> tuple[type[TupleType], tuple[tuple[Type, ...]]]:
        return TupleType, (self.fields,)

    @property
    def parts(self) -> tuple[Type, ...]:
        """The fields."""
        return self.fields

    def pieces(self) -> list[str | Type]:
        """What is shown of it, in order: texts and its parts."""
        return ["(", *_separated(self.fields), ",)" if len(self.fields) == 1 else ")"]


class TypeKind(enum.Enum):
    """What a type variable or an incomplete type stands for (``tvm::TypeKind``)."""

    TYPE = "Type"
    SHAPE_VAR = "ShapeVar"
    BASE_TYPE = "BaseType"
    SHAPE = "Shape"
    CONSTRAINT = "Constraint"
    ADT_HANDLE = "AdtHandle"
    TYPE_DATA = "TypeData"


class TypeVar(Type):
    """A type parameter, equal only to itself."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: TypeKind = TypeKind.TYPE) -> None:
        self.name: Final = name
        self.kind: Final = kind

    def __repr__(self) -> str:
        return self.name


class GlobalTypeVar(Type):
    """The name of an algebraic data type, equal only to itself."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: TypeKind = TypeKind.ADT_HANDLE) -> None:
        self.name: Final = name
        self.kind: Final = kind

    def __repr__(self) -> str:
        return self.name

    def __call__(self, *args: Type) -> TypeCall:
        """The data type, applied to arguments."""
        return TypeCall(self, args)

    @property
    def name_hint(self) -> str:
        """Its name, as TVM calls that."""
        return self.name


class TypeCall(CompositeType):
    """``List[int32]``: an algebraic data type applied to arguments."""

    __slots__ = ("args", "func")

    def __init__(self, func: Type, args: Sequence[Type]) -> None:
        args = tuple(args)
        self.func: Final = func
        self.args: Final = args
        super().__init__((func, args), (func, *args))

    def __reduce__(self) -> tuple[type[TypeCall], tuple[Type, tuple[Type, ...]]]:
        return TypeCall, (self.func, self.args)

    @property
    def parts(self) -> tuple[Type, ...]:
        """The data type, and what it is applied to."""
        return (self.func, *self.args)

    def pieces(self) -> list[str | Type]:
        """What is shown of it, in order: texts and its parts."""
        return [self.func, "[", *_separated(self.args), "]"]


class FuncType(CompositeType):
    """``fn (int32) -> int32``. Equality does not rename type parameters: see ``structural_equal``."""

    __slots__ = ("arg_types", "ret_type", "type_params")

    def __init__(self, arg_types: Sequence[Type], ret_type: Type, type_params: Sequence[TypeVar] = ()) -> None:
        arg_types, type_params = tuple(arg_types), tuple(type_params)
        self.arg_types: Final = arg_types
        self.ret_type: Final = ret_type
        self.type_params: Final = type_params
        super().__init__((arg_types, ret_type, type_params), (*arg_types, ret_type))

    def __reduce__(self) -> tuple[type[FuncType], tuple[tuple[Type, ...], Type, tuple[TypeVar, ...]]]:
        return FuncType, (self.arg_types, self.ret_type, self.type_params)

    @property
    def parts(self) -> tuple[Type, ...]:
        """The types of the arguments, and that of the result."""
        return (*self.arg_types, self.ret_type)

    def _is_like(self, other: Any) -> bool:
        return len(self.arg_types) == len(other.arg_types) and self.type_params == other.type_params

    def pieces(self) -> list[str | Type]:
        """What is shown of it, in order: texts and its parts."""
        params = f"[{', '.join(map(repr, self.type_params))}]" if self.type_params else ""
        return [f"fn {params}(", *_separated(self.arg_types), ") -> ", self.ret_type]


class RelayRefType(CompositeType):
    """``ref(int32)``: a mutable cell."""

    __slots__ = ("value",)

    def __init__(self, value: Type) -> None:
        self.value: Final = value
        super().__init__(("ref", value), (value,))

    def __reduce__(self) -> tuple[type[RelayRefType], tuple[Type]]:
        return RelayRefType, (self.value,)

    @property
    def parts(self) -> tuple[Type, ...]:
        """What the cell holds."""
        return (self.value,)

    def pieces(self) -> list[str | Type]:
        """What is shown of it, in order: texts and its parts."""
        return ["ref(", self.value, ")"]


class IncompleteType(Type):
    """A type that inference has still to find; equal only to itself."""

    __slots__ = ("kind",)

    def __init__(self, kind: TypeKind = TypeKind.TYPE) -> None:
        self.kind: Final = kind

    def __repr__(self) -> str:
        return f"IncompleteType[{self.kind.value}]"


OPEN: Final = IncompleteType()
"""Stands for every unknown type between statements; it does not say which of them are the same."""


class ErrorType(Type):
    """The type of what is broken: it agrees with every type, so that one fault is reported once."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<error>"

    def __reduce__(self) -> str:
        return "ERROR"


ERROR: Final = ErrorType()
"""The one error type."""


TypeOrVar: TypeAlias = Type


def scalar_type(dtype: str) -> TensorType:
    """The type of a scalar."""
    return TensorType((), dtype)
