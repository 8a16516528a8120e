"""``reduce``: the smallest module on which passes still go wrong in the same way.

Delta debugging over values (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*), with types
kept: of the values of a function any subset makes a well-typed one. A value that is left out, and that others use,
becomes a parameter of its type; the values that nothing uses any more are the result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, TypeVar

from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import TensorType, TupleType, Type
from relay_lsp.ir.visitor import children, free_vars, post_order, with_children

from ..binding import bind
from ..infrastructure import Pass, PassError, create
from .failures import FailureCondition

__all__ = ["reduce", "statement_count"]

_VALUES: Final = (Call, If, Let, Match, RefCreate, RefRead, RefWrite, Tuple, TupleGetItem)
_SCOPES: Final = (Function, Let, Match)
"""What binds names of its own: it is kept or left out as a whole."""

_UNFOLDING: Final = ("ToGraphNormalForm", "DefuseOps", "Inline")
"""Passes that take apart what would otherwise be kept as a whole."""

_MAIN: Final = "main"

_Item = TypeVar("_Item")
_Fails: TypeAlias = Callable[[IRModule], bool]


def statement_count(module: IRModule) -> int:
    """How many values the functions of a module compute."""
    return sum(
        isinstance(expr, _VALUES) for function in module.functions.values() for expr in post_order(function.body)
    )


def reduce(
    module: IRModule,
    passes: Sequence[Pass],
    condition: FailureCondition,
    progress: Callable[[int], object] = lambda _: None,
    seconds: float | None = None,
) -> IRModule:
    """The smallest module that was met on which ``passes`` fail as on ``module``; its ``@main`` is what is left.

    Args:
        module: a module on which the condition holds.
        passes: run one after the other, in the current context.
        condition: what counts as a failure. A smaller module must fail with the same message, but for names and
            numbers.
        progress: called with the number of values each time that the module has become smaller.
        seconds: for how long to search; what is smallest by then is the result. Without a limit, until nothing helps.

    Raises:
        PassError: the condition does not hold on ``module``.
    """
    wanted = condition.signature(module, passes)
    if wanted is None:
        raise PassError(f"nothing to reduce: on the whole module it is not so that a pass {_in_words(condition)}")

    deadline = None if seconds is None else time.monotonic() + seconds

    def fails(candidate: IRModule) -> bool:
        if deadline is not None and time.monotonic() > deadline:
            raise _OutOfTimeError
        return condition.signature(candidate, passes) == wanted

    current = infer_types(module).module
    last = -1
    while statement_count(current) != last:
        last = statement_count(current)
        for step in (_one_function, _unfolded, _fewer_values, _fewer_bindings, _fewer_constants, _fewer_functions):
            try:
                smaller = step(current, fails)
            except _OutOfTimeError:
                return current
            if smaller is not current:
                current = smaller
                progress(statement_count(current))
    return current


class _OutOfTimeError(Exception):
    """The time for the search is over."""


def _in_words(condition: FailureCondition) -> str:
    if condition.kind == "raises" and condition.text:
        return f"raises something that says {condition.text!r}"
    return f"takes longer than {condition.seconds:g} s" if condition.kind == "takes longer" else condition.kind


# ---- steps: each gives a smaller module that still fails, or the module itself


def _one_function(module: IRModule, fails: _Fails) -> IRModule:
    """One function alone as ``@main``, with those that it calls: the smallest that fails by itself."""
    candidates = [
        _only_reachable(module.with_functions({**module.functions, _main_of(module): function}))
        for var, function in module.functions.items()
        if var.name_hint != _MAIN
    ]
    whole = statement_count(module)
    for candidate in sorted(candidates, key=statement_count):
        if statement_count(candidate) < whole and fails(candidate):
            return candidate
    return module


def _unfolded(module: IRModule, fails: _Fails) -> IRModule:
    """The module without ``let``, fused functions and calls by name, as far as it then still fails."""
    for name in _UNFOLDING:
        try:
            candidate = create(name)(module)
        except PassError:
            continue
        if candidate is not module and statement_count(candidate) <= statement_count(module) and fails(candidate):
            module = candidate
    return module


def _fewer_values(module: IRModule, fails: _Fails) -> IRModule:
    function = _main(module)
    values = [] if function is None else _values(function.body)
    if function is None or len(values) < 2:
        return module

    def with_values(kept: Sequence[Expr]) -> IRModule:
        return _with_main(module, _of_values(function, frozenset(kept)))

    kept = _minimal(values, lambda chosen: bool(chosen) and _is_typed_failure(with_values(chosen), fails))
    return module if len(kept) == len(values) else infer_types(with_values(kept)).module


def _fewer_bindings(module: IRModule, fails: _Fails) -> IRModule:
    function = _main(module)
    if function is None or not isinstance(function.body, Let):
        return module
    bindings: list[Let] = []
    result: Expr = function.body
    while isinstance(result, Let):
        bindings.append(result)
        result = result.body

    def with_bindings(kept: Sequence[Let]) -> IRModule:
        body = result
        for let in reversed(kept):
            body = Let(let.var, let.value, body)
        return _with_main(module, _closed(body, [let.var for let in bindings if let not in kept]))

    kept = _minimal(bindings, lambda chosen: _is_typed_failure(with_bindings(chosen), fails))
    return module if len(kept) == len(bindings) else infer_types(with_bindings(kept)).module


def _fewer_constants(module: IRModule, fails: _Fails) -> IRModule:
    """Tensors that are constants become parameters: their numbers would be most of the text."""
    function = _main(module)
    if function is None:
        return module
    constants = [each for each in post_order(function.body) if isinstance(each, Constant) and not each.is_scalar]

    def with_constants(kept: Sequence[Constant]) -> IRModule:
        replaced = {each: Var(f"c{number}", each.tensor_type) for number, each in enumerate(constants)}
        for each in kept:
            del replaced[each]
        return _with_main(module, _closed(_substituted(function.body, replaced), ()))

    kept = _minimal(constants, lambda chosen: _is_typed_failure(with_constants(chosen), fails))
    return module if len(kept) == len(constants) else infer_types(with_constants(kept)).module


def _fewer_functions(module: IRModule, fails: _Fails) -> IRModule:
    candidate = _only_reachable(module)
    if len(candidate.functions) < len(module.functions) and fails(candidate):
        return candidate
    return module


# ---- what they are made of


def _minimal(items: Sequence[_Item], fails: Callable[[Sequence[_Item]], bool]) -> Sequence[_Item]:
    """A part of ``items`` that still fails, and of which nothing can be left out (the algorithm *ddmin*)."""
    current: list[_Item] = list(items)
    nothing: list[_Item] = []
    if not current or fails(nothing):
        return nothing
    parts = 2
    while len(current) >= 2:
        size = -(-len(current) // parts)
        chunks: list[list[_Item]] = [current[start : start + size] for start in range(0, len(current), size)]
        try:
            smaller = _first_that_fails(chunks, fails)
        except _OutOfTimeError:
            break
        if smaller is None:
            if parts >= len(current):
                break
            parts = min(2 * parts, len(current))
        else:
            parts = 2 if any(smaller is chunk for chunk in chunks) else max(parts - 1, 2)
            current = smaller
    return current


def _first_that_fails(chunks: Sequence[list[_Item]], fails: Callable[[Sequence[_Item]], bool]) -> list[_Item] | None:
    """A chunk that fails, or everything but one chunk."""
    if len(chunks) > 1:
        for chunk in chunks:
            if fails(chunk):
                return chunk
    if len(chunks) > 2:
        for index in range(len(chunks)):
            rest: list[_Item] = [item for number, each in enumerate(chunks) if number != index for item in each]
            if fails(rest):
                return rest
    return None


def _is_typed_failure(candidate: IRModule, fails: _Fails) -> bool:
    typed = infer_types(candidate)
    return not typed.diagnostics and fails(typed.module)


def _values(body: Expr) -> list[Expr]:
    """The values outside of any scope of their own, those before that each uses."""
    order: list[Expr] = []
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(body, False)]
    while stack:
        expr, finished = stack.pop()
        if finished:
            order.append(expr)
        elif expr not in seen and isinstance(expr, _VALUES):
            seen.add(expr)
            stack.append((expr, True))
            if not isinstance(expr, _SCOPES):
                stack.extend((part, False) for part in reversed(children(expr)))
    return order


def _of_values(function: Function, kept: frozenset[Expr]) -> Function:
    """A function that computes the values that are kept, from parameters in the place of all others."""
    made: dict[Expr, Expr] = {}
    used: set[Expr] = set()
    for number, value in enumerate(_values(function.body)):
        if value not in kept and _is_data(value.checked_type):
            made[value] = Var(f"v{number}", value.checked_type)
            continue
        parts = children(value)
        if value in kept:
            used.update(parts)
        rebuilt = [made.get(part, part) for part in parts]
        made[value] = value if isinstance(value, _SCOPES) else with_children(value, rebuilt)
    results = [made[value] for value in made if value in kept and value not in used]
    body = results[0] if len(results) == 1 else Tuple(results)
    return _closed(body, ())


def _closed(body: Expr, unbound: Sequence[Var]) -> Function:
    """A function of the free variables of ``body``; those in ``unbound`` lost the ``let`` that gave them a type."""
    typed: dict[Var, Expr] = {var: Var(var.name_hint, var.checked_type) for var in unbound}
    closed = bind(body, typed) if typed else body
    return Function(tuple(free_vars(closed)), closed)


def _substituted(body: Expr, replaced: dict[Constant, Var]) -> Expr:
    made: dict[Expr, Expr] = {**replaced}
    for expr in post_order(body):
        if expr not in made:
            parts = children(expr)
            made[expr] = with_children(expr, [made[part] for part in parts]) if parts else expr
    return made[body]


def _is_data(type: Type | None) -> bool:
    """Whether a parameter of this type can stand for a value: of tensors, that is, and tuples of them."""
    waiting: list[Type | None] = [type]
    while waiting:
        current = waiting.pop()
        if isinstance(current, TupleType):
            waiting.extend(current.fields)
        elif not isinstance(current, TensorType):
            return False
    return True


def _main(module: IRModule) -> Function | None:
    var = module.find_global_var(_MAIN)
    return None if var is None else module.functions[var]


def _main_of(module: IRModule) -> GlobalVar:
    return module.find_global_var(_MAIN) or GlobalVar(_MAIN)


def _with_main(module: IRModule, function: Function) -> IRModule:
    return module.with_function(_main_of(module), function)


def _only_reachable(module: IRModule) -> IRModule:
    """The module with what ``@main`` needs; the others are gone."""
    var = module.find_global_var(_MAIN)
    if var is None:
        return module
    needed: dict[GlobalVar, None] = {}
    waiting = [var]
    while waiting:
        current = waiting.pop()
        if current not in needed and current in module.functions:
            needed[current] = None
            waiting += [each for each in post_order(module.functions[current]) if isinstance(each, GlobalVar)]
    return module.with_functions({each: function for each, function in module.functions.items() if each in needed})
