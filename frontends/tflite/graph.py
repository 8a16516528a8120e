"""A graph of a TFLite model, operator by operator: tensors to expressions, results to spans, trouble to a diagnostic.

Source of the rule: ``OperatorConverter`` and ``ExprTable`` in ``python/tvm/relay/frontend``. Where those stop at the
first operator that they do not know, this keeps the call by the operator's name and goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relay_lsp.ir.evaluation import EvaluationError, evaluate_expr
from relay_lsp.ir.expressions import Constant, Expr, NDArray, TupleGetItem, Var
from relay_lsp.ir.types import ANY, Dim, TensorType, TupleType
from relay_lsp.ir.visitor import free_vars

from ..diagnostics import CONVERSION_FAILURES, WHOLE_MODEL, ConversionError, ImportReport, ModelPlace
from ..folding import Folder
from ..imported import Layer
from ..inspection import type_of
from ..kept_calls import FinishedOutputs, kept_call
from ..layers import LayerNames, SpanFiller
from ..operators import Outputs
from .node import Operand, TfliteNode, converters, dtype_name
from .options import option_text
from .schema import GraphRecord, OperatorRecord, TensorRecord

__all__ = ["TfliteGraphImporter"]


class TfliteGraphImporter:
    """Converts one graph.

    Args:
        graph: what the file says.
        report: takes what cannot be converted.
        spans: writes layers' names.
        shapes: shapes of inputs by name, rather than the declared ones.
        dtypes: dtypes of inputs by name.
    """

    def __init__(
        self,
        graph: GraphRecord,
        report: ImportReport,
        spans: SpanFiller,
        shapes: Mapping[str, Sequence[Dim]],
        dtypes: Mapping[str, str],
    ) -> None:
        self.graph = graph
        self.report = report
        self.spans = spans
        self.folder = Folder()
        self.inputs: dict[str, Var] = {}
        self.params: dict[str, NDArray] = {}
        self.layers: list[Layer] = []
        self._shapes = shapes
        self._dtypes = dtypes
        self._names = LayerNames(report)
        self._values: dict[int, Expr] = {}
        self._known_data: dict[int, NDArray] = {}
        self._next_parameter = 1

    # ---- tensors (what :class:`TensorScope` asks for)

    def find(self, index: int) -> Expr | None:
        """The expression of a tensor, where something has made it."""
        return self._values.get(index)

    def known_data(self, index: int) -> NDArray | None:
        """The value of a tensor that a converter has computed already."""
        return self._known_data.get(index)

    def set_known_data(self, index: int, value: NDArray) -> None:
        """Note the value of a tensor, so that what uses it takes it as a constant."""
        self._known_data[index] = value

    def parameter(self, value: NDArray, source_name: str) -> Expr:
        """A new parameter, ``_param_k``, whose span is the name of the model's tensor."""
        name = f"_param_{self._next_parameter}"
        while name in self.inputs:
            self._next_parameter += 1
            name = f"_param_{self._next_parameter}"
        self._next_parameter += 1
        self.params[name] = value
        made = Var(name, TensorType(value.shape, value.dtype.name))
        return self.spans.fill(made, source_name) if source_name else made

    def known_value(self, expr: Expr) -> NDArray | None:
        """The value of an expression that depends on parameters alone; ``None`` where it does not."""
        folded = self.folder.fold(expr)
        if isinstance(folded, Constant):
            return folded.data
        environment: dict[Var, NDArray] = {}
        for var in free_vars(folded):
            if var.name_hint not in self.params:
                return None
            environment[var] = self.params[var.name_hint]
        try:
            value = evaluate_expr(folded, environment)
        except EvaluationError:
            return None
        return value if not isinstance(value, tuple) else None  # pyright: ignore[reportReturnType]

    # ---- the graph

    def convert(self) -> list[Expr]:
        """The outputs."""
        for index in self.graph.inputs:
            if index >= 0:
                self._read_input(index)
        for record in self.graph.operators:
            self._convert_operator(record)
        return [self._output(index) for index in self.graph.outputs if index >= 0]

    def _read_input(self, index: int) -> None:
        record = self.graph.tensors[index]
        name = record.name or f"input_{len(self.inputs)}"
        try:
            dtype = self._dtypes.get(name) or dtype_name(record.type)
        except ConversionError as error:
            self.report.error(error.code, f"the input {name}: {error.message}")
            dtype = "float32"
        shape = self._shapes.get(name)
        var = Var(name, TensorType(_dimensions(record) if shape is None else tuple(shape), dtype))
        self.spans.fill(var, name)
        self.inputs[name] = self._values[index] = var

    def _output(self, index: int) -> Expr:
        operand = self._operand(index)
        try:
            return operand.expr
        except ConversionError as error:
            place = ModelPlace("", input=error.input) if error.input else WHOLE_MODEL
            self.report.error(error.code, f"an output of the graph: {error.message}", place)
            lost = self.inputs[operand.name] = self._values[index] = Var(operand.name, _declared_type(operand.record))
            return lost

    def _operand(self, index: int) -> Operand:
        return Operand(self, index, self.graph.tensors[index])

    # ---- operators

    def _convert_operator(self, record: OperatorRecord) -> None:
        tensors = self.graph.tensors
        outputs = [self._operand(index) for index in record.outputs if index >= 0]
        name = self._names.name(", ".join(operand.name for operand in outputs), record.operator)
        self.layers.append(_layer(name, record, tensors))
        inputs = [self._operand(index) if index >= 0 else None for index in record.inputs]
        node = TfliteNode(self, name, record, inputs, outputs)
        place = ModelPlace(name, record.operator)
        result: Expr | Outputs | None = None
        try:
            result = self._converted(node)
            if result is None:
                return
        except ConversionError as error:
            self._report(error, place)
        except CONVERSION_FAILURES as error:
            self._report(ConversionError(str(error) or type(error).__name__), place)
        if result is None:
            result = self._kept_call(node)
        results = result if isinstance(result, Outputs) else [result]
        for operand, value in zip(outputs, results, strict=False):
            if operand.index in self._values:
                self.report.error("duplicate-model-value", f"{operand.name} is defined twice", place)
            else:
                self._values[operand.index] = value

    def _report(self, error: ConversionError, place: ModelPlace) -> None:
        at = ModelPlace(place.node, place.operator, error.attribute, error.input)
        self.report.error(error.code, error.message, at)

    def _converted(self, node: TfliteNode) -> Expr | Outputs | None:
        """What the converter makes, with its type and its layer's name.

        Raises:
            ConversionError: there is no converter, or what it makes is ill-typed, gives another number of results, or
                results of other element types than the model declares.
        """
        converter = converters.find(node.operator)
        if converter is None:
            raise ConversionError(
                f"there is no operator {node.operator} here: the call is kept by its name",
                code="unknown-model-operator",
            )
        result = converter.convert(node)
        if result is None:
            return None
        value = result.value if isinstance(result, Outputs) else result
        type_of(value)
        self.spans.fill(value, node.name)
        count = len(result) if isinstance(result, Outputs) else 1
        if count != len(node.outputs):
            raise ConversionError(f"{node.operator} gives {count} results here, not {len(node.outputs)}")
        self._require_declared_dtypes(node, result)
        return result

    def _require_declared_dtypes(self, node: TfliteNode, result: Expr | Outputs) -> None:
        """Check that results are of the element types that the model declares, where no others are given for inputs.

        Raises:
            ConversionError: one of them is not, so that what is computed is not what the model computes.
        """
        if self._dtypes:
            return
        for operand, part in zip(node.outputs, result if isinstance(result, Outputs) else [result], strict=True):
            type = type_of(part)
            if isinstance(type, TensorType) and type.dtype != operand.dtype:
                raise ConversionError(
                    f"{operand.name} is to be of {operand.dtype}, and {node.operator} gives {type.dtype} here",
                    code="type-mismatch",
                )

    def _kept_call(self, node: TfliteNode) -> Expr | Outputs:
        args: list[Expr] = []
        for operand in node.inputs:
            try:
                if operand is not None:
                    args.append(operand.expr)
            except ConversionError as error:
                self._report(error, ModelPlace(node.name, node.operator))
        options = {name: value for name, value in node.options.items() if value is not None}
        call = kept_call("TFLite", ("tflite", node.operator), args, options)
        types = [_declared_type(operand.record) for operand in node.outputs]
        call.checked_type = types[0] if len(types) == 1 else TupleType(tuple(types))
        self.spans.fill(call, node.name)
        if len(types) == 1:
            return call
        fields: list[Expr] = []
        for index, declared in enumerate(types):
            field = TupleGetItem(call, index, call.span)
            field.checked_type = declared
            fields.append(field)
        return FinishedOutputs(fields)


def _dimensions(record: TensorRecord) -> tuple[Dim, ...]:
    return tuple(size if size >= 0 else ANY for size in record.shape)


def _declared_type(record: TensorRecord) -> TensorType:
    try:
        return TensorType(_dimensions(record), dtype_name(record.type))
    except ConversionError:
        return TensorType(_dimensions(record), "float32")


def _layer(name: str, record: OperatorRecord, tensors: Sequence[TensorRecord]) -> Layer:
    names = [tuple(tensors[index].name for index in places if index >= 0) for places in (record.inputs, record.outputs)]
    attributes = {name: option_text(name, value) for name, value in record.options.items() if value is not None}
    if record.version > 1:
        attributes["version"] = str(record.version)
    return Layer(name, record.operator, names[0], names[1], attributes)
