"""Layouts that change where operators want them to, and travel on through what comes after.

Every new value is known in two layouts: the one that the old program had it in, and the one that it has now. An
operator that can work in the new one takes it as it is; before any other, and at the end, it is transformed back.

Source of the rule: ``src/relay/transforms/transform_layout.h`` (``LayoutRewriter``), ``forward_rewrite.cc``,
``convert_layout.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.expressions import Call, Expr, Function, Tuple, TupleGetItem
from relay_lsp.ir.ops.data_layout import LayoutError
from relay_lsp.ir.ops.layout_inference import InferredLayout, Layouts
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import IncompleteType, TensorType, TupleType, Type
from relay_lsp.ir.visitor import children, with_children

from ..infrastructure import PassError
from ..infrastructure.operator_rules import OperatorRule, ask_for
from ..provenance import ExprMutator
from ..provenance.remarks import Remarks, name_of
from ..provenance.trampoline import Computation, compute
from .transforming import LayoutTransforms

__all__ = ["Altered", "altered_by_user", "rewrite_layouts"]

Altered: TypeAlias = Callable[[Call, tuple[Expr, ...], "Attrs | None"], "Call | None"]
"""``altered(old_call, new_args, attrs)``: the call in other layouts, with as many arguments; ``None`` leaves it."""


def rewrite_layouts(function: Function, altered: Altered) -> Function:
    """``function`` with each call in the layouts that ``altered`` gives it.

    Raises:
        PassError: an operator cannot take its new layout, or two layouts that meet do not convert.
    """
    return _LayoutRewriter(altered).visit_function(function)


def altered_by_user(
    rule: OperatorRule, pre: Call, args: tuple[Expr, ...], attrs: Attrs | None, last: object
) -> Call | None:
    """What a user's rule makes of a call; ``last`` is what it takes besides attributes, arguments and their types.

    Raises:
        PassError: it fails, or gives something else than a call, or than ``None``.
    """
    return ask_for(Call, rule, pre, attrs, list(args), [arg.checked_type for arg in pre.args], last)


@dataclass(frozen=True, slots=True)
class _Change:
    """The layout of a value in the old program and the one it has now; ``None`` where it is not known."""

    old: str | None = None
    new: str | None = None


_UNKNOWN = _Change()


class _LayoutRewriter(ExprMutator):
    """What an expression becomes may be in its new layout (``changes``); what takes it in decides."""

    def __init__(self, altered: Altered) -> None:
        super().__init__()
        self.altered = altered
        self.transforms = LayoutTransforms()
        self.changes: dict[Expr, _Change] = {}
        self.restored: dict[Expr, Expr] = {}
        # Calls that are unchanged, but that TVM would have rebuilt.
        self.rebuilt: set[Expr] = set()

    def rewrite(self, pre: Expr, post: Expr) -> Expr:
        if isinstance(pre, Call) and isinstance(post, Call):
            converted = self._converted(pre, post)
            if self.record.remarks is not None:
                self._remark(self.record.remarks, pre, post, converted)
            return self._left_as_it_is(pre, post) if converted is None else converted
        if isinstance(pre, Tuple):
            return post
        if isinstance(pre, TupleGetItem):
            return self._field(pre, post)
        return self._restored_parts(pre)

    def _remark(self, remarks: Remarks, pre: Call, post: Call, converted: Expr | None) -> None:
        """Say in which layout a call is computed from now on, or what takes it back to the old one."""
        if converted is None:
            changed = [old for old, arg in zip(pre.args, post.args, strict=True) if self._is_changed(arg)]
            if changed:
                words = f"layout unknown for {name_of(pre)}: {{}} is transformed back before it"
                remarks.missed("layout-unknown", pre, words, changed[0])
            return
        values = converted.fields if isinstance(converted, Tuple) else (converted,)
        change = next((change for value in values if self._is_changed(value) and (change := self.changes[value])), None)
        if change is not None:
            remarks.passed("layout", pre, f"computed in {change.new} instead of {change.old}")

    def _is_changed(self, value: Expr) -> bool:
        values = value.fields if isinstance(value, Tuple) else (value,)
        changes = [self.changes.get(each, _UNKNOWN) for each in values]
        return any(change.old != change.new for change in changes)

    def _field(self, pre: TupleGetItem, post: Expr) -> Expr:
        values = self.memo[pre.tuple_value]
        if not isinstance(values, Tuple):
            return post
        value = values.fields[pre.index]
        if isinstance(value, TupleGetItem) and value.tuple_value is pre.tuple_value and value.index == pre.index:
            self.changes[pre] = self.changes.get(value, _UNKNOWN)
            return pre
        return value

    def _left_as_it_is(self, pre: Call, post: Call) -> Expr:
        call = self._restored_parts(pre)
        if any(arg in self.changes or arg in self.rebuilt for arg in post.args):
            self.rebuilt.add(call)
        return call

    def _restored_parts(self, pre: Expr) -> Expr:
        return with_children(pre, [self._restored(part) for part in map(self.memo.__getitem__, children(pre))])

    def _restored(self, value: Expr) -> Expr:
        """``value`` in the layouts that the old program had it in."""
        if isinstance(value, Tuple):
            return compute(value, self._restore, self.restored)
        return self._restored_tensor(value)

    def _restore(self, value: Expr) -> Computation[Expr]:
        if not isinstance(value, Tuple):
            return self._restored_tensor(value)
        fields: list[Expr] = []
        for field in value.fields:
            fields.append((yield field))
        new = with_children(value, fields)
        return new if new is value else self.derive(new, value)

    def _restored_tensor(self, value: Expr) -> Expr:
        change = self.changes.get(value)
        if change is None or change.old == change.new:
            return value
        return self.derive(self._transform(value, change.new, change.old, value), value)

    def _converted(self, pre: Call, post: Call) -> Expr | None:
        """The call in its new layouts; ``None`` where its operator cannot say which these are."""
        if not isinstance(pre.op, Op) or pre.op.infer_layout is None:
            return None
        # The fields of a tuple are operands of their own; ``sizes`` has their number, or None for a plain argument.
        sizes = [len(arg.fields) if isinstance(arg, Tuple) else None for arg in post.args]
        operands = [self._operand(value) for arg in post.args for value in _values(arg)]
        made = [self.changes.get(value, _UNKNOWN) for value in operands]
        types = [arg.checked_type or IncompleteType() for arg in pre.args]
        now = _inferred(pre, pre, (), _grouped([change.old for change in made], sizes), types)
        if now is None:
            return None
        old_wanted = _flat(now.inputs)
        _require_one_each(old_wanted, operands, pre)
        new_args = _assembled(pre.args, operands, sizes)
        new_call = self.altered(pre, new_args, now.attrs) or Call(pre.op, new_args, now.attrs)
        new_operands = [value for arg in new_call.args for value in _values(arg)]
        if len(new_operands) != len(operands):
            raise PassError("an operator in other layouts must take as many operands", place=pre)
        known = list(zip(made, old_wanted, strict=True))
        old_layouts = [wanted if change.old is None else change.old for change, wanted in known]
        new_layouts = [wanted if change.new is None else change.new for change, wanted in known]
        then = _inferred(pre, new_call, _grouped(new_layouts, sizes), _grouped(old_layouts, sizes), types)
        if then is None:
            return None
        new_wanted = _flat(then.inputs)
        _require_one_each(new_wanted, operands, pre)
        transformed = [
            self._transformed(value, change, _Change(old, new), pre)
            for value, (change, old), new in zip(new_operands, known, new_wanted, strict=True)
        ]
        call = Call(new_call.op, _assembled(pre.args, transformed, sizes), then.attrs, (), pre.span)
        changes = [_Change(old, new) for old, new in zip(_flat(now.outputs), _flat(then.outputs), strict=True)]
        return self._result(pre, pre if _is_same(call, pre) else call, changes)

    def _operand(self, value: Expr) -> Expr:
        # What a tuple within a tuple holds is not followed, as in TVM.
        return self._restored(value) if isinstance(value, Tuple) else value

    def _transformed(self, value: Expr, made: _Change, wanted: _Change, place: Call) -> Expr:
        """An operand, changed by what made it from one layout to another, as the operator wants it."""
        if made.old == wanted.old:
            return self._transform(value, made.new, wanted.new, place)
        if made.old is not None:
            value = self._transform(value, made.new, made.old, place)
        return self._transform(value, wanted.old, wanted.new, place)

    def _transform(self, value: Expr, source: str | None, target: str | None, place: Expr) -> Expr:
        return self.transforms.transform(value, source, target, is_scalar=self._is_scalar(value), place=place)

    def _is_scalar(self, value: Expr) -> bool:
        """Whether ``value`` has one element. As in TVM, that is not seen of what has passed through the pass."""
        if value in self.changes or value in self.rebuilt:
            return False
        type = value.checked_type
        return isinstance(type, TensorType) and all(size == 1 for size in type.shape)

    def _result(self, pre: Call, call: Call, changes: Sequence[_Change]) -> Expr:
        if not isinstance(pre.checked_type, TupleType):
            self.changes[call] = changes[0]
            return call
        fields: list[Expr] = []
        for index, change in enumerate(changes):
            field = TupleGetItem(call, index)
            self.changes[field] = change
            fields.append(field)
        return Tuple(tuple(fields))


def _values(arg: Expr) -> tuple[Expr, ...]:
    return arg.fields if isinstance(arg, Tuple) else (arg,)


def _flat(layouts: Sequence[Layouts]) -> list[str | None]:
    """One layout per tensor, where a tuple has a tuple of them."""
    flat: list[str | None] = []
    for layout in layouts:
        if isinstance(layout, tuple):
            flat.extend(_flat(layout))
        else:
            flat.append(layout)
    return flat


def _grouped(layouts: Sequence[str | None], sizes: Sequence[int | None]) -> list[Layouts]:
    """One layout per argument: a tuple of them for each argument that has a size."""
    remaining = iter(layouts)
    return [next(remaining) if size is None else tuple(next(remaining) for _ in range(size)) for size in sizes]


def _assembled(old_args: Sequence[Expr], values: Sequence[Expr], sizes: Sequence[int | None]) -> tuple[Expr, ...]:
    """The arguments made of ``values``; an old tuple stays where its fields are the same."""
    remaining = iter(values)
    args: list[Expr] = []
    for old, size in zip(old_args, sizes, strict=True):
        if size is None:
            args.append(next(remaining))
            continue
        fields = tuple(next(remaining) for _ in range(size))
        args.append(with_children(old, fields) if isinstance(old, Tuple) else Tuple(fields))
    return tuple(args)


def _inferred(
    pre: Call, call: Call, new: Sequence[Layouts], old: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout | None:
    """The layouts of ``call``; ``None`` where one of them is undefined."""
    if not isinstance(call.op, Op) or call.op.infer_layout is None:
        return None
    try:
        layout = call.op.infer_layout(call.attrs, new, old, types)
    except LayoutError as error:
        raise PassError(str(error), place=pre) from error
    return None if None in _flat(layout.inputs) or None in _flat(layout.outputs) else layout


def _require_one_each(layouts: Sequence[str | None], operands: Sequence[Expr], place: Call) -> None:
    if len(layouts) != len(operands):
        raise PassError(
            f"{place.op!r} has {len(operands)} operands but layouts for {len(layouts)}: a tuple that is an argument "
            "must be written out",
            place=place,
        )


def _is_same(call: Call, pre: Call) -> bool:
    return (
        call.op is pre.op
        and call.attrs == pre.attrs
        and all(new is old for new, old in zip(call.args, pre.args, strict=True))
    )
