"""One node of an ONNX graph as its converter sees it: inputs as Relay expressions, attributes with their types.

A model file is not to be trusted: whatever a converter asks for is checked here, and what is wrong is said with the
attribute or input that it is wrong with. The functions that convert nodes register themselves here (``converter``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

from onnx import GraphProto, TensorProto

from relay_lsp.ir.evaluation import EvaluationError, evaluate_expr
from relay_lsp.ir.expressions import Constant, Expr, NDArray, Var
from relay_lsp.ir.visitor import free_vars

from ..converters import Converters
from ..diagnostics import ConversionError, ModelPlace
from ..inspection import dtype_of, rank_of, shape_of, static_shape_of
from ..nodes import ModelNode
from ..operators import Outputs
from .attributes import AttributeValue
from .model_importer import ModelImporter

if TYPE_CHECKING:
    from relay_lsp.ir.types import Dim

__all__ = ["MICROSOFT", "NodeScope", "OnnxConverter", "OnnxNode", "Subgraph", "converter", "converters"]

Default = TypeVar("Default")


class Subgraph(Protocol):
    """A graph inside of a node, before it is converted."""

    def convert(self, graph: GraphProto, bound: Mapping[str, Expr] | None = None) -> list[Expr]:
        """The outputs; ``bound`` are values of its inputs, the other inputs become variables."""
        ...

    def name_layers(self, graph: GraphProto) -> None:
        """Name the layers of a graph that is not converted."""
        ...


class NodeScope(Protocol):
    """The graph that a node stands in."""

    model: ModelImporter

    def subgraph(self, node: OnnxNode, attribute_name: str) -> Subgraph:
        """A graph that is an attribute of ``node``."""
        ...


class OnnxNode(ModelNode[Expr]):
    """A node to convert. ``name`` is its layer's name, ``opset`` the version of the operator set that holds for it."""

    def __init__(
        self,
        scope: NodeScope,
        name: str,
        operator: str,
        inputs: Sequence[Expr | None],
        attributes: Mapping[str, AttributeValue],
        outputs: Sequence[str],
        opset: int,
    ) -> None:
        super().__init__(name, operator, inputs)
        self.scope = scope
        self.attributes = attributes
        self.outputs = list(outputs)
        self.opset = opset

    # ---- inputs

    def require_inputs(self, *counts: int) -> None:
        """Check how many inputs there are.

        Raises:
            ConversionError: another number.
        """
        if len(self.inputs) not in counts:
            expected = " or ".join(map(str, counts))
            raise ConversionError(
                f"{self.operator} takes {expected} inputs, not {len(self.inputs)}", code="missing-model-input"
            )

    def dtype(self, index: int = 0) -> str:
        """The dtype of an input."""
        return dtype_of(self.input(index))

    def shape(self, index: int = 0) -> tuple[Dim, ...]:
        """The shape of an input."""
        return shape_of(self.input(index))

    def rank(self, index: int = 0) -> int:
        """The number of an input's dimensions."""
        return rank_of(self.input(index))

    def static_shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of an input in numbers.

        Raises:
            ConversionError: a dimension is not known.
        """
        return static_shape_of(self.input(index), f"input {index}")

    def fold(self, expr: Expr) -> Expr:
        """``expr`` with its constant parts computed."""
        return self.scope.model.folder.fold(expr)

    def known_value(self, expr: Expr) -> NDArray | None:
        """The value of an expression that depends on constants and parameters alone; ``None`` where it does not."""
        folded = self.fold(expr)
        if isinstance(folded, Constant):
            return folded.data
        params = self.scope.model.params
        environment: dict[Var, NDArray] = {}
        for var in free_vars(folded):
            if var.name_hint not in params:
                return None
            environment[var] = params[var.name_hint]
        try:
            return cast("NDArray", evaluate_expr(folded, environment))
        except EvaluationError:
            return None

    def constant_input(self, index: int) -> NDArray:
        """The value of an input that must be known when the model is imported.

        Raises:
            ConversionError: it depends on the model's inputs.
        """
        value = self.known_value(self.input(index))
        if value is None:
            raise ConversionError(f"input {index} of {self.operator} must be a constant", input=str(index))
        return value

    def parameter_value(self, expr: Expr) -> NDArray | None:
        """The value of a parameter of the module; ``None`` for any other expression."""
        return self.scope.model.params.get(expr.name_hint) if isinstance(expr, Var) else None

    # ---- attributes

    def __contains__(self, name: str) -> bool:
        return name in self.attributes

    def _attribute(self, name: str, kind: type | tuple[type, ...], what: str, default: Default) -> Any | Default:
        if name not in self.attributes:
            if default is _REQUIRED:
                raise ConversionError(
                    f"{self.operator} needs the attribute {name}", attribute=name, code="missing-model-attribute"
                )
            return default
        value = self.attributes[name]
        if not isinstance(value, kind):
            raise ConversionError(
                f"the attribute {name} must be {what}", attribute=name, code="invalid-model-attribute"
            )
        return value

    def int(self, name: str, default: int | None = None) -> int:
        """An integer attribute; required where there is no default."""
        return int(self._attribute(name, int, "an integer", _REQUIRED if default is None else default))

    def axis(self, default: int) -> int:
        """The attribute ``axis``, a dimension of the first input; it may count from the end.

        Raises:
            ConversionError: there is no such dimension.
        """
        axis, rank = self.int("axis", default), self.rank()
        if not -rank <= axis < rank:
            raise self.invalid("axis", f"axis {axis} is out of bounds of {rank} dimensions")
        return axis

    def float(self, name: str, default: float | None = None) -> float:
        """A number; required where there is no default."""
        return float(self._attribute(name, (float, int), "a number", _REQUIRED if default is None else default))

    def string(self, name: str, default: str | None = None) -> str:
        """Text; required where there is no default."""
        value = self._attribute(name, bytes, "text", _REQUIRED if default is None else default)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    def ints(self, name: str) -> tuple[int, ...] | None:
        """A list of integers; one stands for a list of one; ``None`` where the attribute is not there."""
        value = self._attribute(name, (tuple, int), "a list of integers", None)
        values = cast("tuple[object, ...] | None", (value,) if isinstance(value, int) else value)
        if values is None:
            return None
        if not all(isinstance(number, int) for number in values):
            raise ConversionError(
                f"the attribute {name} must be a list of integers", attribute=name, code="invalid-model-attribute"
            )
        return cast("tuple[int, ...]", values)

    def required_ints(self, name: str) -> tuple[int, ...]:
        """A list of integers that must be there."""
        values = self.ints(name)
        if values is None:
            raise ConversionError(
                f"{self.operator} needs the attribute {name}", attribute=name, code="missing-model-attribute"
            )
        return values

    def floats(self, name: str) -> tuple[float, ...] | None:
        """A list of numbers; one stands for a list of one; ``None`` where the attribute is not there."""
        value = self._attribute(name, (tuple, float, int), "a list of numbers", None)
        values = cast("tuple[Any, ...] | None", (value,) if isinstance(value, (float, int)) else value)
        return None if values is None else tuple(float(number) for number in values)

    def strings(self, name: str) -> tuple[str, ...] | None:
        """A list of texts; ``None`` where the attribute is not there."""
        values = cast("tuple[bytes, ...] | None", self._attribute(name, tuple, "a list of texts", None))
        return None if values is None else tuple(value.decode("utf-8", "replace") for value in values)

    def tensor(self, name: str) -> NDArray | None:
        """A tensor; ``None`` where the attribute is not there."""
        value = self._attribute(name, TensorProto, "a tensor", None)
        return None if value is None else self.scope.model.tensors.array(value)

    def graph(self, name: str) -> GraphProto:
        """A graph that must be there."""
        return self._attribute(name, GraphProto, "a graph", _REQUIRED)

    def warn(self, code: str, message: str) -> None:
        """Note what makes the module compute something else than the model."""
        self.scope.model.report.warning(code, message, ModelPlace(self.name, self.operator))


_REQUIRED: Any = object()


OnnxConverter: TypeAlias = Callable[[OnnxNode], "Expr | Outputs"]

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own operators."""

converters: Converters[OnnxConverter] = Converters("ONNX")
converter = converters.declare
