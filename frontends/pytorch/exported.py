"""Exported programs (``.pt2``) as :class:`~.graph.Program`: the graph is JSON, the weights are bytes.

PyTorch's own loader unpickles parts of such a file and evaluates the texts of its symbolic sizes: it is not used. What
is taken from PyTorch are the schemas of its operators, which say what a graph leaves out: the defaults.

Source of the format: ``torch/_export/serde/schema.py`` of PyTorch (schema version 8).
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, cast

import numpy as np

from ..diagnostics import ImportReport, ModelImportError
from .archive import DAMAGED, Archive, open_archive
from .backend import torch
from .graph import Operation, OperationBlock, Program, Value, own_frame
from .repetition import Repetition
from .script_sources import FILE_OPERATORS
from .stored_tensors import PROGRAM_DTYPES, MalformedProgramError, StoredTensors

__all__ = ["archive_of", "is_exported", "read_exported"]

_VERSION = 8
_CODES = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 12: 11, 13: 15}
"""The number that TorchScript has for each dtype of the format."""

_TARGET = re.compile(r"torch\.ops\.(\w+)\.(\w+)\.(\w+)")
_SYMBOLIC = {
    "add": "aten::add",
    "sub": "aten::sub",
    "mul": "aten::mul",
    "floordiv": "aten::floor_divide",
    "truediv": "aten::div",
    "mod": "aten::remainder",
    "neg": "aten::neg",
    "eq": "aten::eq",
    "ne": "aten::ne",
    "lt": "aten::lt",
    "le": "aten::le",
    "gt": "aten::gt",
    "ge": "aten::ge",
}
"""What a program computes of sizes, by the names of Python's module ``operator``."""

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')

Json = Mapping[str, Any]


def is_exported(model: object) -> bool:
    """Whether ``model`` is PyTorch's object of an exported program."""
    return isinstance(model, torch.export.ExportedProgram)


def archive_of(model: object, report: ImportReport) -> Archive:
    """The archive that PyTorch writes of an exported program."""
    buffer = io.BytesIO()
    try:
        torch.export.save(model, buffer)
    except Exception as error:  # PyTorch's errors have no common base.
        first = str(error).strip().partition("\n")[0]
        raise report.refuse("unreadable-model", f"PyTorch cannot save this program: {first}") from None
    return open_archive(buffer.getvalue(), None, report)


def read_exported(archive: Archive, report: ImportReport) -> Program:
    """The program in an archive.

    Raises:
        ModelImportError: the file is not as the format has it, or needs PyTorch to unpickle a part of it.
    """
    path = archive.exported_model
    assert path is not None
    try:
        model = json.loads(archive.read(path))
        version = model["schema_version"]["major"]
        if version != _VERSION:
            raise MalformedProgramError(f"its format has the version {version}, and {_VERSION} is read here")
        reader = _Reader(archive, report, path.removeprefix("models/").removesuffix(".json"))
        return reader.read(model["graph_module"])
    except ModelImportError:
        raise
    except MalformedProgramError as error:
        raise report.refuse("unreadable-model", f"the exported program cannot be read: {error}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, *DAMAGED) as error:
        what = f"{type(error).__name__}: {error}"
        raise report.refuse("unreadable-model", f"the exported program cannot be read: {what}") from None


class _Reader:
    def __init__(self, archive: Archive, report: ImportReport, name: str) -> None:
        self.archive = archive
        self.report = report
        self.name = name
        self.program = Program(is_exported=True)
        self.schemas: dict[str, Any] = {}

    def read(self, module: Json) -> Program:
        program, graph = self.program, module["graph"]
        signature = module["signature"]
        scope = _Scope(self, graph, program)
        for argument in graph["inputs"]:
            scope.declare(argument)
        self._read_inputs(signature["input_specs"], scope)
        scope.read_nodes(graph["nodes"])
        specs = signature["output_specs"]
        if len(specs) != len(graph["outputs"]):
            raise MalformedProgramError("the signature does not have the outputs of the graph")
        for spec, argument in zip(specs, graph["outputs"], strict=True):
            if "user_output" in spec:
                program.outputs.append(scope.argument(argument))
        program.constants += scope.constants
        for operation in program.walk():
            for value in operation.inputs:
                if value in program.parameters:
                    program.first_users.setdefault(value, operation)
        return program

    def _read_inputs(self, specs: Sequence[Json], scope: _Scope) -> None:
        weights = StoredTensors(self.archive, "weights", self.name)
        constants = StoredTensors(self.archive, "constants", self.name)
        for spec in specs:
            ((kind, content),) = spec.items()
            if kind == "user_input":
                ((of_argument, argument),) = content["arg"].items()
                if of_argument == "as_tensor":
                    self.program.inputs.append(scope.value(argument["name"]))
                elif of_argument == "as_sym_int" and "as_name" in argument:
                    value = scope.value(argument["as_name"])
                    value.kind, value.dtype, value.shape = "IntType", "int64", ()
                    self.program.inputs.append(value)
                continue
            if kind == "constant_input":
                continue
            if kind not in ("parameter", "buffer", "tensor_constant"):
                raise MalformedProgramError(f"an input is a {kind}, which has no form in Relay")
            name = content[f"{kind}_name"]
            payload = weights if name in weights else constants
            value = scope.value(content["arg"]["name"])
            self.program.parameters[value] = name
            self.program.tensors[name] = payload.array(name)

    def schema(self, name: str, overload: str) -> Any:
        """PyTorch's schema of an operator; ``None`` where this PyTorch has none."""
        key = f"{name}.{overload}"
        if key not in self.schemas:
            wanted = "" if overload == "default" else overload
            known = torch._C._jit_get_schemas_for_operator(name)
            self.schemas[key] = next((schema for schema in known if schema.overload_name == wanted), None)
        return self.schemas[key]


class _Scope:
    """The names of one graph: the program's, or a branch's."""

    def __init__(self, reader: _Reader, graph: Json, block: OperationBlock) -> None:
        self.reader = reader
        self.block = block
        self.constants: list[Value] = []
        self._tensors: Json = graph["tensor_values"]
        self._values: dict[str, Value] = {}

    def value(self, name: str) -> Value:
        """The value called ``name``.

        Raises:
            MalformedProgramError: it is no name.
        """
        if not isinstance(cast("object", name), str):
            raise MalformedProgramError(f"the name of a value is a {type(name).__name__}")
        known = self._values.get(name)
        if known is None:
            known = Value(name)
            declared = self._tensors.get(name)
            if declared is not None:
                code = _CODES.get(declared["dtype"])
                known.dtype = None if code is None else np.dtype(PROGRAM_DTYPES[declared["dtype"]]).name
                known.shape = tuple(size.get("as_int") for size in declared["sizes"])
            self._values[name] = known
        return known

    def bind(self, name: str, value: Value) -> None:
        """Let ``name`` stand for a value of the graph around this one."""
        self._values[name] = value

    def declare(self, argument: Json) -> None:
        """Make the value of an input of the graph."""
        for content in argument.values():
            if isinstance(content, Mapping):
                name = cast("Json", content).get("name") or cast("Json", content).get("as_name")
                if isinstance(name, str):
                    self.value(name)

    # ---- arguments

    def argument(self, argument: Json) -> Value:
        """An argument of an operation: a value of the graph, or one made of a literal."""
        ((kind, content),) = argument.items()
        if kind == "as_tensor":
            return self.value(content["name"])
        if kind in ("as_sym_int", "as_sym_float", "as_sym_bool", "as_optional_tensor"):
            return self._element(content)
        if kind == "as_tensors":
            return self._list([self.value(item["name"]) for item in content])
        if kind in ("as_sym_ints", "as_sym_floats", "as_sym_bools", "as_optional_tensors"):
            return self._list([self._element(item) for item in content])
        return self._literal(_literal(kind, content))

    def _element(self, item: Json) -> Value:
        ((kind, content),) = item.items()
        if kind == "as_name":
            return self.value(content)
        if kind == "as_tensor":
            return self.value(content["name"])
        return self._literal(None if kind == "as_none" else content)

    def _literal(self, content: object) -> Value:
        value = Value("constant", _kind_of(content))
        value.producer = Operation("prim::Constant", outputs=[value], attribute=content)
        self.constants.append(value)
        return value

    def _list(self, parts: list[Value]) -> Value:
        value = Value("list", "ListType")
        value.producer = Operation("prim::ListConstruct", parts, [value])
        self.block.operations.append(value.producer)
        return value

    # ---- nodes

    def read_nodes(self, nodes: Iterable[Json]) -> None:
        """Add the operations of the graph to the block."""
        for node in nodes:
            if node["target"].startswith("torch.ops.higher_order."):
                self._read_higher_order(node)
            else:
                self._read_node(node)

    def _read_node(self, node: Json) -> None:
        target: str = node["target"]
        given = {item["name"]: item["arg"] for item in node["inputs"]}
        matched = _TARGET.fullmatch(target)
        operation = self._operation(node, _plain_kind(target))
        if matched is None:
            operation.inputs = [self.argument(item["arg"]) for item in node["inputs"]]
            self._finish(node, operation)
            return
        namespace, name, overload = matched.groups()
        if name in FILE_OPERATORS:
            raise self.reader.report.refuse("unsafe-model", f"the program calls {target}, which touches files")
        operation.kind = f"{namespace}::{name}"
        operation.overload = overload
        schema = self.reader.schema(operation.kind, overload)
        if schema is None:
            operation.inputs = [self.argument(item["arg"]) for item in node["inputs"]]
        else:
            operation.argument_names = tuple(argument.name for argument in schema.arguments)
            for argument in schema.arguments:
                if argument.name in given:
                    operation.inputs.append(self.argument(given[argument.name]))
                else:
                    operation.inputs.append(self._literal(_default(argument)))
        self._finish(node, operation)

    def _operation(self, node: Json, kind: str) -> Operation:
        metadata: Mapping[str, str] = node.get("metadata") or {}
        frames = _FRAME.findall(metadata.get("stack_trace", ""))
        module, call = _module(metadata.get("nn_module_stack", ""))
        return Operation(kind, module=module, call=call, source=own_frame(frames[::-1]))

    def _finish(self, node: Json, operation: Operation) -> None:
        """Add an operation, and what takes a list that it gives apart."""
        self.block.operations.append(operation)
        outputs = node["outputs"]
        if len(outputs) == 1 and "as_tensors" in outputs[0]:
            listed = Value(node.get("name") or "parts", "ListType", producer=operation)
            operation.outputs = [listed]
            unpacking = Operation("prim::ListUnpack", [listed], module=operation.module, call=operation.call)
            unpacking.source = operation.source
            for item in outputs[0]["as_tensors"]:
                self._give(unpacking, self.value(item["name"]))
            self.block.operations.append(unpacking)
            return
        for index, output in enumerate(outputs):
            ((kind, content),) = output.items()
            if kind == "as_none":
                self._give(operation, Value(f"{node.get('name')}.{index}"))
            else:
                self._give(operation, self.argument(output))
            del content

    def _give(self, operation: Operation, value: Value) -> None:
        value.producer = operation
        operation.outputs.append(value)

    # ---- graphs in graphs

    def _read_higher_order(self, node: Json) -> None:
        name = node["target"].rpartition(".")[2]
        arguments = [item["arg"] for item in node["inputs"]]
        graphs = [argument["as_graph"]["graph"] for argument in arguments if "as_graph" in argument]
        operation = self._operation(node, "prim::If")
        if name == "cond" and len(graphs) == 2:
            operation.inputs = [self.argument(arguments[0])]
            operands = self._operands(arguments[3:])
            operation.blocks = [self._branch(graph, operands) for graph in graphs]
            self._finish(node, operation)
        elif name == "while_loop" and len(graphs) == 2 and "as_graph" in arguments[0]:
            self._read_loop(node, operation, graphs, arguments[2:])
        elif name in ("wrap_with_set_grad_enabled", "wrap_with_autocast") and len(graphs) == 1:
            place = next(index for index, argument in enumerate(arguments) if "as_graph" in argument)
            self._inline(node, graphs[0], self._operands(arguments[place + 1 :]))
        elif not (
            name in ("scan", "map_impl") and len(graphs) == 1 and self._read_iterations(node, operation, graphs[0])
        ):
            operation.kind = f"higher_order::{name}"
            operation.inputs = [self.argument(argument) for argument in arguments if "as_graph" not in argument]
            self._finish(node, operation)

    def _read_loop(self, node: Json, operation: Operation, graphs: Sequence[Json], arguments: Sequence[Json]) -> None:
        """``while_loop(condition, body, carried, others)``, as TorchScript's loop without a count."""
        condition, body = graphs
        carried, others = self._operands(arguments[:1]), self._operands(arguments[1:])
        block = OperationBlock([Value(f"{value.name}.next", value.kind, value.dtype, value.shape) for value in carried])
        results = self._applied(body, block, [*block.inputs, *others])
        block.outputs = [*self._applied(condition, block, [*results, *others]), *results]
        block.inputs.insert(0, Value("turn", "IntType", "int64", ()))
        start = self._applied(condition, self.block, [*carried, *others])
        operation.kind = "prim::Loop"
        operation.inputs = [self._literal(sys.maxsize), *start, *carried]
        operation.blocks = [block]
        self._finish(node, operation)

    def _read_iterations(self, node: Json, operation: Operation, graph: Json) -> bool:
        """``scan(carried, sequences, others)`` and ``map_impl(sequences, others)``; whether it could be read."""
        groups = [self._operands([item["arg"]]) for item in node["inputs"] if "as_graph" not in item["arg"]]
        if node["target"].endswith("map_impl"):
            groups.insert(0, [])
        repetition = Repetition(operation, self.block, self._literal)
        results = repetition.read(partial(self._applied, graph), groups[0], groups[1], list(chain(*groups[2:])))
        if results is not None:
            self._bind_outputs(node, results)
        return results is not None

    def _applied(self, graph: Json, block: OperationBlock, operands: Sequence[Value]) -> list[Value]:
        """The outputs of ``graph``, whose operations come to stand in ``block``."""
        inner = self._bound(graph, block, operands)
        results = [inner.argument(argument) for argument in graph["outputs"]]
        self.constants += inner.constants
        return results

    def _operands(self, arguments: Sequence[Json]) -> list[Value]:
        operands: list[Value] = []
        for argument in arguments:
            if "as_tensors" in argument:
                operands += [self.value(item["name"]) for item in argument["as_tensors"]]
            elif "as_sym_ints" in argument:
                operands += [self._element(item) for item in argument["as_sym_ints"]]
            elif "as_ints" in argument:
                operands += [self._literal(item) for item in argument["as_ints"]]
            else:
                operands.append(self.argument(argument))
        return operands

    def _bound(self, graph: Json, block: OperationBlock, operands: Sequence[Value]) -> _Scope:
        inner = _Scope(self.reader, graph, block)
        if len(graph["inputs"]) != len(operands):
            raise MalformedProgramError(f"a graph takes {len(graph['inputs'])} values, and gets {len(operands)}")
        for argument, operand in zip(graph["inputs"], operands, strict=True):
            ((_, content),) = argument.items()
            inner.bind(content.get("name") or content["as_name"], operand)
        inner.read_nodes(graph["nodes"])
        return inner

    def _branch(self, graph: Json, operands: Sequence[Value]) -> OperationBlock:
        block = OperationBlock()
        block.outputs = self._applied(graph, block, operands)
        return block

    def _inline(self, node: Json, graph: Json, operands: Sequence[Value]) -> None:
        self._bind_outputs(node, self._applied(graph, self.block, operands))

    def _bind_outputs(self, node: Json, results: Sequence[Value]) -> None:
        outputs = node["outputs"]
        if len(outputs) == 1 and "as_tensors" in outputs[0]:
            outputs = [{"as_tensor": item} for item in outputs[0]["as_tensors"]]
        for output, result in zip(outputs, results, strict=True):
            if "as_none" not in output:
                self.bind(output["as_tensor"]["name"], result)


def _plain_kind(target: str) -> str:
    """An operator that is none of ``torch.ops``: what computes sizes."""
    for prefix in ("_operator.", "torch.sym_", "math."):
        if target.startswith(prefix):
            name = target.removeprefix(prefix)
            return _SYMBOLIC.get(name, f"python::{name}")
    return f"python::{target}"


def _literal(kind: str, content: object) -> object:
    if kind == "as_none":
        return None
    if kind == "as_float":
        return float(cast("float | str", content))  # What is infinite, or no number, is a text there.
    if kind == "as_floats":
        return [float(number) for number in cast("list[float | str]", content)]
    if kind == "as_scalar_type":
        return _CODES.get(cast("int", content), 999)
    if kind == "as_device":
        return "cpu"
    if kind in ("as_memory_format", "as_layout"):
        return None
    if kind in ("as_graph", "as_custom_obj", "as_operator", "as_complex"):
        return f"<{kind.removeprefix('as_')}>"
    return content


def _kind_of(content: object) -> str:
    kinds: Sequence[tuple[type, str]] = (
        (bool, "BoolType"),
        (int, "IntType"),
        (float, "FloatType"),
        (str, "StringType"),
    )
    return next((kind for type_, kind in kinds if isinstance(content, type_)), "NoneType")


def _default(argument: Any) -> object:
    if not argument.has_default_value():
        return None
    value: object = argument.default_value
    if isinstance(value, list):
        return cast("list[object]", value)
    return value if isinstance(value, (bool, int, float, str)) else None


def _module(stack: str) -> tuple[str, int]:
    """The path of the innermost module, and which call of it this is.

    The stack is written as ``KEY,PATH,TYPE;KEY,PATH,TYPE``, outermost first; the key of a second call ends with ``@1``.
    """
    entry = stack.rpartition(";")[2].split(",")
    if len(entry) < 2 or entry[1].startswith("_empty"):
        return "", 0
    key, path = entry[0], entry[1]
    path = re.sub(r"\[['\"]?([^\]'\"]+)['\"]?\]", r".\1", path.removeprefix("L['self']")).strip(".")
    number = key.rpartition("@")[2]
    return path, int(number) if "@" in key and number.isdecimal() else 0
