"""What the nodes of all frameworks have in common: inputs by place, and a bound on what a converter makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from relay_lsp.ir.ops.tensor.slicing import MOST_PARTS

from .diagnostics import ConversionError

__all__ = ["ModelNode"]

Input = TypeVar("Input")


class ModelNode(Generic[Input]):
    """A node to convert, as a converter sees it.

    Args:
        name: the name of its layer.
        operator: the framework's name of its operator.
        inputs: what goes in; ``None`` stands for an input that is left out.
    """

    def __init__(self, name: str, operator: str, inputs: Sequence[Input | None]) -> None:
        self.name = name
        self.operator = operator
        self.inputs = list(inputs)

    def __getitem__(self, index: int) -> Input | None:
        """The input at ``index``; ``None`` where the node has none there."""
        return self.inputs[index] if index < len(self.inputs) else None

    def input(self, index: int = 0) -> Input:
        """The input at ``index``.

        Raises:
            ConversionError: the node has none there.
        """
        present = self[index]
        if present is None:
            raise ConversionError(
                f"{self.operator} needs an input {index}, and has {len(self.inputs)}", code="missing-model-input"
            )
        return present

    def unfolded(self, count: int, what: str) -> int:
        """``count``, a number of expressions or elements that a converter is about to make.

        Raises:
            ConversionError: it is more than is unfolded at most; the message says of ``what``.
        """
        if count > MOST_PARTS:
            raise ConversionError(f"{what} {count} is more than the {MOST_PARTS} that are unfolded at most")
        return count

    def invalid(self, name: str, message: str) -> ConversionError:
        """The error to raise about the value of an attribute."""
        return ConversionError(message, attribute=name, code="invalid-model-attribute")
