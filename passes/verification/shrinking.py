"""Making a module small enough to run, by making the tensors that it takes smaller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.dimensions import Dim
from relay_lsp.ir.expressions import Call, Function, Var
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import TensorType, TupleType, Type
from relay_lsp.ir.visitor import post_order

from ..binding import bind
from .inputs import Unverifiable

__all__ = ["cost", "shrink"]

_AFFORDABLE = 3e8
"""Multiplications that numpy does in about a second, with all that a kernel does around them."""

_SMALLEST = 4
"""No dimension becomes smaller than this: windows and groups would not fit any more."""

_IMAGE_RANK = 3
"""Tensors of fewer dimensions are weights and biases, whose sizes the operators' attributes repeat."""


def shrink(module: IRModule, function: str | None = None) -> IRModule:
    """``module`` with smaller parameters, where it takes too long to run as it is; else ``module`` itself.

    Sizes are halved one after the other, each in all parameters that have it, for as long as the module stays well
    typed: a size that an attribute fixes stays. What names sizes inside, such as an annotated ``let``, keeps them, too.
    """
    from .verifying import entry_function

    try:
        name = function or entry_function(module)
    except Unverifiable:
        return module
    if name not in module:
        return module
    typed = _typed(module)
    if typed is None or cost(typed[name]) <= _AFFORDABLE:
        return module
    small = typed
    for size in _sizes(typed[name]):
        while size > _SMALLEST and cost(small[name]) > _AFFORDABLE:
            tried = _typed(_with_size(small, name, size, size // 2))
            if tried is None:
                break
            small, size = tried, size // 2
    return module if small is typed else small


def cost(function: Function) -> float:
    """About how many multiplications a typed function takes; what it calls by name is not counted."""
    return float(sum(_cost_of_call(expr) for expr in post_order(function.body) if isinstance(expr, Call)))


def _cost_of_call(call: Call) -> int:
    made = _elements(call.checked_type)
    if len(call.args) < 2:
        return made
    data, weight = (call.args[index].checked_type for index in (0, 1))
    if not isinstance(weight, TensorType) or weight.ndim < 2 or not isinstance(data, TensorType):
        return made
    # Each element of the result is a sum over what one output channel of the weight has.
    return made * max(1, _elements(weight) // max(_known(weight.shape)[0], 1) if call.attrs is not None else 1)


def _elements(given: Type | None) -> int:
    if isinstance(given, TupleType):
        return sum(map(_elements, given.fields))
    return prod(_known(given.shape)) if isinstance(given, TensorType) else 1


def _known(shape: tuple[Dim, ...]) -> list[int]:
    return [dim for dim in shape if isinstance(dim, int)] or [1]


def _sizes(function: Function) -> Iterator[int]:
    """The sizes in the parameters that look like images or batches, those that matter most first."""
    weights: Counter[int] = Counter()
    for param in function.params:
        given = param.checked_type
        if isinstance(given, TensorType) and given.ndim >= _IMAGE_RANK:
            for size in set(_known(given.shape)):
                weights[size] += _elements(given)
    yield from sorted(weights, key=lambda size: (-weights[size], -size))


def _with_size(module: IRModule, name: str, old: int, new: int) -> IRModule:
    function = module[name]
    params: dict[Var, Var] = {}
    for param in function.params:
        given = param.checked_type or param.type_annotation
        if isinstance(given, TensorType) and given.ndim >= _IMAGE_RANK and old in given.shape:
            shape = tuple(new if size == old else size for size in given.shape)
            params[param] = Var(param.name_hint, TensorType(shape, given.dtype), param.span, param.virtual_device)
    made = Function(
        tuple(params.get(param, param) for param in function.params),
        bind(function.body, params),
        None,
        function.type_params,
        function.attrs,
        function.span,
        function.virtual_device,
    )
    return module.with_function(module.get_global_var(name), made)


def _typed(module: IRModule) -> IRModule | None:
    inferred = infer_types(module)
    has_error = any(diagnostic.severity is Severity.ERROR for diagnostic in inferred.diagnostics)
    return None if has_error else inferred.module
