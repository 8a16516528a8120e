"""What differentiation asks of types: the result of a gradient function, and work on tensors inside tuples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relay_lsp.ir.expressions import Expr, Function, Tuple, TupleGetItem
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.types import TensorType, TupleType, Type

from ..building import LetList, Steps, run_steps
from ..infrastructure import PassError

__all__ = ["filled_like", "gradient_result_type", "lifted_add", "with_result_and_gradient"]


def gradient_result_type(function: Function) -> Type | None:
    """The type of the result paired with the gradients, where the function's annotations say it.

    Source of the rule: ``src/relay/transforms/gradient.h``.
    """
    annotations = [param.type_annotation for param in function.params]
    known = tuple(annotation for annotation in annotations if annotation is not None)
    if function.ret_type is None or len(known) < len(annotations):
        return None
    return TupleType((function.ret_type, TupleType(known)))


def with_result_and_gradient(function: Function, body: Expr) -> Function:
    """``function`` with a body that gives its result and the gradients of its parameters."""
    result = gradient_result_type(function)
    return Function(function.params, body, result, (), function.attrs, function.span, function.virtual_device)


def filled_like(value: Expr, type: Type, name: str, place: Expr) -> Expr:
    """``zeros_like`` or ``ones_like`` (``name``) of a tensor; of a tuple, one such tensor for each field.

    Raises:
        PassError: ``type`` has something else than tensors and tuples, or a size that is not known inside a tuple.
    """

    def build(part: Type) -> Steps[Expr]:
        if isinstance(part, TupleType):
            fields: list[Expr] = []
            for field in part.fields:
                fields.append((yield build(field)))
            return Tuple(tuple(fields))
        if not isinstance(part, TensorType):
            raise PassError(f"there are no gradients of values of type {part!r}", place=place)
        sizes = tuple(int(size) for size in part.shape if isinstance(size, int))
        if len(sizes) < part.ndim:
            raise PassError("the gradient of a tuple needs shapes that are known", place=place)
        return apply(name, shape=sizes, dtype=part.dtype)

    return apply(f"{name}_like", value) if isinstance(type, TensorType) else run_steps(build(type))


def lifted_add(type: Type, lhs: Expr, rhs: Expr, lets: LetList, source: Expr) -> Expr:
    """The sum of two gradients of ``type``, field by field where that is a tuple; each step is bound in ``lets``."""
    return run_steps(_lifted_add(type, lhs, rhs, lambda value: lets.push(value, source)))


def _lifted_add(type: Type, lhs: Expr, rhs: Expr, push: Callable[[Expr], Expr]) -> Steps[Expr]:
    if not isinstance(type, TupleType):
        return push(apply("add", lhs, rhs))
    fields: list[Expr] = []
    for index, field in enumerate(type.fields):
        # The projections come right before what is made of them, field after field.
        parts: Sequence[Expr] = push(TupleGetItem(rhs, index)), push(TupleGetItem(lhs, index))
        fields.append((yield _lifted_add(field, parts[1], parts[0], push)))
    return push(Tuple(tuple(fields)))
