"""A PyTorch program as data: operations in order, the values between them, blocks in blocks.

TorchScript archives and exported programs are both read into this, so that one importer converts both. Operators have
TorchScript's names (``aten::conv2d``), and take their inputs in the order of the operator's schema, defaults included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from relay_lsp.ir.expressions import NDArray

from .packed import UnpackedWeights

__all__ = ["Operation", "OperationBlock", "Program", "Value", "own_frame"]

_LIBRARY = re.compile(r"[\\/](?:site|dist)-packages[\\/]torch[\\/]|^torch[\\/]")

_LIST_CHANGES = frozenset(
    f"aten::{name}" for name in ("Delete", "_set_item", "add_", "append", "clear", "extend", "insert", "pop", "reverse")
)
"""The operators that change a list or a dictionary in place."""


@dataclass(eq=False, slots=True)
class Value:
    """What an operation gives and others take.

    ``kind`` is TorchScript's name of its type (``TensorType``, ``IntType``, ``ListType``); ``dtype`` and ``shape`` are
    what the program declares of a tensor, ``None`` where it does not say, and so are the sizes that it leaves open.
    """

    name: str
    kind: str = "TensorType"
    dtype: str | None = None
    shape: tuple[int | None, ...] | None = None
    producer: Operation | None = None
    elements: tuple[Value, ...] = ()
    """The parts of an input that is a tuple or list."""


@dataclass(eq=False, slots=True)
class Operation:
    """One node. ``attribute`` is the value of a ``prim::Constant``, the full name that a ``prim::GetAttr`` asks for."""

    kind: str
    inputs: list[Value] = field(default_factory=list[Value])
    outputs: list[Value] = field(default_factory=list[Value])
    attribute: object = None
    blocks: list[OperationBlock] = field(default_factory=list["OperationBlock"])
    module: str = ""
    """The path of the module that it belongs to: ``layer1.0.conv1``; empty for the outermost one."""
    call: int = 0
    """Which call of that module it belongs to."""
    overload: str = ""
    """The name of the operator's overload, where the program says."""
    argument_names: tuple[str, ...] = ()
    """The names that the operator's schema has for the inputs."""
    source: str = ""
    """``FILE:LINE`` of the Python program, where it is known."""

    @property
    def changes_list(self) -> bool:
        """Whether it changes a list or a dictionary in place, itself or in its blocks."""
        if self.kind in _LIST_CHANGES and self.inputs and self.inputs[0].kind in ("ListType", "DictType"):
            return True
        return any(block.list_changes() for block in self.blocks)


@dataclass(eq=False, slots=True)
class OperationBlock:
    """Operations that are carried out one after the other."""

    inputs: list[Value] = field(default_factory=list[Value])
    operations: list[Operation] = field(default_factory=list[Operation])
    outputs: list[Value] = field(default_factory=list[Value])

    def walk(self) -> Iterator[Operation]:
        """All operations, each before those of its blocks."""
        stack = [iter(self.operations)]
        while stack:
            operation = next(stack[-1], None)
            if operation is None:
                stack.pop()
                continue
            yield operation
            stack.extend(iter(block.operations) for block in reversed(operation.blocks))

    def list_changes(self) -> list[Operation]:
        """The operations that change a list or a dictionary in place, which the block does not make itself."""
        made = {output for operation in self.walk() for output in operation.outputs}
        return [
            operation
            for operation in self.walk()
            if not operation.blocks and operation.changes_list and operation.inputs[0] not in made
        ]


@dataclass(eq=False, slots=True)
class Program(OperationBlock):
    """A whole program: its blocks, and the tensors that it brings."""

    parameters: dict[Value, str] = field(default_factory=dict[Value, str])
    """The full name (``layer1.0.conv1.weight``) of each value that is a parameter or a buffer."""
    tensors: dict[str, NDArray] = field(default_factory=dict[str, NDArray])
    """Parameters and buffers by full name."""
    first_users: dict[Value, Operation] = field(default_factory=dict[Value, Operation])
    """The operation that a parameter is called after in TVM."""
    packed: dict[Value, UnpackedWeights | None] = field(default_factory=dict[Value, "UnpackedWeights | None"])
    """The weights of quantised layers, by the value that asks for them; ``None`` where they cannot be read."""
    packed_paths: dict[Value, str] = field(default_factory=dict[Value, str])
    """The full names of packed weights."""
    constants: list[Value] = field(default_factory=list[Value])
    """Constants that no operation of a block gives: what was added to the program."""
    is_exported: bool = False
    """Whether it is an exported program; else it is TorchScript, whose tensors' dtypes and shapes are not known."""

    def users(self) -> dict[Value, list[tuple[Operation, int]]]:
        """The operations that use each value, with the place of the input, in the order of the program."""
        users: dict[Value, list[tuple[Operation, int]]] = {}
        for operation in self.walk():
            for index, value in enumerate(operation.inputs):
                users.setdefault(value, []).append((operation, index))
        return users


def own_frame(frames: Sequence[tuple[str, str]]) -> str:
    """``FILE:LINE`` of the first frame that is not PyTorch's own, else of the first one; the innermost comes first."""
    own = [frame for frame in frames if not _LIBRARY.search(frame[0])]
    return ":".join((own or frames)[0]) if frames else ""
