"""What all graphs of one model share: its parameters, the names of its layers, what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from onnx import FunctionProto

from relay_lsp.ir.expressions import Expr, NDArray, Var
from relay_lsp.ir.types import ERROR, Dim, TensorType

from ..diagnostics import ImportReport
from ..folding import Folder
from ..imported import Layer
from ..layers import LayerNames, SpanFiller
from .tensors import TensorReader

__all__ = ["MOST_NODES", "ModelImporter"]

MOST_NODES = 1_000_000
"""How many nodes are converted at most; functions that call functions may unfold to any number."""


class ModelImporter:
    """What all graphs of one model share."""

    def __init__(
        self,
        report: ImportReport,
        spans: SpanFiller,
        tensors: TensorReader,
        opset: int,
        *,
        freeze_params: bool,
        shapes: Mapping[str, Sequence[Dim]],
        dtypes: Mapping[str, str],
        functions: Mapping[tuple[str, str], FunctionProto],
        use_nt_batch_matmul: bool = True,
    ) -> None:
        self.report = report
        self.spans = spans
        self.tensors = tensors
        self.opset = opset
        self.freeze_params = freeze_params
        self.shapes = shapes
        self.dtypes = dtypes
        self.functions = functions
        self.use_nt_batch_matmul = use_nt_batch_matmul
        self.folder = Folder()
        self.names = LayerNames(report)
        self.params: dict[str, NDArray] = {}
        self.layers: list[Layer] = []
        self.broken: set[Expr] = set()
        """Values that could not be converted: what they make impossible is not reported again."""
        self._layer_names: dict[tuple[object, ...], str] = {}
        self._parameters: dict[tuple[object, ...], Var] = {}
        self._converted = 0

    def layer_name(self, path: tuple[object, ...], given: str, operator: str) -> tuple[str, bool]:
        """The name of the node at ``path``, and whether it was seen before: bodies of loops are examined twice."""
        known = self._layer_names.get(path)
        if known is not None:
            return known, True
        name = self._layer_names[path] = self.names.name(given, operator)
        return name, False

    def parameter(self, path: tuple[object, ...], name: str, array: NDArray) -> Var:
        """The variable of an initialiser."""
        known = self._parameters.get((*path, name))
        if known is None:
            unique, number = name, 1
            while unique in self.params:
                unique, number = f"{name}_{number}", number + 1
            self.params[unique] = array
            known = self._parameters[(*path, name)] = Var(unique, TensorType(array.shape, array.dtype.name))
        return known

    def forget_errors(self) -> None:
        """Take the marks off values that could not be converted: to infer types and say what is wrong is for others."""
        for value in self.broken:
            if value.checked_type is ERROR:
                value.checked_type = None

    @property
    def parameters(self) -> Iterator[Var]:
        """The variables of all initialisers, in the order in which they were read."""
        return iter(self._parameters.values())

    def count_node(self) -> None:
        """Count a node.

        Raises:
            ModelImportError: there are too many.
        """
        self._converted += 1
        if self._converted > MOST_NODES:
            raise self.report.refuse("model-too-large", f"unfolded, the model has more than {MOST_NODES} nodes")
