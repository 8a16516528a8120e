"""Parameters for a sparse weight in the place of one for a dense weight.

Source of the rule: ``src/relay/transforms/convert_sparse_dense.cc``, ``convert_sparse_conv2d.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, Var
from relay_lsp.ir.ops.application import is_call_to
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import free_vars

from ..infrastructure import PassError
from ..provenance import ExprMutator

__all__ = ["shapes_by_name", "with_sparse_weights"]

MakeCall = Callable[[Expr, Sequence[Var]], Call]
"""Makes the sparse call of the data and of the weight's elements, their columns, and where each row begins."""


def shapes_by_name(
    names: Sequence[str], shapes: Sequence[Sequence[int]], lengths: Sequence[int]
) -> Mapping[str, Sequence[int]]:
    """The shapes of the sparse weights by name: of the elements, then the length of the columns and of the rows.

    Raises:
        PassError: there are not as many shapes as names, or one has not one of these lengths.
    """
    if len(names) != len(shapes):
        raise PassError(f"weight_name has {len(names)} names, and weight_shape {len(shapes)} shapes")
    for name, shape in zip(names, shapes, strict=True):
        if len(shape) not in lengths:
            wanted = " or ".join(map(str, lengths))
            raise PassError(f"the shape of {name} has {len(shape)} numbers, and {wanted} are needed")
    return dict(zip(names, shapes, strict=True))


def with_sparse_weights(
    function: Function, operator: str, shapes: Mapping[str, Sequence[int]], make: MakeCall
) -> Function:
    """``function`` with sparse calls where ``operator`` is called with a variable that ``shapes`` names.

    The variables ``NAME.data``, ``NAME.indices`` and ``NAME.indptr`` become its last parameters, and parameters that
    nothing uses any more go.
    """
    converter = _Converter(operator, shapes, make)
    new = converter.visit_function(function)
    if not converter.weights:
        return function
    sparse = tuple(converter.weights)
    kept = tuple(free_vars(Function(sparse, new.body)))
    whole = Function((*kept, *sparse), new.body, new.ret_type, new.type_params, new.attrs, new.span, new.virtual_device)
    converter.derive(whole, function)
    return whole


class _Converter(ExprMutator):
    def __init__(self, operator: str, shapes: Mapping[str, Sequence[int]], make: MakeCall) -> None:
        super().__init__()
        self.weights: list[Var] = []
        self._operator = operator
        self._shapes = shapes
        self._make = make

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        weight = pre.args[1] if is_call_to(pre, self._operator) else None
        shape = self._shapes.get(weight.name_hint) if isinstance(weight, Var) else None
        if shape is None or not isinstance(weight, Var):
            return post
        types = {
            "data": TensorType(tuple(shape[:-2]), "float32"),
            "indices": TensorType((shape[-2],), "int32"),
            "indptr": TensorType((shape[-1],), "int32"),
        }
        parts = [Var(f"{weight.name_hint}.{part}", type) for part, type in types.items()]
        for part in parts:
            self.record.record(part, weight)
        self.weights.extend(parts)
        return self._make(post.args[0], parts)
