"""TorchScript archives as :class:`~.graph.Program`: PyTorch inlines the modules, and the graph is taken over as data.

Source of the rules: ``_run_jit_passes``, ``convert_params``, ``_get_constant`` in
``python/tvm/relay/frontend/pytorch.py``. ``torch._C`` has no types: what comes from it is ``Any`` here.
"""

from __future__ import annotations

import io
import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..diagnostics import ConversionError, ImportReport
from .backend import torch
from .graph import Operation, OperationBlock, Program, Value, own_frame
from .packed import unpack
from .script_sources import refuse_file_operators
from .values import dtype_of_name

__all__ = ["load_script", "read_script"]

_PLACE = re.compile(r'^\s*(?:File "(?P<file>[^"]+)", line (?P<line>\d+)|(?P<path>[^()"]+\.py)\((?P<number>\d+)\):)')


def load_script(source: bytes | Path, report: ImportReport) -> Any:
    """The module in a TorchScript archive, whose program is looked through first.

    From a file it takes the memory of its weights once, from bytes several times.

    Raises:
        ModelImportError: PyTorch cannot read it, or its program could touch files.
    """
    refuse_file_operators(source, report)
    try:
        return torch.jit.load(str(source) if isinstance(source, Path) else io.BytesIO(source), map_location="cpu")
    except Exception as error:  # PyTorch's errors have no common base.
        first = str(error).strip().partition("\n")[0]
        raise report.refuse("unreadable-model", f"PyTorch cannot read this archive: {first}") from None


def read_script(module: Any, report: ImportReport) -> Program:
    """The program of a scripted or traced module.

    Raises:
        ModelImportError: it has none.
    """
    if isinstance(module, torch.jit.ScriptModule) and not module._c._has_method("forward"):
        raise report.refuse("unreadable-model", "the module has no method forward")
    graph = module.graph.copy()
    torch._C._jit_pass_onnx_function_substitution(graph)
    inputs = list(graph.inputs())
    if not any(value.type().kind() in ("TupleType", "ListType") for value in inputs):
        lowered = graph.copy()
        with suppress(RuntimeError):  # Tuples in lists cannot be lowered: then all stay.
            torch._C._jit_pass_lower_all_tuples(lowered)
            graph = lowered
    return _Reader(module, report).read(graph)


class _Reader:
    def __init__(self, module: Any, report: ImportReport) -> None:
        self.module = module
        self.report = report
        self.values: dict[str, Value] = {}
        self.operations: dict[int, Operation] = {}
        self.attributes: dict[Value, str] = {}
        self.schemas: dict[str, tuple[str, ...]] = {}
        self.program = Program()
        self.has_places = True

    def read(self, graph: Any) -> Program:
        program = self.program
        inputs = list(graph.inputs())
        if isinstance(self.module, torch.jit.ScriptModule):
            self_value = self._value(inputs.pop(0))
            self.attributes[self_value] = ""
        program.inputs = [self._value(value) for value in inputs]
        # The nodes, their types and their places; a first user is looked up once all nodes are there.
        self._read_block(graph, program)
        program.outputs = [self._value(value) for value in graph.outputs()]
        self._read_attributes(graph)
        return program

    def _value(self, value: Any) -> Value:
        name = value.debugName()
        known = self.values.get(name)
        if known is None:
            known = self.values[name] = _typed(Value(name), value.type())
        return known

    def _read_block(self, block: Any, made: OperationBlock) -> None:
        waiting = [(block, made)]
        while waiting:
            current, target = waiting.pop()
            for node in current.nodes():
                operation = self._read_node(node)
                target.operations.append(operation)
                for inner in node.blocks():
                    body = OperationBlock([self._value(value) for value in inner.inputs()])
                    operation.blocks.append(body)
                    waiting.append((inner, body))
            if current is not block:
                target.outputs = [self._value(value) for value in current.returnNode().inputs()]

    def _read_node(self, node: Any) -> Operation:
        operation = Operation(node.kind())
        operation.inputs = [self._value(value) for value in node.inputs()]
        operation.outputs = [self._value(value) for value in node.outputs()]
        for value in operation.outputs:
            value.producer = operation
            self.operations[id_of(value)] = operation
        operation.module = _module_path(node.scopeName())
        if self.has_places:
            try:
                operation.source = _source(node.sourceRange())
            except (RuntimeError, UnicodeDecodeError):
                # What the archive notes of places is damaged, or no UTF-8, which its program may not be. PyTorch would
                # read it again for each operation, and may take a second each time.
                self.has_places = False
        operation.argument_names = self._argument_names(node.schema())
        if operation.kind == "prim::Constant":
            operation.attribute = self._constant(node)
        elif operation.kind == "prim::GetAttr":
            operation.attribute = node.s("name")
        return operation

    def _argument_names(self, schema: str) -> tuple[str, ...]:
        if schema not in self.schemas:
            known = schema and schema != "(no schema)"
            arguments = torch._C.parse_schema(schema).arguments if known else ()
            self.schemas[schema] = tuple(argument.name for argument in arguments)
        return self.schemas[schema]

    def _constant(self, node: Any) -> object:
        names = node.attributeNames()
        if not names:
            return None
        name, kind = names[0], node.output().type().kind()
        if kind == "IntType":
            return node.i(name)
        if kind == "BoolType":
            return bool(node.i(name))
        if kind in ("FloatType", "LongType"):
            return node.f(name)
        if kind in ("DeviceObjType", "StringType"):
            return node.s(name)
        if "Tensor" in kind:
            tensor = node.t(name)
            return tensor.item() if not tensor.dim() else _array(tensor)
        if kind in ("ListType", "TupleType"):
            value = node.output().toIValue()
            return [item.numpy() if isinstance(item, torch.Tensor) else item for item in value]
        return None

    # ---- parameters

    def _read_attributes(self, graph: Any) -> None:
        tensors = dict(self.module.state_dict()) if isinstance(self.module, torch.jit.ScriptModule) else {}
        first_users = {
            node.output().debugName(): uses[0].user.outputs()
            for node in graph.findAllNodes("prim::GetAttr", recurse=True)
            if (uses := node.output().uses())
        }
        for operation in self.program.walk():
            if operation.kind != "prim::GetAttr":
                continue
            value = operation.outputs[0]
            owner = self.attributes.get(operation.inputs[0], "")
            path = f"{owner}.{operation.attribute}" if owner else str(operation.attribute)
            self.attributes[value] = path
            operation.attribute = path
            outputs = list(first_users.get(value.name, ()))
            if outputs:
                self.program.first_users[value] = self.operations[id_of(self._value(outputs[0]))]
            is_inner = bool(outputs) and self.program.first_users[value].kind == "prim::GetAttr"
            if path.endswith("_packed_params") and not is_inner:
                self.program.packed[value] = unpack(self._attribute(path))
                self.program.packed_paths[value] = path
            elif path in tensors:
                self.program.parameters[value] = path
                self.program.tensors[path] = _array(tensors[path])
            elif not is_inner:
                self._read_plain_attribute(operation, path)

    def _read_plain_attribute(self, operation: Operation, path: str) -> None:
        """An attribute that is no parameter: a number, a text, or a tensor that is not saved as a buffer."""
        try:
            value = self._attribute(path)
        except (AttributeError, RuntimeError):
            return
        if isinstance(value, torch.Tensor):
            self.program.parameters[operation.outputs[0]] = path
            self.program.tensors[path] = _array(value)
        elif isinstance(value, (bool, int, float, str)) or value is None:
            operation.kind, operation.attribute = "prim::Constant", value

    def _attribute(self, path: str) -> Any:
        value = self.module
        for part in path.split("."):
            value = getattr(value, part)
        return value


def id_of(value: Value) -> int:
    """The identity of a value: what PyTorch's wrappers of nodes do not have."""
    return id(value)


def _array(tensor: Any) -> Any:
    plain = tensor.detach().cpu()
    if plain.is_quantized:
        plain = plain.int_repr()
    if plain.is_sparse or plain.layout is not torch.strided:
        plain = plain.to_dense()
    if plain.dtype is torch.bfloat16:
        import ml_dtypes

        return plain.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return np.ascontiguousarray(plain.numpy()) if plain.dim() else plain.numpy()


def _typed(value: Value, type: Any) -> Value:
    value.kind = type.kind()
    inner = type
    if value.kind == "OptionalType":
        inner = type.getElementType()
    if inner.kind() == "TensorType":
        scalar = inner.scalarType()
        if scalar is not None:
            try:
                value.dtype = dtype_of_name(scalar)
            except ConversionError:
                value.dtype = None
        sizes = inner.sizes()
        value.shape = None if sizes is None else tuple(sizes)
    elif value.kind in ("IntType", "FloatType", "BoolType"):
        value.dtype = {"IntType": "int32", "FloatType": "float32", "BoolType": "bool"}[value.kind]
    elif value.kind == "TupleType":
        value.elements = tuple(_typed(Value(f"{value.name}.{i}"), part) for i, part in enumerate(type.elements()))
    elif value.kind == "ListType":
        value.elements = (_typed(Value(f"{value.name}.0"), type.getElementType()),)
    return value


def _module_path(scope: str) -> str:
    """``layer1.0.conv1`` for ``Net::/Sequential::layer1/OperationBlock::0/Conv2d::conv1``."""
    parts = (part.rpartition("::")[2] for part in scope.split("/") if "::" in part)
    return ".".join(part for part in parts if part)


@lru_cache(maxsize=4096)
def _source(text: str) -> str:
    """``FILE:LINE`` of the program, from what PyTorch noted: frames, the innermost first."""
    frames: list[tuple[str, str]] = []
    for line in text.splitlines():
        matched = _PLACE.match(line)
        if matched:
            frames.append((matched["file"] or matched["path"], matched["line"] or matched["number"]))
    return own_frame(frames)
