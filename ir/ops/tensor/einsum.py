"""Einstein's sum: products of tensors summed over the letters that the result leaves out.

Source of the rule: ``src/relay/op/tensor/math.cc``, ``src/topi/einsum.cc``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import msgspec

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim, Shape
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, TupleType, Type
from ..arguments import tensors_argument
from ..broadcasting import broadcast_shapes
from ..flops import UnknownSizeError, element_count
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words, maximum

__all__ = ["EinsumAttrs", "EinsumEquation"]

ELLIPSIS = "."


@attributes("relay.attrs.EinsumAttrs")
class EinsumAttrs(Attrs):
    """Attributes of ``einsum``."""

    equation: str = attribute(doc="The letters of the axes of each tensor, and of the result: 'ij,jk->ik'.")


def _reject(message: str) -> RelationError:
    return RelationError(message, attribute="equation")


class EinsumEquation(msgspec.Struct, frozen=True):
    """An equation taken apart: the letters of each operand and of the result, a dot standing for ``...``."""

    inputs: tuple[str, ...]
    output: str

    @staticmethod
    def parse(equation: str) -> EinsumEquation:
        """The equation; without an arrow the result has the letters that come once, in the order of the alphabet.

        Raises:
            RelationError: the equation has another character, two arrows, or more than one ellipsis for a tensor.
        """
        text = equation.replace(" ", "")
        sides = text.split("->")
        if len(sides) > 2:
            raise _reject(f"equation {equation!r} has more than one arrow")
        terms = [_term(term, equation) for term in sides[0].split(",")]
        if len(sides) == 2:
            return EinsumEquation(tuple(terms), _term(sides[1], equation))
        counts = Counter(letter for term in terms for letter in term)
        output = "".join(letter for letter, count in sorted(counts.items()) if letter == ELLIPSIS or count == 1)
        return EinsumEquation(tuple(terms), output)

    @property
    def text(self) -> str:
        """The equation in numpy's notation."""
        return f"{','.join(self.inputs)}->{self.output}".replace(ELLIPSIS, "...")


def _term(text: str, equation: str) -> str:
    term = text.replace("...", ELLIPSIS)
    if term.count(ELLIPSIS) > 1:
        raise _reject(f"{text!r} in equation {equation!r} has more than one ellipsis")
    for letter in term:
        if letter != ELLIPSIS and not (letter.isascii() and letter.isalpha()):
            raise _reject(f"equation {equation!r} has {letter!r}, which is no letter")
    return term


def _common(lhs: Dim, rhs: Dim, letter: str) -> Dim:
    """The size of an axis that two tensors call by the same letter."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        if lhs == rhs or lhs == 1 or rhs == 1:
            return max(lhs, rhs)
        raise _reject(f"axis {letter} is {lhs} in one tensor and {rhs} in another; they must be equal or one of them 1")
    if isinstance(lhs, int):
        return rhs
    return lhs if isinstance(rhs, int) else maximum(lhs, rhs)


def _result_shape(equation: EinsumEquation, shapes: Sequence[Shape]) -> Shape:
    if len(equation.inputs) != len(shapes):
        raise _reject(f"the equation has {len(equation.inputs)} operands but data has {len(shapes)} tensors")
    sizes: dict[str, Dim] = {}
    covered: list[Shape] = []
    for number, (term, shape) in enumerate(zip(equation.inputs, shapes, strict=True)):
        before, dot, after = term.partition(ELLIPSIS)
        extra = len(shape) - len(before) - len(after)
        if extra < 0 or (extra and not dot):
            raise _reject(
                f"operand {number} is written with {len(term) - len(dot)} letters but tensor {number} of data "
                f"{in_words(shape)} has {len(shape)} dimensions"
            )
        if dot:
            covered.append(shape[len(before) : len(before) + extra])
        named = shape[: len(before)] + shape[len(before) + extra :]
        for letter, size in zip(before + after, named, strict=True):
            sizes[letter] = _common(sizes[letter], size, letter) if letter in sizes else size
    hidden: Shape = max(covered, key=len, default=())
    for shape in covered:
        hidden = broadcast_shapes(hidden, shape, lhs_name="an ellipsis", rhs_name="another", argument=0, other=None)
    result: list[Dim] = []
    for letter in equation.output:
        if letter == ELLIPSIS:
            result += hidden
        elif letter in sizes:
            result.append(sizes[letter])
        else:
            raise _reject(f"the result has the letter {letter}, which no operand has")
    return tuple(result)


def _relation(context: RelationContext) -> Type | None:
    attrs: EinsumAttrs = context.attrs
    tensors = tensors_argument(context, 0, "data")
    if tensors is None:
        return None
    if not tensors:
        raise RelationError("data must hold at least one tensor", argument=0)
    for number, tensor in enumerate(tensors):
        if tensor.dtype != tensors[0].dtype:
            raise RelationError(
                f"tensor {number} of data has dtype {tensor.dtype} but tensor 0 has dtype {tensors[0].dtype}; "
                "they must be the same",
                argument=0,
            )
    shape = _result_shape(EinsumEquation.parse(attrs.equation), [tensor.shape for tensor in tensors])
    return TensorType(shape, tensors[0].dtype)


def _kernel(attrs: EinsumAttrs, inputs: Sequence[tuple[NDArray, ...]], result_type: Type) -> NDArray:
    data = inputs[0]
    result = np.einsum(EinsumEquation.parse(attrs.equation).text, *data)
    return np.asarray(result).astype(data[0].dtype, copy=False)


def _flops(attrs: EinsumAttrs, arguments: Sequence[Type], result: Type) -> int:
    """For each element of the result, a multiplication and an addition for each element that is summed there."""
    data = arguments[0]
    equation = EinsumEquation.parse(attrs.equation)
    summed: dict[str, int] = {}
    for term, tensor in zip(equation.inputs, data.fields if isinstance(data, TupleType) else (), strict=True):
        shape = tensor.shape if isinstance(tensor, TensorType) else ()
        before, _, after = term.partition(ELLIPSIS)
        named = shape[: len(before)] + shape[len(shape) - len(after) :]
        for letter, size in zip(before + after, named, strict=True):
            if letter not in equation.output:
                if not isinstance(size, int):
                    raise UnknownSizeError(f"axis {letter} is open")
                summed[letter] = max(size, summed.get(letter, 1))
    return 2 * element_count(result) * math.prod(summed.values())


register(
    Op(
        "einsum",
        doc="The product of the tensors of a tuple, their axes named by letters, summed over the letters that the "
        "result does not have.",
        arguments=(Argument("data", "A tuple of tensors of one dtype.", "Tuple of Tensors"),),
        attrs=EinsumAttrs,
        relation=_relation,
        pattern=OpPattern.INJECTIVE,
        flops=_flops,
        kernel=_kernel,
        level=11,
    )
)
