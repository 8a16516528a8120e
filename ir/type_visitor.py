"""Walking types without recursion, each object once: types are deep, and shared.

Source of the rules: ``src/ir/type_functor.cc`` (what a type's parts are, substitution),
``src/node/structural_equal.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from .dimensions import IntImm
from .types import (
    OPEN,
    CompositeType,
    ErrorType,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RelayRefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)

__all__ = [
    "distinct_parts",
    "has_error",
    "has_incomplete",
    "has_unknown",
    "rewrite_type",
    "same_type",
    "substitute",
    "tuple_leaves",
    "type_children",
    "type_with_children",
]


def type_children(type: Type) -> Sequence[Type]:
    """The direct parts of ``type``; a function type gives its arguments and then its result."""
    return type.parts if isinstance(type, CompositeType) else ()


def distinct_parts(root: Type) -> Iterator[Type]:
    """``root`` and everything in it, each object once: unfolded, a type may be exponentially larger."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        current = stack.pop()
        if isinstance(current, CompositeType):
            if id(current) in seen:
                continue
            seen.add(id(current))
            yield current
            stack.extend(reversed(current.parts))
        else:
            yield current


def tuple_leaves(root: Type) -> list[tuple[Type, int]]:
    """What the tuples of a type hold, however they nest: each object once, with how often it stands in the type as it
    would be written out; that may be exponentially larger than what is gone through here."""
    order: list[Type] = []
    entered: set[int] = set()
    stack = [(root, False)]
    while stack:
        current, is_left = stack.pop()
        if is_left:
            order.append(current)
        elif id(current) not in entered:
            entered.add(id(current))
            stack.append((current, True))
            stack += ((part, False) for part in (current.fields if isinstance(current, TupleType) else ()))
    counts = dict.fromkeys(map(id, order), 0)
    counts[id(root)] = 1
    for current in reversed(order):
        if isinstance(current, TupleType):
            for field in current.fields:
                counts[id(field)] += counts[id(current)]
    return [(each, counts[id(each)]) for each in order if not isinstance(each, TupleType)]


def has_error(type: Type) -> bool:
    """Whether a part of ``type`` could not be found because of an error."""
    return type.has_error if isinstance(type, CompositeType) else isinstance(type, ErrorType)


def has_incomplete(type: Type) -> bool:
    """Whether a part of ``type`` is not known yet."""
    return type.has_incomplete if isinstance(type, CompositeType) else isinstance(type, IncompleteType)


def known_type(type: Type | None) -> Type | None:
    """``type`` where all of it is known: a type does not hide an error."""
    return None if type is None or has_error(type) or has_incomplete(type) else type


def has_unknown(type: Type) -> bool:
    """Whether a part of ``type`` is still to be found, and may be merged with another: any but ``OPEN``."""
    if isinstance(type, CompositeType):
        return type.has_unknown
    return isinstance(type, IncompleteType) and type is not OPEN


def type_with_children(type: Type, parts: Sequence[Type]) -> Type:
    """``type`` with its :func:`type_children` replaced; ``type`` itself where none differs."""
    for old, new in zip(type_children(type), parts, strict=True):
        if old is not new:
            break
    else:
        return type
    if isinstance(type, TupleType):
        return TupleType(tuple(parts))
    if isinstance(type, FuncType):
        return FuncType(tuple(parts[:-1]), parts[-1], type.type_params)
    if isinstance(type, TypeCall):
        return TypeCall(parts[0], tuple(parts[1:]))
    if isinstance(type, RelayRefType):
        return RelayRefType(parts[0])
    return type


def rewrite_type(
    root: Type, leaf: Callable[[Type], Type], may_change: Callable[[Type], bool] = lambda part: True
) -> Type:
    """Rebuild ``root`` with every part that has no parts of its own replaced by ``leaf(part)``, where it stands.

    What does not change stays the same object. ``leaf`` must return types that need no rewriting themselves. Of which
    ``may_change`` says no is not gone into.
    """
    if not may_change(root):
        return root
    if not type_children(root):
        return leaf(root)
    made: dict[int, Type] = {}
    stack = [root]
    while stack:
        current = stack[-1]
        parts = type_children(current)
        inner = [part for part in parts if type_children(part) and may_change(part)]
        missing = [part for part in inner if id(part) not in made]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if id(current) not in made:
            new = [made.get(id(part), part) if type_children(part) else leaf(part) for part in parts]
            made[id(current)] = type_with_children(current, new)
    return made[id(root)]


def substitute(root: Type, replacements: Mapping[TypeVar, Type]) -> Type:
    """``root`` with type variables replaced (TVM's ``Bind`` over types)."""
    if not replacements:
        return root

    def leaf(part: Type) -> Type:
        return replacements.get(part, part) if isinstance(part, TypeVar) else part

    return rewrite_type(root, leaf)


def same_type(lhs: Type, rhs: Type) -> bool:
    """Structural equality of two types; the type parameters of function types may have other names.

    Data types are compared by name, as TVM compares ``GlobalTypeVar``; incomplete types by identity.
    """
    if lhs is rhs:
        return True
    renamed: dict[TypeVar, TypeVar] = {}
    seen: set[tuple[int, int]] = set()
    stack: list[tuple[Type, Type]] = [(lhs, rhs)]
    while stack:
        left, right = stack.pop()
        if left is right:
            continue
        if type(left) is not type(right):
            return False
        if isinstance(left, TensorType):
            assert isinstance(right, TensorType)
            if left != right or not _same_dtypes(left, right):
                return False
            continue
        if isinstance(left, TypeVar):
            if renamed.get(left, left) is not right:
                return False
            continue
        if isinstance(left, GlobalTypeVar):
            assert isinstance(right, GlobalTypeVar)
            if left.name != right.name:
                return False
            continue
        parts, others = type_children(left), type_children(right)
        if len(parts) != len(others) or (not parts and not isinstance(left, TupleType)):
            return False
        pair = (id(left), id(right))
        if pair in seen:
            continue
        seen.add(pair)
        if isinstance(left, FuncType):
            assert isinstance(right, FuncType)
            if len(left.type_params) != len(right.type_params):
                return False
            renamed.update(zip(left.type_params, right.type_params, strict=True))
        stack.extend(zip(parts, others, strict=True))
    return True


def _same_dtypes(lhs: TensorType, rhs: TensorType) -> bool:
    """Whether the numbers in two equal shapes have the same dtypes, too."""
    for left, right in zip(lhs.shape, rhs.shape, strict=True):
        if type(left) is not type(right) or (
            isinstance(left, IntImm) and isinstance(right, IntImm) and left.dtype != right.dtype
        ):
            return False
    return True
