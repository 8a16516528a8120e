"""Lists whose length is known only when the program runs: Relay's type ``List``, and the functions on it.

Source of the rules: ``convert_to_list_adt``, ``list_getitem``, ``list_len``, ``add``, ``tensor_array_stack`` and
``concatenate`` in ``python/tvm/relay/frontend/pytorch.py``, and ``python/tvm/relay/prelude.py`` for what the functions
are called and compute. TVM stacks lists of ``float32`` at the first axis alone, through a type of its own; here a
function of the element's type does, for any dtype and axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import (
    Call,
    Clause,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Match,
    PatternConstructor,
    PatternVar,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.module import IRModule, TypeData
from relay_lsp.ir.type_visitor import same_type
from relay_lsp.ir.types import ANY, Dim, GlobalTypeVar, TensorType, Type, TypeCall
from relay_lsp.ir.visitor import post_order

from ..diagnostics import ConversionError
from ..inspection import type_of
from .prelude import prelude, prelude_types

__all__ = ["RuntimeList", "chosen_lists", "functions_of", "list_of", "listed", "module_of_lists", "types_of"]

_UNKNOWN_ELEMENTS = "the list has no elements yet that would say what it holds"


class RuntimeList:
    """A list while the program is converted: what changes it in place changes ``expr``.

    ``expr`` is ``None`` as long as the list is empty and its ``element`` is not known.
    """

    def __init__(self, expr: Expr | None = None, element: Type | None = None) -> None:
        self.expr = expr
        self.element = element

    @classmethod
    def of(cls, values: Sequence[Expr]) -> RuntimeList:
        """A list of these values.

        Raises:
            ConversionError: they are of several types.
        """
        made = cls()
        made.prepend(values)
        return made

    def prepend(self, values: Sequence[Expr]) -> None:
        """Put values before the first one; their types say what the list holds where that is not known."""
        for value in reversed(values):
            self._expect(type_of(value))
            self.expr = _typed(Call(_constructor("Cons"), (value, self.required())), self.type)

    def _expect(self, element: Type) -> None:
        if self.element is None:
            self.element = element
        if not same_type(self.element, element):
            raise ConversionError(
                f"a list whose length is not known holds values of one type: {self.element!r} here, and {element!r} "
                "is added"
            )

    @property
    def type(self) -> Type:
        """``List[element]``."""
        if self.element is None:
            raise ConversionError(_UNKNOWN_ELEMENTS)
        return list_of(self.element)

    def required(self) -> Expr:
        """The list as an expression; ``Nil`` where it is empty.

        Raises:
            ConversionError: it is not known what it holds.
        """
        if self.expr is None:
            self.expr = _typed(Call(_constructor("Nil"), ()), self.type)
        return self.expr

    def within(self, expr: Expr) -> RuntimeList:
        """The same list where it is called ``expr``, as in a loop; empty as long as it is not known what it holds."""
        return RuntimeList(None if self.element is None else expr, self.element)

    def learn(self, other: RuntimeList) -> None:
        """Take what the list holds from another list, where it is not known."""
        if self.element is None:
            self.element = other.element

    def append(self, value: Expr) -> None:
        """Put a value behind the last one."""
        self.extend(RuntimeList.of([value]))

    def extend(self, more: RuntimeList) -> None:
        """Put the values of another list behind the last one."""
        if more.element is None:
            return
        self._expect(more.element)
        self.expr = more.expr if self.expr is None else self._called("concat", more.required())

    def item(self, index: Expr) -> Expr:
        """The value at ``index``, an ``int32``; from the end where it is negative."""
        return _typed(Call(prelude().get_global_var("nth"), (self.required(), self._place(index))), self._element())

    def put(self, index: Expr, value: Expr) -> None:
        """Put another value at ``index``."""
        self._expect(type_of(value))
        self.expr = self._called("update", self._place(index), value)

    def length(self) -> Expr:
        """How many values there are, an ``int32``."""
        return _typed(Call(prelude().get_global_var("length"), (self.required(),)), _INT32)

    def reverse(self) -> None:
        """Turn the list."""
        self.expr = self._called("rev")

    def joined(self, axis: int, is_new: bool, functions: dict[GlobalVar, Function]) -> Expr:
        """The tensors of the list behind each other along ``axis``, which is a new one where ``is_new``.

        ``functions`` gets the function that does it.

        Raises:
            ConversionError: the list holds no tensors, or they have no such axis.
        """
        element = self._element()
        if not isinstance(element, TensorType):
            raise ConversionError(f"a list of tensors is expected, not of {element!r}")
        rank = element.ndim + is_new
        if not -rank <= axis < rank:
            raise ConversionError(f"there is no axis {axis} in a result of {rank} dimensions")
        axis %= rank
        var, function = _joining(element, axis, is_new)
        functions[var] = function
        return _typed(Call(var, (self.required(),)), _joined_type(element, axis, is_new))

    def _element(self) -> Type:
        if self.element is None:
            raise ConversionError(_UNKNOWN_ELEMENTS)
        return self.element

    def _called(self, name: str, *args: Expr) -> Expr:
        return _typed(Call(prelude().get_global_var(name), (self.required(), *args)), self.type)

    def _place(self, index: Expr) -> Expr:
        if not isinstance(index, Constant):
            index = call("cast", index, dtype="int32")
        elif int(index.data) < 0:
            return call("add", self.length(), call("cast", index, dtype="int32"))
        return index


_INT32 = TensorType((), "int32")


def list_of(element: Type) -> TypeCall:
    """``List[element]``."""
    return TypeCall(_list(), (element,))


def listed(expr: Expr) -> Expr | RuntimeList:
    """``expr``; where it is a list, as one."""
    type = expr.type_annotation if isinstance(expr, Var) else type_of(expr, module_of_lists())
    if isinstance(type, TypeCall) and type.func is _list():
        return RuntimeList(expr, type.args[0])
    return expr


def chosen_lists(
    cond: Expr, lists: Sequence[RuntimeList], branches: Sequence[Callable[[], Sequence[Expr]]]
) -> Sequence[Expr]:
    """What one of two branches gives, which change ``lists``: afterwards each list is what that branch made of it."""
    before = [made.expr for made in lists]
    results: list[list[Expr]] = []
    changed: list[list[Expr | None]] = []
    for branch in branches:
        for made, expr in zip(lists, before, strict=True):
            made.expr = expr
        results.append(list(branch()))
        changed.append([made.expr for made in lists])
    for given, exprs in zip(results, changed, strict=True):
        for made, expr in zip(lists, exprs, strict=True):
            made.expr = expr
            given.append(made.required())
    chosen = If(cond, Tuple(tuple(results[0])), Tuple(tuple(results[1])))
    fields = [TupleGetItem(chosen, index) for index in range(len(results[0]))]
    plain = len(fields) - len(lists)
    for made, field in zip(lists, fields[plain:], strict=True):
        made.expr = field
        type_of(field, module_of_lists())
    return fields[:plain]


def _typed(expr: Call, type: Type) -> Call:
    expr.checked_type = type
    return expr


def _list() -> GlobalTypeVar:
    return prelude().get_global_type_var("List")


def _constructor(name: str) -> Constructor:
    return next(made for made in prelude_types()[_list()].constructors if made.name_hint == name)


# ---- functions


@cache
def _joining(element: TensorType, axis: int, is_new: bool) -> tuple[GlobalVar, Function]:
    """The function that puts the tensors of a list that is not empty behind each other."""
    cons, nil = _constructor("Cons"), _constructor("Nil")
    sizes = "_".join("any" if dim is ANY else str(dim) for dim in element.shape)
    name = f"tensor_list_{'stack' if is_new else 'concat'}_{axis}_{element.dtype}"
    var = GlobalVar(f"{name}_{sizes}" if sizes else name)
    given = Var("tensors", list_of(element))
    only, first, rest = Var("only"), Var("first"), Var("rest")

    def part(tensor: Expr) -> Expr:
        return call("expand_dims", tensor, axis=axis) if is_new else tensor

    both = call("concatenate", Tuple((part(first), Call(var, (rest,)))), axis=axis)
    one = PatternConstructor(cons, (PatternVar(only), PatternConstructor(nil)))
    several = PatternConstructor(cons, (PatternVar(first), PatternVar(rest)))
    # Joined with nothing, so that the type of the result, which is open, is not taken for that of the element.
    last = call("concatenate", Tuple((part(only),)), axis=axis)
    clauses = (Clause(one, last), Clause(several, both))
    return var, Function((given,), Match(given, clauses, complete=False), _joined_type(element, axis, is_new))


def _joined_type(element: TensorType, axis: int, is_new: bool) -> TensorType:
    sizes: list[Dim] = list(element.shape)
    if is_new:
        sizes.insert(axis, ANY)
    sizes[axis] = ANY
    return TensorType(tuple(sizes), element.dtype)


def functions_of(main: Expr, own: Mapping[GlobalVar, Function]) -> dict[GlobalVar, Function]:
    """The functions on lists that ``main`` calls, and those that they call; ``own`` are those that it brings."""
    known = {**prelude().functions, **own}
    needed: dict[GlobalVar, Function] = {}
    waiting: list[Expr] = [main]
    while waiting:
        for expr in post_order(waiting.pop()):
            if isinstance(expr, GlobalVar) and expr not in needed and expr in known:
                needed[expr] = known[expr]
                waiting.append(known[expr])
    return needed


@cache
def module_of_lists() -> IRModule:
    """A module with the definition of ``List`` alone, for those who infer types."""
    return IRModule({}, {_list(): prelude_types()[_list()]})


def types_of(main: Expr) -> dict[GlobalTypeVar, TypeData]:
    """The definition of ``List`` where ``main`` makes one."""
    uses_lists = any(isinstance(expr, Constructor) and expr.belong_to is _list() for expr in post_order(main))
    return {_list(): prelude_types()[_list()]} if uses_lists else {}
