"""Products of matrices: dense layers, batched and packed ones, and the bias.

Source of the rule: ``src/relay/op/nn/nn.h`` (``MatmulRel``, ``BatchMatmulRel``), ``nn.cc``,
``include/tvm/relay/attrs/nn.h``; ``python/tvm/topi/nn/dense.py``, ``batch_matmul.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..axes import require_axis
from ..flops import matrix_flops
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words, maximum, multiply
from .convolution import given_or
from .matrix import matrix_product

__all__ = ["BatchMatmulAttrs", "BiasAddAttrs", "DenseAttrs", "DensePackAttrs", "MatmulAttrs", "dense_layout"]

UNITS = "Number of columns of the result; taken from the second argument where it is None."
OUT_DTYPE = "Dtype in which products are summed and that the result has; that of the first argument if not given."
TRANSPOSE_A = "Whether the last two axes of the first argument are swapped."
TRANSPOSE_B = "Whether the last two axes of the second argument are swapped."


@attributes("relay.attrs.DenseAttrs")
class DenseAttrs(Attrs):
    """Attributes of a dense layer."""

    units: Dim | None = attribute(doc=UNITS)
    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)


@attributes("relay.attrs.DensePackAttrs")
class DensePackAttrs(Attrs):
    """Attributes of a dense layer whose weight is packed."""

    units: Dim | None = attribute(doc=UNITS)
    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)
    weight_layout: str = attribute(
        default="NC", doc="Layout of the packed weight, such as NC8n: units N, input dimension C."
    )


@attributes("relay.attrs.MatmulAttrs")
class MatmulAttrs(Attrs):
    """Attributes of a product of matrices."""

    units: Dim | None = attribute(doc=UNITS)
    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)
    transpose_a: bool = attribute(default=False, doc=TRANSPOSE_A)
    transpose_b: bool = attribute(default=False, doc=TRANSPOSE_B)


@attributes("relay.attrs.BatchMatmulAttrs")
class BatchMatmulAttrs(Attrs):
    """Attributes of a batch of products of matrices."""

    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)
    transpose_a: bool = attribute(default=False, doc=TRANSPOSE_A)
    transpose_b: bool = attribute(default=False, doc=TRANSPOSE_B)


@attributes("relay.attrs.BiasAddAttrs")
class BiasAddAttrs(Attrs):
    """Attributes of adding a bias."""

    axis: int = attribute(default=1, doc="The axis of data that the bias runs along; negative counts from the end.")


class MatrixProduct:
    """The type relation of a product with a matrix: the first argument's shape, with ``units`` as its last dimension.

    Where ``units`` is given it determines the type of the second argument; else that gives the units, and a ``?`` on
    the summed axis of either argument becomes what the other one has.
    """

    def __init__(self, first: str, second: str) -> None:
        self.first = first
        self.second = second

    def __call__(self, context: RelationContext) -> Type | None:
        """The type of the call, ``None`` while an argument that is needed is unknown.

        Raises:
            RelationError: a rank is too small, or the summed dimensions or the units disagree.
        """
        lhs, rhs = tensor_argument(context, 0, self.first), tensor_argument(context, 1, self.second)
        if lhs is None:
            return None
        attrs: DenseAttrs | MatmulAttrs = context.attrs
        transpose_a, transpose_b = False, True
        if isinstance(attrs, MatmulAttrs):
            transpose_a, transpose_b = attrs.transpose_a, attrs.transpose_b
        least = 2 if transpose_a else 1
        if lhs.ndim < least:
            raise RelationError(f"{self.first} must have at least {least} dimensions, but it is {lhs!r}", argument=0)
        summed_at = lhs.ndim - 2 if transpose_a else lhs.ndim - 1
        summed = lhs.shape[summed_at]
        result = list(lhs.shape)
        if transpose_a:
            result[-2] = lhs.shape[-1]
        rhs_dtype = lhs.dtype if rhs is None else rhs.dtype
        if attrs.units is not None:
            shape = (attrs.units, summed) if transpose_b else (summed, attrs.units)
            if rhs is not None:
                self._explain(context, rhs, summed, attrs.units, transpose_b)
            context.assign(1, TensorType(shape, rhs_dtype))
            result[-1] = attrs.units
        elif rhs is None:
            return None
        else:
            require_rank(rhs, 2, 1, self.second)
            rows, columns = (rhs.shape[1], rhs.shape[0]) if transpose_b else rhs.shape
            # The reference lets two numbers disagree here, and fails only when it lowers the operator.
            lhs_shape = list(lhs.shape)
            if summed is ANY:
                lhs_shape[summed_at] = rows
            if rows is ANY:
                rows = summed
            context.assign(0, TensorType(tuple(lhs_shape), lhs.dtype))
            context.assign(1, TensorType((columns, rows) if transpose_b else (rows, columns), rhs_dtype))
            result[-1] = columns
        return TensorType(tuple(result), given_or(attrs.out_dtype, lhs.dtype))

    def _explain(self, context: RelationContext, rhs: TensorType, summed: Dim, units: Dim, transpose_b: bool) -> None:
        require_rank(rhs, 2, 1, self.second)
        rows, columns = (rhs.shape[1], rhs.shape[0]) if transpose_b else rhs.shape
        if not context.require_equal(summed, rows):
            raise RelationError(
                f"the summed dimension of {self.first} ({summed}) does not match that of {self.second} ({rows})",
                argument=1,
                related=[(0, f"{self.first} has {summed} there")],
            )
        if not context.require_equal(units, columns):
            raise RelationError(
                f"units ({units}) does not match the {columns} units of {self.second}",
                attribute="units",
                related=[(1, f"{self.second} is {rhs!r}")],
            )


def dense_kernel(attrs: DenseAttrs | MatmulAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """``data @ weight.T``, or as the transpositions of a matmul say."""
    assert isinstance(result_type, TensorType)
    lhs, rhs = inputs
    transpose_a, transpose_b = False, True
    if isinstance(attrs, MatmulAttrs):
        transpose_a, transpose_b = attrs.transpose_a, attrs.transpose_b
    lhs = lhs.swapaxes(-1, -2) if transpose_a else lhs
    rhs = rhs.swapaxes(-1, -2) if transpose_b else rhs
    flat = lhs.reshape(-1, lhs.shape[-1])
    product = matrix_product(flat, rhs, numpy_dtype(result_type.dtype))
    return product.reshape(*lhs.shape[:-1], rhs.shape[-1])


def dense_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """Rows and columns stay as they are.

    Source of the rule: ``DenseInferCorrectLayout``.
    """
    return InferredLayout(("NC", "NC"), ("NC",), attrs)


def dense_pack_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The weight in the layout that its packing names.

    Source of the rule: ``DensePackInferCorrectLayout``.
    """
    weight_layout = attrs.weight_layout if isinstance(attrs, DensePackAttrs) else "NC"
    return InferredLayout(("NC", weight_layout), ("NC",), attrs)


def batch_matmul_relation(context: RelationContext) -> Type | None:
    """A product for each pair of matrices of two batches: ``(batch, rows, columns)``.

    A batch of one goes with any other; where any dimension is ``?`` nothing is checked.

    Raises:
        RelationError: an argument is not 3-dimensional, or batches or summed dimensions disagree.
    """
    lhs, rhs = tensor_argument(context, 0, "tensor_a"), tensor_argument(context, 1, "tensor_b")
    if lhs is None or rhs is None:
        return None
    attrs: BatchMatmulAttrs = context.attrs
    require_rank(lhs, 3, 0, "tensor_a", "batch, rows, columns")
    require_rank(rhs, 3, 1, "tensor_b", "batch, rows, columns")
    batch, rows, summed = lhs.shape
    if attrs.transpose_a:
        rows, summed = summed, rows
    rhs_batch, rhs_summed, columns = rhs.shape
    if attrs.transpose_b:
        rhs_summed, columns = columns, rhs_summed
    if ANY not in (*lhs.shape, *rhs.shape):
        if not any(context.require_equal(*pair) for pair in ((batch, rhs_batch), (batch, 1), (rhs_batch, 1))):
            raise RelationError(
                f"the batch of tensor_a ({batch}) does not match the batch of tensor_b ({rhs_batch}), and neither is 1",
                argument=1,
                related=[(0, f"tensor_a has shape {in_words(lhs.shape)}")],
            )
        if not context.require_equal(summed, rhs_summed):
            raise RelationError(
                f"the summed dimension of tensor_a ({summed}) does not match that of tensor_b ({rhs_summed})",
                argument=1,
                related=[(0, f"tensor_a has shape {in_words(lhs.shape)}")],
            )
    result_batch = ANY if ANY in (batch, rhs_batch) else maximum(batch, rhs_batch)
    return TensorType((result_batch, rows, columns), given_or(attrs.out_dtype, lhs.dtype))


def batch_matmul_kernel(attrs: BatchMatmulAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """One product per pair of matrices."""
    assert isinstance(result_type, TensorType)
    lhs, rhs = inputs
    return matrix_product(
        lhs.swapaxes(1, 2) if attrs.transpose_a else lhs,
        rhs.swapaxes(1, 2) if attrs.transpose_b else rhs,
        numpy_dtype(result_type.dtype),
    )


def dense_pack_relation(context: RelationContext) -> Type | None:
    """A dense layer whose weight is tiled as ``NC8n``: (units / tile, input_dim, tile).

    Raises:
        RelationError: the attributes are a plain dense layer's, or a rank does not fit.
    """
    data, weight = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "weight")
    if data is None or weight is None:
        return None
    attrs: DensePackAttrs | DenseAttrs = context.attrs
    if not isinstance(attrs, DensePackAttrs):
        raise RelationError("contrib_dense_pack takes relay.attrs.DensePackAttrs, which only metadata can hold")
    require_rank(data, 2, 0, "data", "batch, input_dim")
    if weight.ndim not in (3, 4):
        raise RelationError(f"weight must be 3- or 4-dimensional, but it is {weight!r}", argument=1)
    units = multiply(weight.shape[0], weight.shape[2])
    return TensorType((data.shape[0], units), given_or(attrs.out_dtype, data.dtype))


def dense_pack_kernel(attrs: DensePackAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Unpack the weight and multiply.

    A packed weight is (units / tile, input_dim, tile), or with the input dimension split too
    (units / tile, input_dim / inner, tile, inner) for ``NC16n4c``.
    """
    assert isinstance(result_type, TensorType)
    data, weight = inputs
    if weight.ndim == 3:
        columns = weight.transpose(1, 0, 2).reshape(weight.shape[1], -1)
    else:
        columns = weight.transpose(1, 3, 0, 2).reshape(weight.shape[1] * weight.shape[3], -1)
    return matrix_product(data, columns, numpy_dtype(result_type.dtype))


def bias_add_relation(context: RelationContext) -> Type | None:
    """The type of ``data``; the bias is one-dimensional, as long as ``axis`` of the data and of its dtype.

    Raises:
        RelationError: ``axis`` is out of range, or the bias differs.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: BiasAddAttrs = context.attrs
    size = data.shape[require_axis(attrs.axis, data)]
    require_vector(context, 1, "bias", size, data, f"axis {attrs.axis} of data")
    return data


def require_vector(context: RelationContext, argument: int, name: str, size: Dim, data: TensorType, where: str) -> None:
    """Require an argument to be one-dimensional with ``size`` elements of the dtype of ``data``; it may learn so.

    Raises:
        RelationError: it is known and differs; the message says that ``size`` comes from ``where``.
    """
    tensor = tensor_argument(context, argument, name)
    if tensor is not None:
        require_rank(tensor, 1, argument, name)
        if not context.require_equal(tensor.shape[0], size):
            raise RelationError(
                f"{name} has {tensor.shape[0]} elements, but {where} has {size}",
                argument=argument,
                related=[(0, f"data is {data!r}")],
            )
        if tensor.dtype != data.dtype:
            raise RelationError(f"{name} is of dtype {tensor.dtype}, but data is of {data.dtype}", argument=argument)
    context.assign(argument, TensorType((size,), data.dtype))


def along_axis(vector: NDArray, axis: int, rank: int) -> NDArray:
    """``vector`` shaped so that it broadcasts along ``axis`` of a tensor of ``rank`` dimensions."""
    shape = [1] * rank
    shape[axis] = -1
    return vector.reshape(shape)


def bias_add_kernel(attrs: BiasAddAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Add the bias along its axis."""
    data, bias = inputs
    return np.add(data, along_axis(bias, attrs.axis, data.ndim))


register(
    Op(
        "nn.bias_add",
        doc="""Add a bias along one axis: ``data[…, i, …] + bias[i]``.

        ``data`` may have any shape; ``bias`` has as many elements as the axis. The result has the type of ``data``.
        """,
        arguments=(
            Argument("data", "The tensor to add to.", "nD Tensor"),
            Argument("bias", "One value per element of the axis.", "1D Tensor"),
        ),
        attrs=BiasAddAttrs,
        relation=bias_add_relation,
        pattern=OpPattern.BROADCAST,
        kernel=bias_add_kernel,
        level=1,
    )
)
register(
    Op(
        "nn.dense",
        doc="""A dense layer: ``data @ weight.T``.

        ``data`` of shape (…, input_dim) and ``weight`` of shape (units, input_dim) give (…, units).
        """,
        arguments=(
            Argument("data", "The rows to multiply.", "nD Tensor"),
            Argument("weight", "One row of input_dim elements per unit.", "2D Tensor"),
        ),
        attrs=DenseAttrs,
        relation=MatrixProduct("data", "weight"),
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        flops=matrix_flops,
        infer_layout=dense_layout,
        kernel=dense_kernel,
        level=1,
    )
)
register(
    Op(
        "nn.matmul",
        doc="""Multiply by a matrix: ``tensor_a @ tensor_b``, either one transposed if asked.

        ``tensor_a`` of shape (…, rows, input_dim) and ``tensor_b`` of shape (input_dim, units) give (…, rows, units);
        ``transpose_a`` takes (…, input_dim, rows), ``transpose_b`` takes (units, input_dim).
        """,
        arguments=(
            Argument("tensor_a", "The first matrix.", "nD Tensor"),
            Argument("tensor_b", "The second matrix.", "2D Tensor"),
        ),
        attrs=MatmulAttrs,
        relation=MatrixProduct("tensor_a", "tensor_b"),
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        flops=matrix_flops,
        kernel=dense_kernel,
        level=1,
    )
)
register(
    Op(
        "nn.batch_matmul",
        doc="""Multiply matrices pairwise: ``tensor_a[i] @ tensor_b[i]``, either one transposed if asked.

        ``tensor_a`` of shape (batch, rows, inner) and ``tensor_b`` of shape (batch, inner, columns) give (batch, rows,
        columns); a batch of 1 is used with every matrix of the other.
        """,
        arguments=(
            Argument("tensor_a", "The first batch of matrices.", "3D Tensor"),
            Argument("tensor_b", "The second batch of matrices.", "3D Tensor"),
        ),
        attrs=BatchMatmulAttrs,
        relation=batch_matmul_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        flops=matrix_flops,
        kernel=batch_matmul_kernel,
    )
)
register(
    Op(
        "nn.contrib_dense_pack",
        doc="""A dense layer with a weight packed into tiles.

        ``data`` of shape (batch, input_dim) and ``weight`` of shape (units / tile, input_dim, tile) give (batch,
        units). Layout rewriting makes it, with attributes of ``relay.attrs.DensePackAttrs`` (metadata, in text).
        """,
        arguments=(
            Argument("data", "The rows to multiply.", "2D Tensor"),
            Argument("weight", "The packed weight.", "3D Tensor"),
        ),
        attrs=DenseAttrs,
        metadata_attrs=DensePackAttrs,
        relation=dense_pack_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        flops=matrix_flops,
        infer_layout=dense_pack_layout,
        kernel=dense_pack_kernel,
    )
)
