"""A program, operation by operation: values to expressions, layers to spans, what cannot be converted to a diagnostic.

Source of the rules: ``PyTorchOpConverter`` in ``python/tvm/relay/frontend/pytorch.py``. Where that stops at the first
operator that it does not know, this keeps the call by the operator's name and goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, Function, GlobalVar, NDArray, Tuple, TupleGetItem, Var
from relay_lsp.ir.types import ANY, ERROR, TensorType

from ..diagnostics import CONVERSION_FAILURES, ConversionError, ImportReport, ModelPlace
from ..folding import Folder
from ..imported import Layer
from ..inspection import type_of
from ..kept_calls import kept_call
from ..layers import SpanFiller
from ..operators import Outputs
from .graph import Operation, OperationBlock, Program, Value
from .naming import SourceNames, is_layer
from .node import TorchNode, as_expr, converters
from .runtime_lists import RuntimeList, module_of_lists
from .values import PackedWeights, TorchResult, TorchValue

__all__ = ["ModelConversion"]

WRITE_BACK = {
    "aten::slice": "aten::slice_scatter",
    "aten::select": "aten::select_scatter",
    "aten::view": "relay::reshape_back",
    "aten::reshape": "relay::reshape_back",
    "aten::flatten": "relay::reshape_back",
    "aten::squeeze": "relay::reshape_back",
    "aten::unsqueeze": "relay::reshape_back",
    "aten::transpose": "relay::transpose_back",
    "aten::permute": "relay::transpose_back",
    "aten::t": "relay::transpose_back",
    "aten::detach": "relay::reshape_back",
}
"""How a part of a tensor that was computed in place gets back into the whole, by the operator that gave the part."""

_ARRANGEMENTS = frozenset(
    {
        "prim::If",
        "prim::Loop",
        "prim::ListConstruct",
        "prim::ListUnpack",
        "prim::TupleConstruct",
        "prim::TupleUnpack",
        "prim::DictConstruct",
    }
)
"""Operations that only arrange values: none of them is called after these."""

_OF_LISTS = frozenset(
    {"prim::ListConstruct", "prim::DictConstruct"}
    | {f"aten::{name}" for name in ("add", "keys", "list", "mul", "slice", "values")}
)
"""Operations that give a list of values that have their layers' names already."""

MOST_NODES = 1_000_000
"""How many operations are converted at most."""


class ModelConversion:
    """The conversion of one program.

    ``names`` says how layers are called, ``variables`` are the program's inputs, ``default_dtype`` is the dtype of
    tensors whose dtype neither the program nor an expression tells.
    """

    def __init__(
        self,
        program: Program,
        names: SourceNames,
        report: ImportReport,
        spans: SpanFiller,
        default_dtype: str,
    ) -> None:
        self.program = program
        self.names = names
        self.report = report
        self.spans = spans
        self.default_dtype = default_dtype
        self.folder = Folder()
        self.values: dict[Value, TorchValue] = {}
        self.params: dict[str, NDArray] = {}
        self.layers: list[Layer] = []
        self.broken: set[Expr] = set()
        """Values that could not be converted: what they make impossible is not reported again."""
        self._used = {value for operation in program.walk() for value in operation.inputs}
        self._used.update(value for block in _blocks(program) for value in block.outputs)
        self._holders: dict[Expr, list[Value]] = {}
        self._views: dict[Value, list[Operation]] = {}
        self._converted = 0
        self.functions: dict[GlobalVar, Function] = {}
        """The functions that were made for this program, besides ``@main``."""
        self._place = ModelPlace()
        """The operation that is converted."""

    def is_used(self, value: Value) -> bool:
        """Whether an operation takes ``value``, or a block gives it."""
        return value in self._used

    # ---- parameters

    def add_parameter(self, name: str, array: NDArray) -> Var:
        """A variable that holds ``array``."""
        unique, number = name, 1
        while unique in self.params:
            unique, number = f"{name}_{number}", number + 1
        self.params[unique] = array
        return Var(unique, TensorType(tuple(array.shape), array.dtype.name))

    def read_parameters(self) -> None:
        """Make a variable of each parameter and buffer of the program that something uses."""
        for value in self.program.constants:
            self.values[value] = _constant(value.producer.attribute if value.producer else None)
        known: dict[tuple[str, str], Var] = {}
        for value, path in self.program.parameters.items():
            name = self.names.parameter(value, path)
            if (name, path) not in known:
                known[name, path] = self.add_parameter(name, self.program.tensors[path])
            self.values[value] = known[name, path]

    def read_packed_weights(self, input_scales: Mapping[Value, float]) -> None:
        """Make variables of packed weights, quantised where they are used.

        ``input_scales`` are the scales of the layers' inputs; without one the bias stays as it is.
        """
        for value, unpacked in self.program.packed.items():
            if unpacked is None:
                continue
            path = self.program.packed_paths[value]
            scale, zero_point = Constant(unpacked.scale), Constant(np.array(unpacked.zero_point, np.int32))
            weight = self.add_parameter(self.names.packed(path, "weight"), unpacked.weight)
            bias: Expr | None = None
            named = [weight]
            if unpacked.bias is not None:
                bias = self.add_parameter(self.names.packed(path, "bias"), unpacked.bias)
                named.append(bias)
            for variable in named if self.names.names_in_lists else ():
                self.spans.fill(variable, variable.name_hint)
            if bias is not None and value in input_scales:
                of_bias = Constant(np.asarray(np.float64(input_scales[value]) * unpacked.scale, np.float32))
                bias = call("qnn.quantize", bias, of_bias, constant(0, "int32"), axis=0, out_dtype="int32")
            self.values[value] = PackedWeights(
                call("qnn.quantize", weight, scale, zero_point, axis=0, out_dtype="int8"),
                scale,
                zero_point,
                bias,
                unpacked.stride,
                unpacked.padding,
                unpacked.dilation,
                unpacked.groups,
                unpacked.output_padding,
            )

    # ---- blocks

    def convert_block(self, block: OperationBlock) -> list[TorchValue]:
        """The results of a block whose inputs have their values."""
        self.names.enter(block)
        for operation in block.operations:
            if (operation.outputs or operation.changes_list) and operation.kind != "prim::GetAttr":
                self._convert(operation)
        return [self.value(value) for value in block.outputs]

    def value(self, value: Value) -> TorchValue:
        """What a value is now; a variable of its name where nothing gives it."""
        if value not in self.values:
            lost = Var(value.name)
            self.broken.add(lost)
            self.values[value] = lost
            self.report.error("undefined-model-value", f"nothing defines {value.name} before it is used", self._place)
        return self.values[value]

    def runtime_list(self, value: Value) -> RuntimeList:
        """The list that ``value`` is, by whatever names, as one whose length is not known.

        Raises:
            ConversionError: it is none, or holds values of several types.
        """
        given = self.value(value)
        if isinstance(given, RuntimeList):
            return given
        if not isinstance(given, list):
            raise ConversionError(f"a list is expected, not a {type(given).__name__}")
        made = RuntimeList.of([as_expr(part) for part in cast("list[TorchValue]", given)])
        for name, held in self.values.items():
            if held is given:
                self.values[name] = made
        return made

    def _convert(self, operation: Operation) -> None:
        self._converted += 1
        if self._converted > MOST_NODES:
            raise self.report.refuse("model-too-large", f"the program has more than {MOST_NODES} operations")
        name = self.names.layer(operation)
        self._place = ModelPlace(name, operation.kind)
        if is_layer(operation):
            self.layers.append(self._layer(operation, name))
        result: TorchResult = None
        try:
            result = self._convert_operation(operation, name)
        except ConversionError as error:
            self._report_failure(error, operation, name)
            result = self._kept_call(operation, name)
        except CONVERSION_FAILURES as error:
            self._report_failure(ConversionError(str(error) or type(error).__name__), operation, name)
            result = self._kept_call(operation, name)
        results = result if isinstance(result, tuple) else (result,)
        is_doubtful = self._uses_broken(operation)
        for value, part in zip(operation.outputs, results, strict=False):
            self.values[value] = part
            if isinstance(part, Expr):
                self._holders.setdefault(part, []).append(value)
            if is_doubtful:
                self.broken.update(_expressions(part))

    def _convert_operation(self, operation: Operation, name: str) -> TorchResult:
        kind = operation.kind
        if kind == "prim::Constant":
            return _constant(operation.attribute)
        converter = converters.find(kind)
        if converter is None and kind.endswith("_"):
            # What is computed in place is computed here, and later uses of the value see the result.
            converter = converters.find(kind[:-1])
        if converter is None:
            raise ConversionError(
                f"there is no converter for {kind} here: the call is kept by its name", code="unknown-model-operator"
            )
        if kind in _ARRANGEMENTS:
            inputs = [self.value(value) for value in operation.inputs]
        else:
            inputs = [self._input(value, name) for value in operation.inputs]
        node = TorchNode(self, name, operation, inputs)
        result = converter.convert(node)
        if not isinstance(result, (list, dict)) or not (kind in _OF_LISTS or operation.changes_list):
            result = self._finish(result, operation, name)
        if self.program.is_exported:
            self._require_declared_types(operation, result)
        if kind in WRITE_BACK:
            self._views.setdefault(operation.inputs[0], []).append(operation)
        if _is_in_place(kind) and operation.inputs and isinstance(result, Expr):
            self._write_back(operation, inputs[0], result, name)
        return result

    def _write_back(self, operation: Operation, old: TorchValue, result: Expr, name: str) -> None:
        """Let later uses of what was computed in place see the result: the value, and what it is a part of.

        Other parts of the same tensor are taken again from what it is now.
        """
        self._replace(old, result)
        changed = operation.inputs[0]
        self._take_parts_again(changed, name, None)
        while (view := changed.producer) is not None and view.inputs:
            base = view.inputs[0]
            rule = WRITE_BACK.get(view.kind)
            whole = self.values.get(base)
            if rule is None or not isinstance(whole, Expr):
                break
            if whole is not self.values.get(changed):
                undo = Operation(rule, [base, changed, *view.inputs[1:]], [Value(base.name)])
                converter = converters.find(rule)
                assert converter is not None
                inputs = [self.value(value) for value in undo.inputs]
                made = self._finish(converter.convert(TorchNode(self, name, undo, inputs)), operation, name)
                assert isinstance(made, Expr)
                self._replace(whole, made)
                self._take_parts_again(base, name, changed)
            changed = base

    def _take_parts_again(self, whole: Value, name: str, fresh: Value | None) -> None:
        """Convert the operations anew that gave parts of ``whole``, and parts of these; ``fresh`` is so already."""
        waiting = list(self._views.get(whole, ()))
        while waiting:
            view = waiting.pop(0)
            part = view.outputs[0]
            converter = converters.find(view.kind)
            if part is fresh or converter is None or not isinstance(self.values.get(view.inputs[0]), Expr):
                continue
            inputs = [self.value(value) for value in view.inputs]
            made = self._finish(converter.convert(TorchNode(self, name, view, inputs)), view, name)
            if isinstance(made, Expr):
                self.values[part] = made
                self._holders.setdefault(made, []).append(part)
            waiting.extend(self._views.get(part, ()))

    def _replace(self, old: TorchValue, result: Expr) -> None:
        """Let later uses of a value that was computed in place see the result."""
        if isinstance(old, Expr) and old is not result:
            holders = self._holders.pop(old, [])
            for value in holders:
                if self.values.get(value) is old:
                    self.values[value] = result
            self._holders.setdefault(result, []).extend(holders)

    def _input(self, value: Value, name: str) -> TorchValue:
        """The value of an input; a variable or constant that no layer made is called after the first that uses it."""
        given = self.value(value)
        parts = _expressions(given) if self.names.names_in_lists else [given]
        for part in parts:
            if isinstance(part, Var):
                self.spans.fill(part, self.names.use(name, part.name_hint))
            elif isinstance(part, Constant):
                self.spans.fill(part, name)
        return given

    def _finish(self, result: TorchResult, operation: Operation, name: str) -> TorchResult:
        """Give the results the layer's name, and infer their types.

        Raises:
            ConversionError: a result is ill-typed, and not because of a value that could not be converted.
        """
        for part in _expressions(result):
            self.spans.fill(part, name)
            try:
                type_of(part, module_of_lists())
            except ConversionError:
                if not self._uses_broken(operation):
                    raise
                part.checked_type = ERROR  # What is below it need not be examined again.
                self.broken.add(part)
        return result

    def _require_declared_types(self, operation: Operation, result: TorchResult) -> None:
        """Check that results are of the kind of numbers, and have the shape, that an exported program declares.

        Raises:
            ConversionError: one is or has not, so that what is computed is not what the program computes.
        """
        for value, part in zip(operation.outputs, result if isinstance(result, tuple) else (result,), strict=False):
            type = part.checked_type if isinstance(part, Expr) else None
            if not isinstance(type, TensorType) or not self.is_used(value) or self._uses_broken(operation):
                continue
            if value.dtype is not None and ("float" in value.dtype) != ("float" in str(type.dtype)):
                raise ConversionError(
                    f"the result is to be of {value.dtype}, and is of {type.dtype} here", code="type-mismatch"
                )
            declared = value.shape
            if declared is None:
                continue
            known = all(
                size == dim
                for size, dim in zip(declared, type.shape, strict=False)
                if size is not None and isinstance(dim, int)
            )
            if len(declared) != len(type.shape) or not known:
                shown = ", ".join("?" if size is None else str(size) for size in declared)
                raise ConversionError(
                    f"the result is to have the shape ({shown}), and has ({', '.join(map(str, type.shape))}) here",
                    code="type-mismatch",
                )

    # ---- what cannot be converted

    def _uses_broken(self, operation: Operation) -> bool:
        if not self.broken:
            return False
        given = (self.values.get(value) for value in operation.inputs)
        return any(part in self.broken for value in given for part in _expressions(value))

    def _report_failure(self, error: ConversionError, operation: Operation, name: str) -> None:
        if self._uses_broken(operation) and error.code != "unknown-model-operator":
            return  # It follows from what was reported.
        self.report.error(error.code, error.message, ModelPlace(name, operation.kind, error.attribute, error.input))

    def _kept_call(self, operation: Operation, name: str) -> TorchResult:
        """A call of an operator that Relay does not have, by the name that PyTorch has for it."""
        args: list[Expr] = []
        simple: dict[str, Any] = {}
        for index, value in enumerate(operation.inputs):
            given = self.values.get(value)
            tensors = list(_expressions(given))
            if tensors:
                args.extend(tensors)
            elif isinstance(given, (int, float, str)) or _is_plain_list(given):
                simple[_argument_name(operation, index)] = tuple(given) if isinstance(given, list) else given
        call = kept_call("PyTorch", ("torch", operation.kind.rpartition("::")[2]), args, simple)
        self.spans.fill(call, name)
        if len(operation.outputs) == 1:
            declared = operation.outputs[0]
            if declared.dtype is not None and declared.shape is not None:
                call.checked_type = TensorType(
                    tuple(ANY if size is None else size for size in declared.shape), declared.dtype
                )
            else:
                self.broken.add(call)
            return call
        self.broken.add(call)
        fields = [TupleGetItem(call, index, call.span) for index in range(len(operation.outputs))]
        for field in fields:
            field.checked_type = ERROR
        self.broken.update(fields)
        return tuple(fields)

    def forget_errors(self) -> None:
        """Take the marks off values that could not be converted: to say what is wrong with them is for others."""
        for value in self.broken:
            if value.checked_type is ERROR:
                value.checked_type = None

    # ---- layers

    def _layer(self, operation: Operation, name: str) -> Layer:
        attributes: dict[str, str] = {}
        for index, value in enumerate(operation.inputs):
            given = self.values.get(value)
            if given is not None and not any(True for _ in _expressions(given)):
                attributes[_argument_name(operation, index)] = str(given)[:200]
        return Layer(
            name,
            operation.kind,
            tuple(value.name for value in operation.inputs if value.kind == "TensorType"),
            tuple(value.name for value in operation.outputs),
            attributes,
            operation.source,
        )

    def main(self, inputs: Sequence[Var], results: Sequence[TorchValue], keep_inputs: bool) -> Function:
        """``@main`` over what the results use: inputs in their order first, then parameters by their first use."""
        from relay_lsp.ir.visitor import free_vars

        body = _wrapped(results[0]) if len(results) == 1 else Tuple(tuple(map(_wrapped, results)))
        used = free_vars(body)
        first = [var for var in inputs if keep_inputs or var in set(used)]
        return Function((*first, *(var for var in used if var not in set(inputs))), body)


def _blocks(program: Program) -> list[OperationBlock]:
    return [program, *(block for operation in program.walk() for block in operation.blocks)]


def _wrapped(value: TorchValue) -> Expr:
    """A result of the program as an expression; a list or a dictionary becomes a tuple of its values."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return Tuple(tuple(_wrapped(part) for part in value))
    return as_expr(value)


def _expressions(value: object) -> Iterable[Expr]:
    """The expressions in a value."""
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, Outputs):
        yield value.value
    elif isinstance(value, RuntimeList):
        if value.expr is not None:
            yield value.expr
    elif isinstance(value, dict):
        yield from _expressions(list(cast("dict[object, object]", value).values()))
    elif isinstance(value, (list, tuple)):
        for part in cast("Sequence[object]", value):
            yield from _expressions(part)


def _constant(value: object) -> TorchValue:
    """The value of a constant: an array becomes an expression, in the dtypes that TVM gives constants."""
    if isinstance(value, np.ndarray):
        array = cast("NDArray", value)
        narrow = {"int64": "int32", "float64": "float32"}.get(array.dtype.name)
        return Constant(array if narrow is None else array.astype(narrow))
    if isinstance(value, list):
        return [_constant(part) for part in cast("list[object]", value)]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def _argument_name(operation: Operation, index: int) -> str:
    names = operation.argument_names
    return names[index] if index < len(names) and names[index].isidentifier() else f"input{index}"


def _is_in_place(kind: str) -> bool:
    return kind.endswith("_") and not kind.endswith("__")


def _is_plain_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, (int, float)) for item in cast("list[object]", value))
