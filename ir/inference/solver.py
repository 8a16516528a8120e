"""Unification of types, and the relations that wait for a type to become known.

The forward path never comes here: a call whose arguments have known types runs its operator's relation at once. What
is incomplete (an unannotated weight, a lambda before its call) is an :class:`IncompleteType`, which unification
merges with what it turns out to be; a relation that could not answer runs again when one of its types gets known.

Type *objects* are merged, not only variables, as in the reference: where ``Tensor[(3), float32]`` meets
``Tensor[(?), float32]``, whatever had one of these two objects as its type has ``Tensor[(?), float32]`` afterwards.

Source of the rules: ``src/relay/analysis/type_solver.cc``. Where two types are the same, the left one stays and not
the right one: what is annotated is on the left, and need not be replaced.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, Protocol

import msgspec

from ..dimensions import ANY, AnyDim, Dim, DimExpr, DimOperation, SizeVar
from ..type_visitor import (
    distinct_parts,
    has_error,
    has_incomplete,
    has_unknown,
    same_type,
    substitute,
    type_children,
    type_with_children,
)
from ..types import (
    ERROR,
    OPEN,
    ErrorType,
    FuncType,
    IncompleteType,
    RelayRefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)

__all__ = ["Deferred", "Mismatch", "TypeSolver", "dims_may_be_equal", "has_computed_dimensions"]


class Mismatch(msgspec.Struct, frozen=True):
    """Two types that do not agree. ``dimensions`` are the indices at which two shapes of equal rank differ.

    ``infinite`` says that one would have to contain itself.
    """

    lhs: Type
    rhs: Type
    dimensions: tuple[int, ...] = ()
    infinite: bool = False

    def turned(self) -> Mismatch:
        """The same with its sides changed round."""
        return Mismatch(self.rhs, self.lhs, self.dimensions, self.infinite)


class Deferred(Protocol):
    """A relation that waits. ``run`` tries again and says whether it is settled."""

    queued: bool

    def run(self) -> bool:
        """Try with what is known now."""
        ...

    def waits_for(self) -> list[Type]:
        """The types that it depends on."""
        ...


def dims_may_be_equal(lhs: Dim, rhs: Dim) -> bool:
    """Whether two dimensions can be equal: only two that differ by a known number cannot.

    ``?`` and symbolic dimensions may be anything (``TypeReporter::AssertEQ``).
    """
    if isinstance(lhs, int) and isinstance(rhs, int):
        return lhs == rhs
    left, left_offset = _split_offset(lhs)
    right, right_offset = _split_offset(rhs)
    if left is None or isinstance(left, AnyDim) or left != right:
        return True
    return left_offset == right_offset


def _split_offset(dim: Dim) -> tuple[DimExpr | None, int]:
    """A dimension as something symbolic plus a number."""
    offset = 0
    current: Dim | float = dim
    while isinstance(current, DimOperation) and current.operator in ("+", "-") and isinstance(current.rhs, int):
        offset += current.rhs if current.operator == "+" else -current.rhs
        current = current.lhs
    return (current, offset) if isinstance(current, DimExpr) else (None, offset)


def has_computed_dimensions(type: Type) -> bool:
    """Whether a dimension in ``type`` is arithmetic over others."""
    return any(
        isinstance(dim, DimExpr) and not isinstance(dim, (AnyDim, SizeVar))
        for part in distinct_parts(type)
        if isinstance(part, TensorType)
        for dim in part.shape
    )


class TypeSolver:
    """Merges types and runs deferred relations.

    ``OPEN`` is merged with nothing: it stands for more than one unknown. ``told_open`` says that one had to be.
    """

    __slots__ = ("_alive", "_bound_dims", "_merged", "_queue", "_watchers", "told_open")

    def __init__(self) -> None:
        # Types are keyed by identity; ``_alive`` keeps every keyed object, so that no identity is used twice.
        self._alive: Final[list[Type]] = []
        self._merged: Final[dict[int, Type]] = {}
        self._bound_dims: Final[dict[SizeVar, Dim]] = {}
        self._watchers: Final[dict[int, list[Deferred]]] = {}
        self._queue: Final[deque[Deferred]] = deque()
        self.told_open = False

    # --- what a type is -------------------------------------------------------------------------------------------

    def find(self, type: Type) -> Type:
        """What ``type`` was merged with; its parts are not followed."""
        merged = self._merged
        value = merged.get(id(type))
        if value is None:
            return type
        path = [type]
        while True:
            following = merged.get(id(value))
            if following is None:
                break
            path.append(value)
            value = following
        for passed in path:
            merged[id(passed)] = value
        return value

    def resolved(self, mismatch: Mismatch) -> Mismatch:
        """The two types of a mismatch with everything that is known put in."""
        lhs, rhs = self.resolve(mismatch.lhs), self.resolve(mismatch.rhs)
        return Mismatch(lhs, rhs, mismatch.dimensions, mismatch.infinite)

    def resolve(self, type: Type, memo: dict[int, Type] | None = None) -> Type:
        """``type`` with everything that is known put in.

        A ``memo`` that is kept between calls, while nothing is merged, makes resolving the types of nested functions
        linear in the sum of what is new in each.
        """
        root = self.find(type)
        if not has_unknown(root):
            return root
        made: dict[int, Type] = {} if memo is None else memo
        stack: list[tuple[Type, bool]] = [(root, False)]
        while stack:
            current, expanded = stack.pop()
            if id(current) in made:
                continue
            if not has_unknown(current):
                made[id(current)] = current
                continue
            if isinstance(current, IncompleteType):
                position = self.find(current)
                if position is current or id(position) in made:
                    made[id(current)] = made.get(id(position), current)
                else:
                    stack.append((current, False))
                    stack.append((position, False))
                continue
            parts = type_children(current)
            if expanded:
                made[id(current)] = type_with_children(current, [made[id(part)] for part in parts])
                self._alive.append(current)
            else:
                stack.append((current, True))
                stack.extend((part, False) for part in parts if id(part) not in made)
        return made[id(root)]

    def is_complete(self, type: Type) -> bool:
        """Whether ``type`` contains no incomplete type (merged or not)."""
        return not has_incomplete(type)

    def contains_error(self, type: Type) -> bool:
        """Whether ``type``, which is resolved, contains an error type."""
        return has_error(type)

    def silence(self, types: Iterable[Type]) -> None:
        """Replace what is open in ``types`` by the error type: it depends on a broken part and cannot be inferred."""
        for type in types:
            for unknown in self._unknowns(type):
                self._merge(unknown, ERROR)

    def _unknowns(self, type: Type) -> list[IncompleteType]:
        """The incomplete types that are still open in ``type``; ``OPEN`` once, however much of it there is."""
        unknowns: list[IncompleteType] = []
        seen: set[int] = set()
        stack = [type]
        while stack:
            current = self.find(stack.pop())
            if id(current) in seen:
                continue
            seen.add(id(current))
            if isinstance(current, IncompleteType):
                unknowns.append(current)
            elif has_unknown(current):
                stack.extend(type_children(current))
            elif has_incomplete(current):
                stack.append(OPEN)
        return unknowns

    # --- merging --------------------------------------------------------------------------------------------------

    def _merge(self, source: Type, target: Type) -> None:
        source, target = self.find(source), self.find(target)
        if source is OPEN and isinstance(target, IncompleteType):
            source, target = target, source
        if source is target:
            return
        if source is OPEN:
            self.told_open = True
            return
        self._alive.append(source)
        self._alive.append(target)
        self._merged[id(source)] = target
        waiting = self._watchers.pop(id(source), None)
        if waiting:
            for deferred in waiting:
                if not deferred.queued:
                    deferred.queued = True
                    self._queue.append(deferred)

    def unify(
        self,
        lhs: Type,
        rhs: Type,
        mismatches: list[Mismatch],
        *,
        assign_lhs: bool = True,
        assign_rhs: bool = True,
    ) -> Type:
        """Make two types the same, and return what they are.

        What does not agree is added to ``mismatches``; the left type then stands. ``assign_lhs`` and ``assign_rhs``
        say whether a known type on that side is merged with the result.
        """
        # The stack holds pairs to unify, and marks that build the type of a pair from the types of its parts.
        # A pair that comes again, because a type contains it several times, has the result of the first time.
        results: list[Type] = []
        made_before: dict[tuple[int, int], Type] = {}
        stack: list[_Pair | _Assembly] = [_Pair(lhs, rhs, assign_lhs, assign_rhs)]
        while stack:
            item = stack.pop()
            if isinstance(item, _Assembly):
                count = len(item.parts)
                made = results[len(results) - count :]
                del results[len(results) - count :]
                # Where parts disagree the whole is not merged, so that a message can still tell the two apart.
                result = item.pair.lhs if mismatches else self._conclude(item.pair, item.build(made))
                made_before[id(item.pair.lhs), id(item.pair.rhs)] = result
                results.append(result)
                continue
            left, right = self.find(item.lhs), self.find(item.rhs)
            if left is right:
                results.append(left)
                continue
            known = made_before.get((id(left), id(right)))
            if known is not None:
                results.append(known)
                continue
            item = _Pair(left, right, item.assign_lhs, item.assign_rhs)
            if isinstance(left, ErrorType) or isinstance(right, ErrorType):
                results.append(right if isinstance(left, ErrorType) else left)
                self.silence((left, right))
                continue
            if isinstance(left, IncompleteType) or isinstance(right, IncompleteType):
                unknown, other = (left, right) if isinstance(left, IncompleteType) else (right, left)
                if self._occurs(unknown, other):
                    mismatches.append(Mismatch(left, right, infinite=True))
                    results.append(left)
                else:
                    self._merge(unknown, other)
                    results.append(other)
                continue
            if isinstance(left, TensorType) and isinstance(right, TensorType):
                results.append(self._conclude(item, self._unify_tensors(left, right, mismatches)))
                continue
            assembly = self._decompose(item)
            if assembly is None:
                if same_type(left, right):
                    results.append(self._conclude(item, left))
                else:
                    mismatches.append(Mismatch(left, right))
                    results.append(left)
                continue
            stack.append(assembly)
            stack.extend(_Pair(*part) for part in reversed(assembly.parts))
        return results[0]

    def _conclude(self, pair: _Pair, result: Type | None) -> Type:
        if result is None:
            return pair.lhs
        if pair.assign_lhs:
            self._merge(pair.lhs, result)
        if pair.assign_rhs:
            self._merge(pair.rhs, result)
        return result

    def _occurs(self, unknown: Type, type: Type) -> bool:
        return has_unknown(type) and any(part is unknown for part in self._unknowns(type))

    def _unify_tensors(self, lhs: TensorType, rhs: TensorType, mismatches: list[Mismatch]) -> Type | None:
        if same_type(lhs, rhs):
            # Printing tells equal dimensions apart that were computed twice: those computed last count.
            return rhs if has_computed_dimensions(rhs) else lhs
        if lhs.dtype != rhs.dtype or len(lhs.shape) != len(rhs.shape):
            mismatches.append(Mismatch(lhs, rhs))
            return None
        shape: list[Dim] = []
        differing: list[int] = []
        for index, (left, right) in enumerate(zip(lhs.shape, rhs.shape, strict=True)):
            dim = self._unify_dims(right, left)
            if dim is None:
                differing.append(index)
            else:
                shape.append(dim)
        if differing:
            mismatches.append(Mismatch(lhs, rhs, tuple(differing)))
            return None
        return TensorType(tuple(shape), lhs.dtype)

    def _unify_dims(self, lhs: Dim, rhs: Dim) -> Dim | None:
        left, right = self._dim(lhs), self._dim(rhs)
        if left is right or (isinstance(left, int) and left == right):
            return left
        if isinstance(left, AnyDim) or isinstance(right, AnyDim):
            return ANY
        if isinstance(left, SizeVar) and isinstance(right, int):
            self._bound_dims[left] = right
            return right
        if isinstance(left, int) and isinstance(right, SizeVar):
            self._bound_dims[right] = left
            return left
        return None

    def _dim(self, dim: Dim) -> Dim:
        while isinstance(dim, SizeVar) and dim in self._bound_dims:
            dim = self._bound_dims[dim]
        return dim

    @staticmethod
    def _decompose(pair: _Pair) -> _Assembly | None:
        """The parts of two types of the same form, and how to build their type; ``None`` where the forms differ."""
        lhs, rhs = pair.lhs, pair.rhs
        if isinstance(lhs, TupleType) and isinstance(rhs, TupleType) and len(lhs.fields) == len(rhs.fields):
            return _Assembly(pair, _pairs(lhs.fields, rhs.fields), lhs)
        if isinstance(lhs, RelayRefType) and isinstance(rhs, RelayRefType):
            return _Assembly(pair, _pairs((lhs.value,), (rhs.value,)), lhs)
        if isinstance(lhs, TypeCall) and isinstance(rhs, TypeCall) and len(lhs.args) == len(rhs.args):
            return _Assembly(pair, _pairs((lhs.func, *lhs.args), (rhs.func, *rhs.args)), lhs)
        if isinstance(lhs, FuncType) and isinstance(rhs, FuncType) and len(lhs.arg_types) == len(rhs.arg_types):
            # An operator's own type has a relation besides; it agrees only with itself.
            if type(lhs) is not type(rhs):
                return None
            few, many = (lhs, rhs) if len(lhs.type_params) <= len(rhs.type_params) else (rhs, lhs)
            renamed: dict[TypeVar, Type] = dict(zip(many.type_params, few.type_params, strict=False))
            renamed.update((param, IncompleteType()) for param in many.type_params[len(few.type_params) :])
            parts = [*(substitute(part, renamed) for part in many.arg_types), substitute(many.ret_type, renamed)]
            return _Assembly(pair, _pairs((*few.arg_types, few.ret_type), tuple(parts)), few)
        return None

    # --- waiting --------------------------------------------------------------------------------------------------

    def defer(self, deferred: Deferred) -> None:
        """Queue a relation that needs types that are not known yet."""
        deferred.queued = True
        self._queue.append(deferred)

    def solve(self) -> None:
        """Run every queued relation, and those that what they found wakes."""
        queue = self._queue
        while queue:
            deferred = queue.popleft()
            settled = deferred.run()
            # Only now: what the relation itself found must not wake it.
            deferred.queued = False
            if not settled:
                for type in deferred.waits_for():
                    for unknown in self._unknowns(type):
                        self._alive.append(unknown)
                        self._watchers.setdefault(id(unknown), []).append(deferred)


class _Pair(msgspec.Struct, frozen=True):
    lhs: Type
    rhs: Type
    assign_lhs: bool = True
    assign_rhs: bool = True


def _pairs(lhs: tuple[Type, ...], rhs: tuple[Type, ...]) -> tuple[tuple[Type, Type], ...]:
    return tuple(zip(lhs, rhs, strict=True))


class _Assembly(msgspec.Struct, frozen=True):
    pair: _Pair
    parts: tuple[tuple[Type, Type], ...]
    form: Type

    def build(self, parts: list[Type]) -> Type:
        """The type of this form with these parts; the form itself where they are its own."""
        return type_with_children(self.form, parts)
