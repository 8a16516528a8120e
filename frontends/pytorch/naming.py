"""The names of a program's layers: TVM's, or the paths of the modules.

TVM counts the operators of a kind (``aten::conv2d_0``), first for the names of parameters, which are called after their
first user, and again while blocks are converted, for the spans. Source of that rule: ``_debug_rename``,
``_rename_outputs``, ``convert_params`` and ``_set_parameter_source_name`` in ``python/tvm/relay/frontend/pytorch.py``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Protocol

from ..layers import parameter_name
from .graph import Operation, OperationBlock, Program, Value

__all__ = ["ModuleNames", "SourceNames", "TvmNames"]


class SourceNames(Protocol):
    """How layers, parameters and inputs are called."""

    names_in_lists: bool
    """Whether parameters in lists are called after themselves; TVM calls them after their layer."""

    def enter(self, block: OperationBlock) -> None:
        """Called before the operations of a block are converted."""

    def layer(self, operation: Operation) -> str:
        """The name of an operation."""
        ...

    def parameter(self, value: Value, path: str) -> str:
        """The name of a parameter that the program has under ``path``."""
        ...

    def packed(self, path: str, part: str) -> str:
        """The name of the weight or the bias that the program has packed under ``path``."""
        ...

    def use(self, layer: str, variable: str) -> str:
        """The source name of a variable whose first user is ``layer``."""
        ...


class TvmNames:
    """The names that TVM v0.12.0 gives; with ``readable`` those of its ``use_parser_friendly_name``."""

    def __init__(self, program: Program, readable: bool = False) -> None:
        self.names_in_lists = False
        self._program = program
        self._readable = readable
        self._separator = "_" if readable else "."
        self._counts: Counter[str] = Counter()
        self._names: dict[Operation, str] = {}
        self._first_names = self._name_all()

    def _name_all(self) -> dict[Operation, str]:
        """The names of all operations, those of blocks before those of the operations that have the blocks."""
        names: dict[Operation, str] = {}
        counts: Counter[str] = Counter()
        stack: list[tuple[Operation, bool]] = [(operation, False) for operation in reversed(self._program.operations)]
        while stack:
            operation, is_done = stack.pop()
            if operation.blocks and not is_done:
                stack.append((operation, True))
                for block in reversed(operation.blocks):
                    stack.extend((inner, False) for inner in reversed(block.operations))
                continue
            if operation.outputs and operation.kind != "prim::GetAttr":
                names[operation] = self._counted(operation, counts)
        return names

    def enter(self, block: OperationBlock) -> None:
        """Name the operations of the block."""
        for operation in block.operations:
            if operation.outputs and operation.kind != "prim::GetAttr":
                self._names[operation] = self._counted(operation, self._counts)

    def _counted(self, operation: Operation, counts: Counter[str]) -> str:
        """The next name of an operation's kind, which its results are called after."""
        name = f"{operation.kind}_{counts[operation.kind]}"
        counts[operation.kind] += 1
        for index, value in enumerate(operation.outputs):
            value.name = f"{name}_{index}"
        return re.sub(r"[:.]", "_", name) if self._readable else name

    def layer(self, operation: Operation) -> str:
        """``aten::conv2d_0``."""
        return self._names.get(operation, operation.kind)

    def parameter(self, value: Value, path: str) -> str:
        """``aten::conv2d_0.weight``."""
        user = self._program.first_users.get(value)
        owner = self._first_names.get(user, "") if user is not None else ""
        parts = re.split(r"[._]", path) if self._readable else path.split(".")
        return self._separator.join([owner, parts[-1]] if owner else [path])

    def packed(self, path: str, part: str) -> str:
        """``conv_weight``."""
        return f"{path.removesuffix('._packed_params')}_{part}"

    def use(self, layer: str, variable: str) -> str:
        """``aten::conv2d_0.input0``; a parameter's own name where that tells its layer."""
        return variable if variable.startswith(layer) else self._separator.join([layer, variable])


class ModuleNames:
    """The paths of modules, as a state dictionary has them.

    A module that is one operation gives it its path: ``layer1.0.conv1``. The operations of a module that has several
    are called by its path and their operator: ``encoder.self_attn.softmax``. What is there gets a number behind it.
    """

    def __init__(self, program: Program) -> None:
        self.names_in_lists = True
        self._names: dict[Operation, str] = {}
        self._taken: set[str] = set()
        self._numbers: Counter[str] = Counter()
        kinds: dict[tuple[str, int], set[str]] = defaultdict(set)
        for operation in program.walk():
            if is_layer(operation):
                kinds[operation.module, operation.call].add(operation.kind)
        # A module that has others in it is a place, however few operations are its own.
        owners = {path[:end] for path, _ in kinds for end in _dots(path)}
        self._is_simple = {key: len(of_call) == 1 and key[0] not in owners for key, of_call in kinds.items()}

    def enter(self, block: OperationBlock) -> None:
        """Name the operations of the block."""
        for operation in block.operations:
            if is_layer(operation):
                self._names[operation] = self._unique(self._wanted(operation))

    def _unique(self, wanted: str) -> str:
        """``wanted``, with a number behind it where that is taken; looked up from the last number that was given."""
        while True:
            number = self._numbers[wanted]
            self._numbers[wanted] += 1
            name = f"{wanted}_{number}" if number else wanted
            if name not in self._taken:
                self._taken.add(name)
                return name

    def _wanted(self, operation: Operation) -> str:
        short = re.sub(r"_$", "", operation.kind.rpartition("::")[2])
        if not operation.module:
            return short
        simple = self._is_simple.get((operation.module, operation.call), False)
        return operation.module if simple else f"{operation.module}.{short}"

    def layer(self, operation: Operation) -> str:
        """``layer1.0.conv1``."""
        known = self._names.get(operation)
        if known is not None:
            return known
        return operation.module or operation.kind.rpartition("::")[2]

    def parameter(self, value: Value, path: str) -> str:
        """``layer1.0.conv1.weight``."""
        del value
        return path

    def packed(self, path: str, part: str) -> str:
        """``layer1.0.conv1.weight``."""
        return f"{path.replace('._packed_params', '')}.{part}"

    def use(self, layer: str, variable: str) -> str:
        """``layer1.0.conv1.x``; the path of a parameter."""
        return variable if "." in variable else parameter_name(layer, variable)


def _dots(path: str) -> list[int]:
    """Where the dots are in a path: what is before each is a module around it."""
    return [place for place, letter in enumerate(path) if letter == "."]


_STRUCTURE = frozenset(
    {"prim::Constant", "prim::GetAttr", "prim::ListConstruct", "prim::TupleConstruct", "prim::ListUnpack",
     "prim::TupleUnpack", "prim::NumToTensor", "aten::Int", "aten::size", "aten::sym_size",
     "aten::ScalarImplicit", "aten::detach"}
)  # fmt: skip


def is_layer(operation: Operation) -> bool:
    """Whether an operation computes, rather than arranges what others compute."""
    return bool(operation.outputs) and operation.kind not in _STRUCTURE
