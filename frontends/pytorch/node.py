"""One operation as its converter sees it: inputs by place, with the types that PyTorch's schema gives them.

The functions that convert operations register themselves here (``converter``).

Source of the rules for promotion: ``pytorch_promote_types`` in ``python/tvm/relay/frontend/pytorch.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np

from relay_lsp.ir.builder import constant
from relay_lsp.ir.evaluation import EvaluationError, evaluate_expr
from relay_lsp.ir.expressions import Constant, Expr, NDArray
from relay_lsp.ir.types import Dim, is_static
from relay_lsp.ir.visitor import free_vars

from ..converters import Converters
from ..diagnostics import ConversionError, ModelPlace
from ..freezing import known_by_types
from ..inspection import dtype_of, rank_of, shape_of, static_shape_of
from ..nodes import ModelNode
from ..operators import Outputs
from ..operators import cast as cast_to
from .runtime_lists import RuntimeList
from .values import Number, PackedWeights, TorchResult, TorchValue, result_dtype

if TYPE_CHECKING:
    from .conversion import ModelConversion
    from .graph import Operation

__all__ = ["TorchConverter", "TorchNode", "as_expr", "converter", "converters"]

Wanted = TypeVar("Wanted")


def as_expr(value: TorchValue) -> Expr:
    """A number as a constant: ``int32``, ``float32`` or ``bool``; an expression as it is.

    Raises:
        ConversionError: it is neither.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, (bool, int, float)):
        return constant(value)
    if isinstance(value, Outputs):
        return value.value
    if isinstance(value, RuntimeList):
        return value.required()
    raise ConversionError(f"a tensor or a number is expected, not {_described(value)}")


def _described(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, PackedWeights):
        return "packed weights"
    return f"a {type(value).__name__}"


class TorchNode(ModelNode[TorchValue]):
    """An operation to convert. ``name`` is its layer's name, ``inputs`` are its values."""

    def __init__(self, model: ModelConversion, name: str, operation: Operation, inputs: Sequence[TorchValue]) -> None:
        super().__init__(name, operation.kind, inputs)
        self.model = model
        self.operation = operation
        self.declared = [value.dtype for value in operation.inputs]
        self.output_count = len(operation.outputs)

    @property
    def is_exported(self) -> bool:
        """Whether the program is an exported one: its dtypes are PyTorch's to the letter, TVM's converters' are not."""
        return self.model.program.is_exported

    # ---- inputs

    def __len__(self) -> int:
        return len(self.inputs)

    def tensor(self, index: int = 0) -> Expr:
        """The tensor at ``index``; a number there becomes a constant.

        Raises:
            ConversionError: there is none.
        """
        return as_expr(self.input(index))

    def optional(self, index: int) -> Expr | None:
        """The tensor at ``index``; ``None`` where the program gives none."""
        return None if self[index] is None else self.tensor(index)

    def tensors(self, index: int = 0) -> list[Expr]:
        """The tensors of the list at ``index``.

        Raises:
            ConversionError: it is no list whose length is known.
        """
        value = self[index]
        if isinstance(value, (list, Outputs)):
            return [as_expr(cast("TorchValue", part)) for part in value]
        raise self._expected(index, "a list of tensors whose length is known")

    def dtype(self, index: int = 0) -> str:
        """The dtype of an input: a tensor's own, else what the program declares, else the default."""
        value = self[index]
        if isinstance(value, Expr):
            return dtype_of(value)
        declared = self.declared[index] if index < len(self.declared) else None
        return declared or self.model.default_dtype

    def shape(self, index: int = 0) -> tuple[Dim, ...]:
        """The shape of an input."""
        return shape_of(self.tensor(index))

    def static_shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of an input in numbers.

        Raises:
            ConversionError: a dimension is not known.
        """
        return static_shape_of(self.tensor(index), f"input {index}")

    def has_static_shape(self, index: int = 0) -> bool:
        """Whether all dimensions of an input are known."""
        return is_static(self.shape(index))

    def rank(self, index: int = 0) -> int:
        """The number of an input's dimensions."""
        return rank_of(self.tensor(index))

    # ---- values that must be known

    def known(self, value: TorchValue) -> NDArray | Number | None:
        """A number, or the value of an expression that no input of the program decides; ``None`` for others."""
        if isinstance(value, (bool, int, float)):
            return value
        if not isinstance(value, Expr):
            return None
        expr = value if isinstance(value, Constant) else known_by_types(value, self.model.folder)
        if isinstance(expr, Constant):
            return expr.data
        if free_vars(expr):
            return None
        try:
            return cast("NDArray", evaluate_expr(expr, {}))
        except EvaluationError:
            return None

    def _number(self, value: TorchValue, index: int, convert: Callable[[Any], Wanted], what: str) -> Wanted:
        known = self.known(value)
        if known is None or np.size(known) != 1:
            raise self._expected(index, what)
        return convert(np.asarray(known).reshape(-1)[0].item())

    def integer(self, index: int, default: int | None = None) -> int:
        """A whole number that is known.

        Raises:
            ConversionError: there is none, and no default.
        """
        value = self[index]
        if value is None and default is not None:
            return default
        return self._number(value, index, int, "a whole number that is known")

    def known_int(self, value: TorchValue) -> int | None:
        """``value`` as a whole number, where it is known."""
        known = self.known(value)
        return None if known is None or np.size(known) != 1 else int(np.asarray(known).reshape(-1)[0])

    def number(self, index: int, default: float | None = None) -> float:
        """A number that is known.

        Raises:
            ConversionError: there is none, and no default.
        """
        value = self[index]
        if value is None and default is not None:
            return default
        return self._number(value, index, float, "a number that is known")

    def flag(self, index: int, default: bool = False) -> bool:
        """Whether something holds; ``default`` where the program does not say."""
        value = self[index]
        return default if value is None else self._number(value, index, bool, "a truth value that is known")

    def text(self, index: int, default: str = "") -> str:
        """Text; ``default`` where the program has none there."""
        value = self[index]
        if value is None:
            return default
        if not isinstance(value, str):
            raise self._expected(index, "a text")
        return value

    def integers(self, index: int) -> list[int]:
        """A list of whole numbers that are known; one stands for a list of one.

        Raises:
            ConversionError: one is not known.
        """
        value = self[index]
        if isinstance(value, (list, Outputs)):
            return [self._number(cast("TorchValue", part), index, int, "known numbers") for part in value]
        known = self.known(value)
        if known is None:
            raise self._expected(index, "a list of known numbers")
        return [int(number) for number in np.asarray(known).reshape(-1)]

    def numbers(self, index: int) -> list[float]:
        """A list of numbers that are known.

        Raises:
            ConversionError: it is none, or one is not known.
        """
        value = self[index]
        if not isinstance(value, list):
            raise self._expected(index, "a list of numbers")
        return [self._number(cast("TorchValue", part), index, float, "known numbers") for part in value]

    def optional_integers(self, index: int) -> list[int] | None:
        """A list of whole numbers; ``None`` where the program gives none, or an empty one."""
        value = self[index]
        return None if value is None or value == [] else self.integers(index)

    def values(self, index: int) -> list[TorchValue]:
        """The numbers, known or not, of a list: what a shape is made of.

        Raises:
            ConversionError: it is no list.
        """
        value = self[index]
        if isinstance(value, (list, Outputs)):
            return list(cast("Sequence[TorchValue]", value))
        if isinstance(value, (bool, int)):
            return [value]
        known = self.known(value)
        if known is None:
            raise self._expected(index, "a list of numbers")
        return [int(number) for number in np.asarray(known).reshape(-1)]

    def _expected(self, index: int, what: str) -> ConversionError:
        value = self[index]
        there = "one that the program's inputs decide" if isinstance(value, Expr) else _described(value)
        return ConversionError(f"input {index} of {self.operator} must be {what}, not {there}", input=str(index))

    def require(self, holds: bool, message: str, index: int | None = None) -> None:
        """Check what an operator of Relay takes for granted.

        Raises:
            ConversionError: it does not hold.
        """
        if not holds:
            raise ConversionError(message, input="" if index is None else str(index))

    def is_used(self, output: int) -> bool:
        """Whether anything uses the result at ``output``."""
        outputs = self.operation.outputs
        return output < len(outputs) and self.model.is_used(outputs[output])

    # ---- promotion

    def promoted(self, *indices: int) -> list[Expr]:
        """The inputs at ``indices`` in the dtype that PyTorch computes them in."""
        return self.promote([self[index] for index in indices], [self.dtype(index) for index in indices])

    def promote(self, values: Sequence[TorchValue], dtypes: Sequence[str]) -> list[Expr]:
        """``values`` in the dtype that PyTorch computes them in; ``dtypes`` are theirs."""
        numbers = [value for value in values if isinstance(value, (bool, int, float))]
        of_tensors = [
            dtype for value, dtype in zip(values, dtypes, strict=True) if not isinstance(value, (bool, int, float))
        ]
        wanted = result_dtype(of_tensors, numbers)
        results: list[Expr] = []
        for value, dtype in zip(values, dtypes, strict=True):
            if isinstance(value, (bool, int, float)):
                results.append(constant(np.asarray(value), wanted))
            elif dtype == wanted:
                results.append(as_expr(value))
            else:
                results.append(cast_to(as_expr(value), wanted))
        return results

    # ---- the rest

    def place(self, expr: Expr) -> Expr:
        """``expr`` with this layer's name: for what an attribute copies before the result gets its names."""
        self.model.spans.fill(expr, self.name)
        return expr

    def warn(self, code: str, message: str) -> None:
        """Note what makes the module compute something else than the program."""
        self.model.report.warning(code, message, ModelPlace(self.name, self.operator))


TorchConverter: TypeAlias = Callable[[TorchNode], TorchResult]

converters: Converters[TorchConverter] = Converters("PyTorch")
converter = converters.declare
