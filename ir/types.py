"""Relay's types, by TVM's names. Immutable; compared structurally, type variables by identity.

Source of the rule: ``include/tvm/ir/type.h``, ``tensor_type.h``, ``adt.h``, ``src/relay/ir``.
"""

from __future__ import annotations

import enum
import re
from typing import Final, TypeAlias

from typing_extensions import Self

from .dimensions import ANY, AnyDim, Dim, DimExpr, DimOperation, Shape, SizeVar, is_static

__all__ = [
    "ANY",
    "ERROR",
    "AnyDim",
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
]

_DTYPE = re.compile(r"(?:(float|int|uint|bfloat|custom\[\w+\])(\d+)|(bool|handle|void))(?:x(\d+))?\Z")


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

    def __init__(self, shape: Shape, dtype: str = "float32") -> None:
        self.shape: Final[Shape] = shape
        self.dtype: Final[DataType] = dtype if type(dtype) is DataType else DataType(dtype)
        self._hash: Final[int] = hash((shape, dtype))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, TensorType) and self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        if not self.shape:
            return str(self.dtype)
        return f"Tensor[({', '.join(map(str, self.shape))}), {self.dtype}]"

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)


class TupleType(Type):
    """``(Tensor[(1), float32], int32)``."""

    __slots__ = ("fields",)

    def __init__(self, fields: tuple[Type, ...]) -> None:
        self.fields: Final = fields

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, TupleType) and self.fields == other.fields)

    def __hash__(self) -> int:
        return hash(("tuple", self.fields))

    def __repr__(self) -> str:
        if len(self.fields) == 1:
            return f"({self.fields[0]!r},)"
        return f"({', '.join(map(repr, self.fields))})"


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


class TypeCall(Type):
    """``List[int32]``: an algebraic data type applied to arguments."""

    __slots__ = ("args", "func")

    def __init__(self, func: Type, args: tuple[Type, ...]) -> None:
        self.func: Final = func
        self.args: Final = args

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, TypeCall) and self.func == other.func and self.args == other.args)

    def __hash__(self) -> int:
        return hash((self.func, self.args))

    def __repr__(self) -> str:
        return f"{self.func!r}[{', '.join(map(repr, self.args))}]"


class FuncType(Type):
    """``fn (int32) -> int32``. Equality does not rename type parameters: see ``structural_equal``."""

    __slots__ = ("arg_types", "ret_type", "type_params")

    def __init__(self, arg_types: tuple[Type, ...], ret_type: Type, type_params: tuple[TypeVar, ...] = ()) -> None:
        self.arg_types: Final = arg_types
        self.ret_type: Final = ret_type
        self.type_params: Final = type_params

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, FuncType)
            and self.arg_types == other.arg_types
            and self.ret_type == other.ret_type
            and self.type_params == other.type_params
        )

    def __hash__(self) -> int:
        return hash((self.arg_types, self.ret_type, self.type_params))

    def __repr__(self) -> str:
        params = f"[{', '.join(map(repr, self.type_params))}]" if self.type_params else ""
        return f"fn {params}({', '.join(map(repr, self.arg_types))}) -> {self.ret_type!r}"


class RelayRefType(Type):
    """``ref(int32)``: a mutable cell."""

    __slots__ = ("value",)

    def __init__(self, value: Type) -> None:
        self.value: Final = value

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, RelayRefType) and self.value == other.value)

    def __hash__(self) -> int:
        return hash(("ref", self.value))

    def __repr__(self) -> str:
        return f"ref({self.value!r})"


class IncompleteType(Type):
    """A type that inference has still to find; equal only to itself."""

    __slots__ = ("kind",)

    def __init__(self, kind: TypeKind = TypeKind.TYPE) -> None:
        self.kind: Final = kind

    def __repr__(self) -> str:
        return f"IncompleteType[{self.kind.value}]"


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
