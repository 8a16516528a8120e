"""Running sums and products along an axis.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``ScanopRel``), ``python/tvm/topi/scan.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import later, np
from ...types import DataType, TensorType, Type
from ..arguments import attributes_or_default, tensor_argument
from ..axes import require_axis
from ..flops import flops_per_input
from ..operator import Argument, Op, RelationContext, RelationError, register
from ..shapes import product

__all__ = ["ScanopAttrs"]


@attributes("relay.attrs.ScanopAttrs")
class ScanopAttrs(Attrs):
    """Attributes of ``cumsum`` and ``cumprod``."""

    axis: int | None = attribute(default=None, doc="The axis to run along; none means the elements in row-major order.")
    dtype: DataType = attribute(default=DataType(""), doc="The dtype of the result; none means that of data.")
    exclusive: bool = attribute(
        default=False, doc="Whether an element of the result leaves out its own element of data."
    )


def _relation(context: RelationContext) -> Type | None:
    attrs = attributes_or_default(context.attrs, ScanopAttrs)
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    dtype = attrs.dtype or data.dtype
    if attrs.axis is not None:
        require_axis(attrs.axis, data)
        return TensorType(data.shape, dtype)
    if not data.shape:
        raise RelationError("data must have at least one axis, but it is a scalar", argument=0)
    return TensorType((product(data.shape),), dtype)


def _kernel(scan: np.ufunc) -> Callable[[ScanopAttrs | None, Sequence[NDArray], Type], NDArray]:
    def kernel(given: ScanopAttrs | None, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        attrs = attributes_or_default(given, ScanopAttrs)
        data = inputs[0]
        if attrs.dtype:
            data = data.astype(numpy_dtype(attrs.dtype))
        axis = attrs.axis
        if axis is None:
            data, axis = data.reshape(-1), 0
        if attrs.exclusive:
            # The scan of what comes before: the neutral element first, the last element left out.
            head = np.full_like(np.take(data, [0], axis=axis), scan.identity)
            data = np.concatenate([head, np.take(data, range(data.shape[axis] - 1), axis=axis)], axis=axis)
        return scan.accumulate(data, axis=axis, dtype=data.dtype)

    return kernel


for _name, _scan, _what in (("cumsum", later.add, "sum"), ("cumprod", later.multiply, "product")):
    register(
        Op(
            _name,
            doc=f"The {_what} of all elements up to each one along ``axis``. The shape stays, or is flat without axis.",
            arguments=(Argument("data", "A tensor of any shape."),),
            metadata_attrs=ScanopAttrs,
            relation=_relation,
            flops=flops_per_input(1),
            kernel=_kernel(_scan),
            level=3,
        )
    )
