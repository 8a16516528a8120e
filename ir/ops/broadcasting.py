"""Broadcasting: the shape that two tensors have together, and the relations of operators that broadcast.

Dimensions are paired from the right. Of a pair, a 1 gives way to the other; a ``?`` gives way to whatever stands
against it, for it must turn out to be that or 1; two others must be equal.

Source of the rule: ``src/relay/op/type_relations.cc`` (``ConcreteBroadcast``, ``BroadcastRel``, ``BroadcastCompRel``).
"""

from __future__ import annotations

from ..dimensions import ANY, Dim, Shape
from ..types import TensorType, Type
from .arguments import tensor_argument
from .operator import RelationContext, RelationError
from .shapes import are_equal, in_words

__all__ = ["broadcast_relation", "broadcast_shapes", "comparison_relation", "require_same_dtype"]


def broadcast_shapes(
    lhs: Shape,
    rhs: Shape,
    *,
    lhs_name: str = "lhs",
    rhs_name: str = "rhs",
    argument: int | None = 1,
    other: int | None = 0,
    attribute: str | None = None,
) -> Shape:
    """The shape that tensors of shapes ``lhs`` and ``rhs`` broadcast to.

    The names and ``argument`` (at fault), ``other`` (spoken of) or ``attribute`` are for the message.

    Raises:
        RelationError: two dimensions differ and neither is 1.
    """
    if lhs is rhs:
        return lhs
    rank = max(len(lhs), len(rhs))
    shared = min(len(lhs), len(rhs))
    longer = lhs if len(lhs) > len(rhs) else rhs
    result: list[Dim] = list(longer[: rank - shared])
    for offset in range(shared, 0, -1):
        left, right = lhs[-offset], rhs[-offset]
        if left == 1:
            result.append(right)
        elif right == 1:
            result.append(left)
        elif left is ANY:
            result.append(right)
        elif right is ANY or are_equal(left, right):
            result.append(left)
        else:
            related = ((other, f"{lhs_name} has shape {in_words(lhs)}"),) if other is not None else ()
            raise RelationError(
                f"dimension {len(lhs) - offset} of {lhs_name} {in_words(lhs)} is {left} but dimension "
                f"{len(rhs) - offset} of {rhs_name} {in_words(rhs)} is {right}; they must be equal or one of them 1",
                argument=None if attribute else argument,
                attribute=attribute,
                related=related,
            )
    return tuple(result)


def require_same_dtype(
    lhs: TensorType, rhs: TensorType, lhs_name: str, rhs_name: str, *, argument: int, other: int
) -> None:
    """Reject two tensors of different dtypes; ``argument`` is the place of ``rhs``, ``other`` that of ``lhs``.

    Raises:
        RelationError: the dtypes differ.
    """
    if lhs.dtype != rhs.dtype:
        raise RelationError(
            f"{rhs_name} has dtype {rhs.dtype} but {lhs_name} has dtype {lhs.dtype}; they must be the same "
            f"(convert one with cast)",
            argument=argument,
            related=((other, f"{lhs_name} has dtype {lhs.dtype}"),),
        )


def broadcast_relation(context: RelationContext) -> TensorType | None:
    """Two tensors of one dtype give a tensor of that dtype and of the shape they broadcast to.

    Raises:
        RelationError: the dtypes differ, or the shapes do not broadcast.
    """
    lhs, rhs = tensor_argument(context, 0, "lhs"), tensor_argument(context, 1, "rhs")
    if lhs is None or rhs is None:
        return None
    require_same_dtype(lhs, rhs, "lhs", "rhs", argument=1, other=0)
    return TensorType(broadcast_shapes(lhs.shape, rhs.shape), lhs.dtype)


def comparison_relation(context: RelationContext) -> Type | None:
    """Two tensors of one dtype give a tensor of ``bool`` of the shape they broadcast to.

    Raises:
        RelationError: the dtypes differ, or the shapes do not broadcast.
    """
    operands = broadcast_relation(context)
    return None if operands is None else TensorType(operands.shape, "bool")
