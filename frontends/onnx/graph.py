"""Graphs of a model, node by node: names to expressions, layers to spans, what cannot be converted to a diagnostic.

Source of the rule: ``GraphProto`` in ``python/tvm/relay/frontend/onnx.py``. Where that stops at the first operator that
it does not know, this keeps the call by the operator's name and goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto, ValueInfoProto

from relay_lsp.ir.expressions import Constant, Expr, Tuple, Var
from relay_lsp.ir.types import ANY, ERROR, Dim, TensorType

from ..diagnostics import CONVERSION_FAILURES, WHOLE_MODEL, ConversionError, ModelPlace
from ..inspection import type_of
from ..kept_calls import FinishedOutputs, kept_call
from ..layers import parameter_name
from ..operators import Outputs
from .attributes import AttributeValue, as_attribute, layer_of, read_attribute
from .model_importer import ModelImporter
from .node import OnnxNode, converters
from .order import in_order
from .tensors import dtype_name

__all__ = ["GraphImporter"]


class GraphImporter:
    """One graph: the model's, a branch, the body of a loop, or of a function.

    Args:
        model: what it shares with the other graphs.
        path: where it lies: the nodes and attributes that lead to it.
        outer: the graph whose values it may use.
        prefix: stands before the names of its layers.
        opset: the version of the operator set that holds in it, the model's where it is not given.
    """

    def __init__(
        self,
        model: ModelImporter,
        path: tuple[object, ...] = (),
        outer: GraphImporter | None = None,
        prefix: str = "",
        opset: int | None = None,
    ) -> None:
        self.model = model
        self.path = path
        self.outer = outer
        self.prefix = prefix
        self.opset = model.opset if opset is None else opset
        self.values: dict[str, Expr] = {}
        self.inputs: dict[str, Var] = {}
        self._types: dict[str, ValueInfoProto] = {}
        self._calls: tuple[tuple[str, str], ...] = () if outer is None else outer._calls
        self._references: Mapping[str, AttributeProto] = {}

    # ---- values

    def find(self, name: str) -> Expr | None:
        """The value called ``name``, here or in an outer graph."""
        scope: GraphImporter | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        return None

    def subgraph(self, node: OnnxNode, attribute_name: str) -> GraphImporter:
        """A graph that is an attribute of ``node``."""
        return GraphImporter(self.model, (*self.path, node.name, attribute_name), self, f"{self.prefix}", self.opset)

    # ---- graphs

    def convert(self, graph: GraphProto, bound: Mapping[str, Expr] | None = None) -> list[Expr]:
        """The outputs of ``graph``; ``bound`` are values of its inputs, the other inputs become variables."""
        self._types = {info.name: info for info in (*graph.value_info, *graph.output)}
        self.values.update(bound or {})
        self._read_initializers(graph.initializer)
        for sparse in graph.sparse_initializer:
            self._report_error("unsupported-model-node", f"the initialiser {sparse.values.name} is sparse")
        for info in graph.input:
            if bound is None or info.name not in bound:
                self._read_input(info)
        self._convert_nodes(graph.node)
        return [self._output(info.name) for info in graph.output]

    def name_layers(self, graph: GraphProto) -> None:
        """Name the layers of a graph that is not converted: those after it are called as TVM calls them."""
        waiting = [(self.path, graph)]
        while waiting:
            path, current = waiting.pop()
            for index, proto in enumerate(current.node):
                given = f"{self.prefix}{proto.name}" if proto.name else ""
                name, _ = self.model.layer_name((*path, index), given, f"{self.prefix}{proto.op_type}")
                graphs = [declared for declared in proto.attribute if declared.type == AttributeProto.GRAPH]
                waiting.extend(((*path, name, declared.name), declared.g) for declared in reversed(graphs))

    def _report_error(self, code: str, message: str, place: ModelPlace = WHOLE_MODEL) -> None:
        self.model.report.error(code, message, place)

    def _read_initializers(self, tensors: Sequence[TensorProto]) -> None:
        for tensor in tensors:
            if not tensor.name.strip():
                self._report_error("invalid-model-tensor", "an initialiser has no name")
                continue
            try:
                array = self.model.tensors.array(tensor)
            except ConversionError as error:
                self._report_error(error.code, error.message)
                lost = Var(tensor.name)
                self.values[tensor.name] = self.inputs[tensor.name] = lost
                self.model.broken.add(lost)
                continue
            if self.model.freeze_params:
                self.values[tensor.name] = Constant(array)
            else:
                self.values[tensor.name] = self.model.parameter(self.path, tensor.name, array)

    def _read_input(self, info: ValueInfoProto) -> None:
        known = self.values.get(info.name)
        if isinstance(known, Var):
            self.inputs[info.name] = known
        elif known is None:
            self.values[info.name] = self.inputs[info.name] = self._input_variable(info)

    def _input_variable(self, info: ValueInfoProto) -> Var:
        name = info.name
        tensor = info.type.tensor_type
        given = self.model.shapes.get(name)
        if given is None and (not info.type.HasField("tensor_type") or not tensor.elem_type):
            # A sequence, a map, or an optional value: only what needs no type can use it.
            variable = Var(name)
            self.model.broken.add(variable)
            kind = info.type.WhichOneof("value") or "no type"
            self._report_error("unsupported-model-node", f"the input {name} is no tensor ({kind})")
            return variable
        try:
            dtype = self.model.dtypes.get(name) or dtype_name(tensor.elem_type)
        except ConversionError as error:
            self._report_error(error.code, f"the input {name}: {error.message}")
            return Var(name)
        return Var(name, TensorType(tuple(given) if given is not None else _shape(info), dtype))

    def _output(self, name: str) -> Expr:
        value = self.find(name)
        return self._missing(name, WHOLE_MODEL, "an output of the graph") if value is None else value

    def _missing(self, name: str, place: ModelPlace, what: str) -> Expr:
        """A variable for a value that nothing defines."""
        self._report_error("undefined-model-value", f"nothing defines {name}, which is {what}", place)
        info = self._types.get(name)
        variable = Var(name) if info is None or not info.type.tensor_type.elem_type else self._input_variable(info)
        root = self
        while root.outer is not None:
            root = root.outer
        root.values[name] = root.inputs[name] = variable
        if variable.type_annotation is None:
            self.model.broken.add(variable)
        return variable

    # ---- nodes

    def _convert_nodes(self, nodes: Sequence[NodeProto]) -> None:
        order, cycle = in_order(nodes)
        if cycle:
            names = ", ".join(nodes[index].name or nodes[index].op_type for index in cycle[:5])
            place = ModelPlace(nodes[cycle[0]].name or nodes[cycle[0]].op_type, nodes[cycle[0]].op_type)
            self._report_error("cyclic-model", f"the values of {len(cycle)} nodes depend on themselves: {names}", place)
        for index in order:
            self._convert_node(nodes[index], index)

    def _convert_node(self, proto: NodeProto, index: int) -> None:
        model = self.model
        model.count_node()
        path = (*self.path, index)
        given = f"{self.prefix}{proto.name}" if proto.name else ""
        name, seen = model.layer_name(path, given, f"{self.prefix}{proto.op_type}")
        place = ModelPlace(name, proto.op_type)
        if not seen:
            model.layers.append(layer_of(name, proto))
        inputs = [self._input(value, name, place) for value in proto.input]
        outputs = list(proto.output)
        if proto.op_type == "Dropout" and len(outputs) > 1:
            outputs = outputs[:1]  # The mask is of training alone.
        node = OnnxNode(self, name, proto.op_type, inputs, {}, outputs, self.opset)
        result: Expr | Outputs | None = None
        try:
            node.attributes = self._attributes(proto)
            result = self._finish(node, self._convert_call(proto, node, path))
        except ConversionError as error:
            self._report_failure(error, node, place)
        except CONVERSION_FAILURES as error:
            self._report_failure(ConversionError(str(error) or type(error).__name__), node, place)
        if result is None:
            result = self._kept_call(proto, node)
        self._define(node, result, place)

    def _input(self, value: str, name: str, place: ModelPlace) -> Expr | None:
        if not value:
            return None
        expr = self.find(value)
        if expr is None:
            expr = self._missing(value, ModelPlace(place.node, place.operator, input=value), "an input of this node")
        if isinstance(expr, (Var, Constant)):
            # A value that no layer made is called by the first layer that uses it.
            self.model.spans.fill(expr, parameter_name(name, value))
        return expr

    def _attributes(self, proto: NodeProto) -> dict[str, AttributeValue]:
        values: dict[str, AttributeValue] = {}
        for declared in proto.attribute:
            attribute_proto = declared
            if declared.ref_attr_name:
                if declared.ref_attr_name not in self._references:
                    continue
                attribute_proto = self._references[declared.ref_attr_name]
            value = read_attribute(attribute_proto)
            if attribute_proto.type == AttributeProto.TYPE_PROTO:
                continue  # The type of an optional value: that of the value itself says it.
            if value is None:
                raise ConversionError(
                    f"the attribute {declared.name} has no value that Relay could hold",
                    attribute=declared.name,
                    code="invalid-model-attribute",
                )
            values[declared.name] = value
        return values

    def _convert_call(self, proto: NodeProto, node: OnnxNode, path: tuple[object, ...]) -> Expr | Outputs:
        key = (proto.domain, proto.op_type)
        function = self.model.functions.get(key)
        if function is not None:
            return self._call_function(function, key, node, path)
        converter = converters.find(proto.op_type, self.opset)
        if converter is None:
            similar = converters.similar(proto.op_type)
            hint = f"; did you mean {similar}?" if similar else ""
            domain = f" of the domain {proto.domain}" if proto.domain else ""
            raise ConversionError(
                f"there is no operator {proto.op_type}{domain} for operator set {self.opset} here: the call is kept by "
                f"its name{hint}",
                code="unknown-model-operator",
            )
        return converter.convert(node)

    def _call_function(
        self, function: FunctionProto, key: tuple[str, str], node: OnnxNode, path: tuple[object, ...]
    ) -> Expr | Outputs:
        if key in self._calls:
            raise ConversionError(f"the function {function.name} calls itself", code="cyclic-model")
        opset = next((entry.version for entry in function.opset_import if entry.domain in ("", "ai.onnx")), self.opset)
        body = GraphImporter(self.model, path, None, f"{node.name}/", opset)
        body._calls = (*self._calls, key)
        body._types = {info.name: info for info in function.value_info}
        given = {declared.name: declared for declared in function.attribute_proto}
        body._references = {**given, **{name: as_attribute(name, value) for name, value in node.attributes.items()}}
        for index, formal in enumerate(function.input):
            actual = node[index]
            if actual is not None:
                body.values[formal] = actual
        body._convert_nodes(function.node)
        results = [body._output(name) for name in function.output]
        return results[0] if len(results) == 1 else Outputs.of(*results)

    def _finish(self, node: OnnxNode, result: Expr | Outputs) -> Expr | Outputs:
        """Fold, name and check what a converter made; leave out the results that the model does not name.

        Raises:
            ConversionError: it is ill-typed, or there are more or fewer results than outputs.
        """
        model, is_doubtful = self.model, self._uses_broken(node)
        if isinstance(result, Outputs):
            result = Outputs(model.folder.fold(result.value), len(result))
            self._check_types(result.value, is_doubtful)
            model.spans.fill(result.value, node.name)
            kept = [index for index, name in enumerate(node.outputs) if name]
            if len(node.outputs) < len(result) or len(kept) < len(result):
                fields = result.value.fields if isinstance(result.value, Tuple) else result
                chosen = [fields[index] for index in kept if index < len(result)]
                node.outputs = [name for name in node.outputs if name]
                if len(chosen) == 1 and len(node.outputs) == 1:
                    return chosen[0]
                result = Outputs.of(*chosen)
            if len(node.outputs) != len(result):
                raise ConversionError(f"{node.operator} gives {len(result)} results here, not {len(node.outputs)}")
            return result
        result = model.folder.fold(result)
        self._check_types(result, is_doubtful)
        model.spans.fill(result, node.name)
        named = [name for name in node.outputs if name]
        if len(named) > 1:
            raise ConversionError(f"{node.operator} gives one result here, not {len(named)}")
        return result

    def _check_types(self, value: Expr, is_doubtful: bool) -> None:
        """Infer the types of what is new.

        Raises:
            ConversionError: it is ill-typed, and not because of a value that could not be converted.
        """
        try:
            type_of(value)
        except ConversionError:
            if not is_doubtful:
                raise
            value.checked_type = ERROR  # What is below it need not be examined again.
            self.model.broken.add(value)

    def _define(self, node: OnnxNode, result: Expr | Outputs, place: ModelPlace) -> None:
        results = result if isinstance(result, Outputs) else [result]
        names = [name for name in node.outputs if name]
        is_doubtful = self._uses_broken(node)
        for name, value in zip(names, results, strict=False):
            if name in self.values:
                self._report_error("duplicate-model-value", f"{name} is defined twice", place)
            self.values[name] = value
            if is_doubtful:
                self.model.broken.add(value)

    def _uses_broken(self, node: OnnxNode) -> bool:
        broken = self.model.broken
        return bool(broken) and any(value in broken for value in node.inputs if value is not None)

    def _report_failure(self, error: ConversionError, node: OnnxNode, place: ModelPlace) -> None:
        if self._uses_broken(node) and error.code != "unknown-model-operator":
            return  # It follows from what was reported.
        at = ModelPlace(place.node, place.operator, error.attribute, error.input)
        self._report_error(error.code, error.message, at)

    def _kept_call(self, proto: NodeProto, node: OnnxNode) -> Expr | Outputs:
        """A call of an operator that Relay does not have, by the name that ONNX has for it."""
        args = [value for value in node.inputs if value is not None]
        call = kept_call("ONNX", (*(proto.domain or "onnx").split("."), proto.op_type), args, node.attributes)
        self.model.spans.fill(call, node.name)
        self.model.broken.add(call)
        names = [name for name in node.outputs if name]
        if len(names) <= 1:
            info = self._types.get(names[0]) if names else None
            if info is not None and info.type.tensor_type.HasField("shape") and info.type.tensor_type.elem_type:
                try:
                    call.checked_type = TensorType(_shape(info), dtype_name(info.type.tensor_type.elem_type))
                    self.model.broken.discard(call)
                except ConversionError:
                    pass
            return call
        results = Outputs(call, len(names))
        fields = list(results)
        self.model.broken.update(fields)
        node.outputs = names
        return FinishedOutputs(fields)


def _shape(info: ValueInfoProto) -> tuple[Dim, ...]:
    """The declared shape; what is symbolic or not declared is ``?``."""
    return tuple(dim.dim_value if dim.dim_value > 0 else ANY for dim in info.type.tensor_type.shape.dim)
