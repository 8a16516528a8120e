"""Attributes of operators: typed fields, each with its default and its documentation.

An operator's attributes are one frozen class, declared once::

    @attributes("relay.attrs.LeakyReluAttrs")
    class LeakyReluAttrs(Attrs):
        alpha: float = attribute(doc="Slope for negative inputs.")

The annotation is the attribute's kind: it decides what text is accepted, how a value is converted, and what the
editor says when it is wrong. A field without a default is required, and always printed; one with a default is
printed only where it differs (TVM's ``AttrPrinter`` over ``VisitNonDefaultAttrs``).

Source of the rule: ``include/tvm/ir/attrs.h``.
"""

from __future__ import annotations

import ast
import collections.abc
import dataclasses
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from .dimensions import Dim, DimExpr, FloatImm, IntImm
from .types import DataType

if TYPE_CHECKING or sys.version_info < (3, 11):
    from typing_extensions import Self, dataclass_transform
else:
    from typing import dataclass_transform  # the other module takes longer to load than all of this one

_MISSING: Any = dataclasses.MISSING
_CALLABLE: Any = collections.abc.Callable


def attribute(
    default: Any = _MISSING,
    *,
    doc: str,
    lower: float | None = None,
    upper: float | None = None,
    choices: tuple[str, ...] = (),
    first: bool = False,
) -> Any:
    """A field of an :class:`Attrs` class: its default, documentation, inclusive bounds and accepted strings.

    One that is ``first`` stands before the fields of the class that its own extends.
    """
    metadata = {"doc": doc, "lower": lower, "upper": upper, "choices": choices, "first": first}
    if default is _MISSING:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


_GREATEST_FLOAT: Final = 3.4028235677973366e38
"""What rounds to the greatest float32 at most."""


def has_float_text(value: float) -> bool:
    """Whether an attribute can have ``value`` in a text that is read back: floats there are of float32, and no NaN."""
    return abs(value) < _GREATEST_FLOAT or math.isinf(value)


class AttributeValueError(ValueError):
    """A value that an attribute does not take; the message says what it takes."""


@dataclass(frozen=True, slots=True)
class AttributeField:
    """One attribute as its declaration tells it."""

    name: str
    annotation: Any
    default: Any
    doc: str
    lower: float | None
    upper: float | None
    choices: tuple[str, ...]
    converter: Callable[[Any], Any] = dataclasses.field(init=False, compare=False, repr=False)
    """Gives a value as the annotation wants it, or what stands for none."""

    def __post_init__(self) -> None:
        _set_slot(self, "converter", _converter(self.annotation))

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is _MISSING

    @property
    def kind(self) -> str:
        """The kind in words, for messages and documentation: ``integer``, ``list of dimensions``, …"""
        return _kind_name(self.annotation)

    @property
    def placeholder(self) -> str:
        """Text of a value that the attribute takes, for the user to begin with; empty where none is at hand."""
        if self.annotation is DataType:
            return '"float32"'
        first = f'"{self.choices[0]}"' if self.choices else "None"
        candidates = (first, "[]", '""', "0", "1", "False")
        lower = [] if self.lower is None else [f"{self.lower:g}"]
        for text in (*candidates, *lower):
            try:
                self.convert(ast.literal_eval(text))
            except AttributeValueError:
                continue
            return text
        return ""

    def convert(self, value: object) -> object:
        """``value`` as this attribute holds it.

        Raises:
            AttributeValueError: the value is of another kind, out of bounds, or not among the choices.
        """
        converted = self.converter(value)
        if self.annotation in (int, float) and isinstance(converted, (IntImm, FloatImm)):
            # A plain number in TVM's declaration has no dtype to keep; an element of a list has one.
            converted = self.annotation(converted)
        if converted is _MISSING:
            raise AttributeValueError(f"attribute {self.name} takes {self.kind}")
        if isinstance(converted, (int, float)) and not isinstance(converted, bool):
            if self.lower is not None and converted < self.lower:
                raise AttributeValueError(f"attribute {self.name} must be at least {self.lower:g}, not {converted}")
            if self.upper is not None and converted > self.upper:
                raise AttributeValueError(f"attribute {self.name} must be at most {self.upper:g}, not {converted}")
        if self.choices and isinstance(converted, str) and converted not in self.choices:
            raise AttributeValueError(f"attribute {self.name} must be one of {', '.join(self.choices)}")
        return converted


def _no_values(_attrs: Attrs) -> object:
    return ()


class _DataclassFields:
    """The fields of a class of attributes as :mod:`dataclasses` wants them, made when it first asks."""

    def __init__(self) -> None:
        self._made: dict[type[Attrs], dict[str, Any]] = {}

    def __get__(self, _instance: object, owner: type[Attrs]) -> dict[str, Any]:
        if owner not in self._made:
            self._made[owner] = self._fields_of(owner)
        return self._made[owner]

    @staticmethod
    def _fields_of(owner: type[Attrs]) -> dict[str, Any]:
        declared = [(name, declaration.type, declaration) for name, declaration in owner.declarations.items()]
        made = dataclasses.make_dataclass(owner.__name__, declared, kw_only=True)
        return {field.name: field for field in dataclasses.fields(made)}


class Attrs:
    """The attributes of one call. Frozen; compared by value.

    :mod:`dataclasses` takes a class of attributes for a dataclass (``fields``, ``replace``), but its methods are
    these and not compiled for each class: there are 150 of them, and a text uses a few.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[Any] = _DataclassFields()
    type_key: ClassVar[str] = ""
    declarations: ClassVar[Mapping[str, Any]] = {}
    """What :func:`attribute` gave for each name, in the order of the declaration, inherited ones first."""
    _defaults: ClassVar[Mapping[str, Any]] = {}
    _values: ClassVar[Any] = staticmethod(_no_values)
    """Gives the values of such attributes, in that order."""
    _fields: ClassVar[dict[str, AttributeField] | None] = None
    _required: ClassVar[Sequence[AttributeField] | None] = None

    def __init__(self, **values: Any) -> None:
        for name, default in self._defaults.items():
            value = values.pop(name, default)
            if value is _MISSING:
                raise TypeError(f"{type(self).__name__}() is missing the attribute {name!r}")
            _set_slot(self, name, value)
        if values:
            raise TypeError(f"{type(self).__name__}() has no attribute {next(iter(values))!r}")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(self._values(self) == self._values(other))

    def __hash__(self) -> int:
        return hash(self._values(self))

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._defaults)})"

    def __setattr__(self, name: str, value: object) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def __reduce__(self) -> tuple[Callable[..., Attrs], tuple[type[Attrs], dict[str, object]]]:
        return _rebuild, (type(self), {name: getattr(self, name) for name in self._defaults})

    @classmethod
    def required_fields(cls) -> Sequence[AttributeField]:
        """Those of the declared attributes that have no default."""
        required = cls.__dict__.get("_required")
        if required is None:
            required = cls._required = tuple([field for field in cls.fields().values() if field.required])
        return required

    @classmethod
    def fields(cls) -> Mapping[str, AttributeField]:
        """The declared attributes by name, in the order in which TVM prints them."""
        fields = cls.__dict__.get("_fields")
        if fields is None:
            annotations = typing.get_type_hints(cls)
            fields = {
                name: AttributeField(
                    name,
                    annotations[name],
                    declaration.default,
                    declaration.metadata["doc"],
                    declaration.metadata["lower"],
                    declaration.metadata["upper"],
                    declaration.metadata["choices"],
                )
                for name, declaration in sorted(
                    cls.declarations.items(), key=lambda item: not item[1].metadata["first"]
                )
            }
            cls._fields = fields
        return fields

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def keys(self) -> Sequence[str]:
        """The names of the attributes, so that ``dict(call.attrs)`` gives them with their values."""
        return tuple(self._defaults)

    def get_int(self, name: str) -> int:
        """The attribute as an integer."""
        return int(self[name])

    def get_int_tuple(self, name: str) -> tuple[int, ...]:
        """The attribute as integers."""
        return tuple(int(each) for each in self[name])

    def get_str(self, name: str) -> str:
        """The attribute as a string."""
        return str(self[name])

    def replace(self, **changes: object) -> Self:
        """These attributes with some of them changed."""
        return type(self)(**{name: getattr(self, name) for name in self._defaults} | changes)


_set_slot = object.__setattr__


def _rebuild(cls: type[Attrs], values: dict[str, object]) -> Attrs:
    return cls(**values)


AttrsClass = TypeVar("AttrsClass", bound=type[Attrs])

_classes: dict[str, type[Attrs]] = {}


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(attribute,))
def attributes(type_key: str = "") -> Callable[[AttrsClass], AttrsClass]:
    """Declare a class of attributes under TVM's type key (``relay.attrs.Conv2DAttrs``).

    Without a key it only holds fields that several classes share: they inherit from it, and may change a default.
    """

    def declare(cls: AttrsClass) -> AttrsClass:
        made = _with_slots(cls)
        made.type_key = type_key
        if type_key:
            _classes.setdefault(type_key, made)
        return typing.cast("AttrsClass", made)

    return declare


def _with_slots(cls: type[Attrs]) -> type[Attrs]:
    """The class made anew with a slot for each attribute that it declares, and what its methods need to know."""
    kinds = inspect.get_annotations(cls)
    inherited = cls.declarations
    own: dict[str, Any] = {name: vars(cls).get(name) for name in kinds}
    for name, declaration in own.items():
        if not isinstance(declaration, dataclasses.Field):
            raise TypeError(f"{cls.__name__}.{name} must be declared with attribute(…)")
        declaration.type = kinds[name]
    namespace: dict[str, Any] = {
        name: value for name, value in vars(cls).items() if name not in {*own, "__dict__", "__weakref__"}
    }
    declarations = {**inherited, **own}
    namespace["__slots__"] = tuple(name for name in own if name not in inherited)
    namespace["declarations"] = declarations
    namespace["_defaults"] = {name: declaration.default for name, declaration in declarations.items()}
    if declarations:
        namespace["_values"] = attrgetter(*declarations)
    made: type[Attrs] = type.__call__(type(cls), cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


def find_attributes(type_key: str) -> type[Attrs] | None:
    """The class declared under TVM's type key, if there is one (the metadata section names attributes by it)."""
    return _classes.get(type_key)


def _converter(annotation: Any) -> Callable[[Any], Any]:
    """What gives a value as an annotation wants it, or :data:`_MISSING`: made once for all calls of an operator."""
    for simple, convert in _SIMPLE_CONVERTERS:  # what a user annotates with need not be hashable
        if annotation is simple:
            return convert
    if annotation is Any:
        return _as_it_is
    origin = typing.get_origin(annotation)
    if origin is _CALLABLE:
        return lambda value: value if callable(value) else _MISSING
    arguments = typing.get_args(annotation)
    if origin is collections.abc.Mapping:
        return _mapping_converter(*map(_converter, arguments or (Any, Any)))
    if origin is tuple:
        return _list_converter(_converter(arguments[0] if arguments else Any))
    if origin is typing.Union or isinstance(annotation, types.UnionType):
        return _union_converter(tuple(map(_converter, arguments)))
    if isinstance(annotation, type):
        return lambda value: value if isinstance(value, annotation) else _MISSING
    return _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _to_dtype(value: Any) -> Any:
    if not isinstance(value, str):
        return _MISSING
    dtype = DataType(value)
    return dtype if dtype.is_valid or value == "" else _MISSING


def _to_int(value: Any) -> Any:
    if isinstance(value, IntImm):
        return value
    return int(value) if isinstance(value, int) else _MISSING


def _to_float(value: Any) -> Any:
    if isinstance(value, FloatImm):
        return value
    return float(value) if isinstance(value, (int, float)) else _MISSING


_SIMPLE_CONVERTERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (DataType, _to_dtype),
    (bool, lambda value: bool(value) if isinstance(value, int) and value in (0, 1) else _MISSING),
    (int, _to_int),
    (float, _to_float),
    (str, lambda value: str(value) if isinstance(value, str) else _MISSING),
    (type(None), lambda value: None if value is None else _MISSING),
    (None, lambda value: None if value is None else _MISSING),
    (object, _as_it_is),
)


def _list_converter(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if not isinstance(value, (tuple, list)):
            return _MISSING
        items = tuple([element(item) for item in typing.cast("tuple[object, ...]", value)])
        for item in items:
            if item is _MISSING:
                return _MISSING
        return items

    return convert


def _union_converter(options: tuple[Callable[[Any], Any], ...]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        for option in options:
            converted = option(value)
            if converted is not _MISSING:
                return converted
        return _MISSING

    return convert


def _mapping_converter(key: Callable[[Any], Any], item: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return _MISSING
        items = [(key(own), item(its)) for own, its in typing.cast("Mapping[object, object]", value).items()]
        return _MISSING if any(part is _MISSING for pair in items for part in pair) else dict(items)

    return convert


def _kind_name(annotation: Any, plural: bool = False) -> str:
    simple = {
        DataType: ("a dtype", "dtypes"),
        bool: ("True or False", "booleans"),
        int: ("an integer", "integers"),
        float: ("a number", "numbers"),
        str: ("a string", "strings"),
        DimExpr: ("a dimension", "dimensions"),
        type(None): ("None", "Nones"),
        object: ("a value", "values"),
    }
    if annotation in simple:
        return simple[annotation][plural]
    if annotation == Dim:
        return "dimensions" if plural else "a dimension"
    origin = typing.get_origin(annotation)
    if origin is _CALLABLE:
        return "functions" if plural else "a function"
    if origin is collections.abc.Mapping:
        key, item = typing.get_args(annotation)
        kind = f"from {_kind_name(key, plural=True)} to {_kind_name(item, plural=True)}"
        return f"mappings {kind}" if plural else f"a mapping {kind}"
    if origin is tuple:
        inner = _kind_name(typing.get_args(annotation)[0], plural=True)
        return f"lists of {inner}" if plural else f"a list of {inner}"
    if origin is typing.Union or isinstance(annotation, types.UnionType):
        options = list(typing.get_args(annotation))
        if DimExpr in options and int in options:
            options.remove(int)  # A dimension is a number or a symbol.
        return " or ".join(_kind_name(option, plural) for option in options)
    return getattr(annotation, "__name__", str(annotation))
