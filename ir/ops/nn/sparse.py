"""Products and sums with sparse matrices, in compressed rows (CSR) or in rows of blocks (BSR).

A matrix in compressed rows is three vectors: its elements, the column of each, and for each row where its elements
start and, in the next entry, end. In rows of blocks the elements are blocks of shape (rows, columns).

Source of the rule: ``src/relay/op/nn/sparse.cc``, ``include/tvm/relay/attrs/nn.h``, ``python/tvm/topi/nn/sparse.py``,
``python/tvm/topi/x86/sparse.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, TupleType, Type
from ..arguments import require_rank, tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import multiply, subtract
from .matrix import matrix_product
from .windows import Dims, static

__all__ = ["SparseConv2DAttrs", "SparseDenseAttrs", "SparseTransposeAttrs"]


@attributes("relay.attrs.SparseDenseAttrs")
class SparseDenseAttrs(Attrs):
    """Attributes of a dense layer with a sparse operand."""

    sparse_lhs: bool = attribute(default=False, doc="Whether the data is the sparse operand rather than the weight.")


@attributes("relay.attrs.SparseTransposeAttrs")
class SparseTransposeAttrs(Attrs):
    """Transposing a sparse matrix has no attributes."""


@attributes("relay.attrs.SparseConv2DAttrs")
class SparseConv2DAttrs(Attrs):
    """Attributes of a convolution with a sparse weight."""

    layout: str = attribute(default="NHWC", doc="Order of the axes of the data: NHWC or NCHW.")
    kernel_size: Dims = attribute(default=(1, 1), doc="Extent of the kernel: 1x1, or 3x3 with the data padded by one.")


def _rows(indptr: TensorType) -> Dim:
    """The number of rows, or of rows of blocks, that ``indptr`` delimits."""
    return ANY if indptr.shape[0] is ANY else subtract(indptr.shape[0], 1)


def sparse_dense_relation(context: RelationContext) -> Type | None:
    """``(rows of the data, rows of the weight)``, of the dtype of the dense operand.

    Raises:
        RelationError: the sparse data is neither 1- nor 3-dimensional, or another rank does not fit.
    """
    dense, sparse = tensor_argument(context, 0, "dense_data"), tensor_argument(context, 1, "sparse_data")
    indptr = tensor_argument(context, 3, "sparse_indptr")
    if dense is None or sparse is None or indptr is None:
        return None
    if sparse.ndim not in (1, 3):
        raise RelationError(f"sparse_data must be 1-dimensional (CSR) or 3 (BSR), but it is {sparse!r}", argument=1)
    require_rank(indptr, 1, 3, "sparse_indptr")
    if not dense.shape:
        raise RelationError("dense_data must have rows, but it is a scalar", argument=0)
    rows = _rows(indptr)
    if sparse.ndim == 3 and rows is not ANY:
        rows = multiply(rows, sparse.shape[1])
    shape = (rows, dense.shape[0]) if context.attrs.sparse_lhs else (dense.shape[0], rows)
    return TensorType(shape, dense.dtype)


def dense_matrix(data: NDArray, indices: NDArray, indptr: NDArray, columns: int) -> NDArray:
    """The matrix of ``columns`` columns that is given in compressed rows or in rows of blocks.

    ``data`` has rank 1 for elements, 3 for blocks, and 2 for blocks of a single column.
    """
    blocks = data.reshape(-1, 1, 1) if data.ndim == 1 else data.reshape(*data.shape[:2], -1)
    block_rows, block_columns = blocks.shape[1:]
    rows = len(indptr) - 1
    of_block = np.repeat(np.arange(rows), np.diff(indptr.astype(np.int64)))
    used = len(of_block)
    matrix = np.zeros((rows, -(-columns // block_columns), block_rows, block_columns), data.dtype)
    np.add.at(matrix, (of_block, indices[:used].astype(np.int64)), blocks[:used])
    return matrix.transpose(0, 2, 1, 3).reshape(rows * block_rows, -1)[:, :columns]


def sparse_dense_kernel(attrs: SparseDenseAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """``data @ weight.T`` with one operand made dense."""
    dense, data, indices, indptr = inputs
    matrix = dense_matrix(data, indices, indptr, dense.shape[1])
    if attrs.sparse_lhs:
        return matrix_product(matrix, dense.T, dense.dtype)
    return matrix_product(dense, matrix.T, dense.dtype)


def sparse_transpose_relation(context: RelationContext) -> Type | None:
    """The types of the three arguments.

    Raises:
        RelationError: the elements or their columns are not a vector.
    """
    fields = [
        tensor_argument(context, number, name)
        for number, name in enumerate(("sparse_data", "sparse_indices", "sparse_indptr"))
    ]
    known = [field for field in fields if field is not None]
    if len(known) < len(fields):
        return None
    require_rank(known[0], 1, 0, "sparse_data")
    require_rank(known[1], 1, 1, "sparse_indices")
    return TupleType(tuple(known))


def sparse_transpose_kernel(
    attrs: SparseTransposeAttrs, inputs: Sequence[NDArray], result_type: Type
) -> tuple[NDArray, NDArray, NDArray]:
    """Sort the elements by column; within a column they stay in the order of their rows."""
    data, indices, indptr = inputs
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr.astype(np.int64)))
    order = np.argsort(indices, kind="stable")
    starts = np.zeros(len(indptr), np.int64)
    np.cumsum(np.bincount(indices.astype(np.int64), minlength=len(indptr) - 1), out=starts[1:])
    return data[order], rows[order].astype(indices.dtype), starts.astype(indptr.dtype)


def sparse_add_relation(context: RelationContext) -> Type | None:
    """The type of the dense matrix.

    Raises:
        RelationError: the dtypes differ, or the sparse elements or their columns are not a vector.
    """
    dense, sparse = tensor_argument(context, 0, "dense_data"), tensor_argument(context, 1, "sparse_data")
    indices = tensor_argument(context, 2, "sparse_indices")
    if dense is None or sparse is None or indices is None:
        return None
    if sparse.dtype != dense.dtype:
        raise RelationError(f"sparse_data is of dtype {sparse.dtype}, but dense_data of {dense.dtype}", argument=1)
    require_rank(sparse, 1, 1, "sparse_data")
    require_rank(indices, 1, 2, "sparse_indices")
    return dense


def sparse_add_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Add each element where it belongs."""
    dense, data, indices, indptr = inputs
    return dense + dense_matrix(data, indices, indptr, dense.shape[1])


def sparse_conv2d_relation(context: RelationContext) -> Type | None:
    """The shape of the data with the rows of the weight as channels.

    Raises:
        RelationError: the weight is not in blocks, the layout is unknown, or a rank does not fit.
    """
    data, sparse = tensor_argument(context, 0, "dense_data"), tensor_argument(context, 1, "sparse_data")
    indptr = tensor_argument(context, 3, "sparse_indptr")
    if data is None or sparse is None or indptr is None:
        return None
    attrs: SparseConv2DAttrs = context.attrs
    if sparse.ndim not in (2, 3):
        raise RelationError(f"sparse_data must be 2- or 3-dimensional (BSR), but it is {sparse!r}", argument=1)
    if attrs.layout not in ("NHWC", "NCHW"):
        raise RelationError(f"layout must be NHWC or NCHW, not {attrs.layout}", attribute="layout")
    require_rank(data, 4, 0, "dense_data", f"layout {attrs.layout}")
    require_rank(indptr, 1, 3, "sparse_indptr")
    rows = _rows(indptr)
    shape = list(data.shape)
    shape[attrs.layout.index("C")] = ANY if rows is ANY else multiply(rows, sparse.shape[1])
    return TensorType(tuple(shape), data.dtype)


def sparse_conv2d_kernel(attrs: SparseConv2DAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Multiply the neighbourhood of each position by the weight, made dense."""
    data, sparse, indices, indptr = inputs
    images = data if attrs.layout == "NHWC" else data.transpose(0, 2, 3, 1)
    height, width = static(attrs.kernel_size)
    padded = np.pad(images, ((0, 0), (height // 2,) * 2, (width // 2,) * 2, (0, 0)))
    rows, columns = images.shape[1:3]
    seen = np.concatenate(
        [
            padded[:, row : row + rows, column : column + columns]
            for row, column in product(range(height), range(width))
        ],
        axis=3,
    )
    weight = dense_matrix(sparse, indices, indptr, seen.shape[3])
    result = matrix_product(seen.reshape(-1, seen.shape[3]), weight.T, data.dtype)
    result = result.reshape(*images.shape[:3], -1)
    return result if attrs.layout == "NHWC" else result.transpose(0, 3, 1, 2)


def _register_product(name: str, doc: str, dense: str, sparse: str, elements: str) -> None:
    """Declare a product with a matrix in compressed rows, whose three vectors begin with ``sparse`` in their names."""
    register(
        Op(
            name,
            doc=doc,
            arguments=(
                Argument(dense, "The dense operand.", "nD Tensor"),
                Argument(f"{sparse}_data", "The elements, or blocks, of the sparse one.", elements),
                Argument(f"{sparse}_indices", "The column of each.", "1D Tensor"),
                Argument(f"{sparse}_indptr", "Where each row starts.", "1D Tensor"),
            ),
            attrs=SparseDenseAttrs,
            relation=sparse_dense_relation,
            pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
            kernel=sparse_dense_kernel,
            level=1,
        )
    )


_register_product(
    "nn.sparse_dense",
    """``data @ weight.T`` where one of them is sparse.

        ``dense_data`` of shape (rows, inner) and a sparse weight of ``units`` rows give (rows, units); with
        ``sparse_lhs`` the dense operand is the weight, of shape (units, inner).
        """,
    *("dense_data", "sparse", "1D or 3D Tensor"),
)
_register_product(
    "nn.internal.sparse_dense_padded",
    """``nn.sparse_dense`` with rows padded to a multiple of 32 elements, as lowering for GPUs makes it.

        ``data`` of shape (rows, inner) and a sparse weight of ``units`` rows give (rows, units).
        """,
    *("data", "weight", "1D Tensor"),
)
register(
    Op(
        "nn.sparse_transpose",
        doc="""Transpose a square matrix in compressed rows: a tuple of its three vectors, typed as the arguments.""",
        arguments=(
            Argument("sparse_data", "The elements.", "1D Tensor"),
            Argument("sparse_indices", "The column of each.", "1D Tensor"),
            Argument("sparse_indptr", "Where each row starts.", "1D Tensor"),
        ),
        attrs=SparseTransposeAttrs,
        relation=sparse_transpose_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=sparse_transpose_kernel,
        level=1,
    )
)
register(
    Op(
        "nn.sparse_add",
        doc="""Add a matrix in compressed rows to a dense one of the same shape, whose type the result has.""",
        arguments=(
            Argument("dense_data", "The dense matrix.", "2D Tensor"),
            Argument("sparse_data", "The elements of the sparse one.", "1D Tensor"),
            Argument("sparse_indices", "The column of each.", "1D Tensor"),
            Argument("sparse_indptr", "Where each row starts.", "1D Tensor"),
        ),
        relation=sparse_add_relation,
        pattern=OpPattern.OPAQUE,
        kernel=sparse_add_kernel,
        level=1,
    )
)
register(
    Op(
        "nn.sparse_conv2d",
        doc="""Convolve images with a sparse kernel of 1x1, or of 3x3 over data padded by one.

        ``dense_data`` of shape (batch, height, width, in_channels) and a weight of ``channels`` rows in blocks give
        (batch, height, width, channels); with ``layout`` NCHW the channels come second.
        """,
        arguments=(
            Argument("dense_data", "The images.", "nD Tensor"),
            Argument("sparse_data", "The blocks of the weight.", "1D or 3D Tensor"),
            Argument("sparse_indices", "The column of each block.", "1D Tensor"),
            Argument("sparse_indptr", "Where each row of blocks starts.", "1D Tensor"),
        ),
        attrs=SparseConv2DAttrs,
        relation=sparse_conv2d_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=sparse_conv2d_kernel,
        level=1,
    )
)
