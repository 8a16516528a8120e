"""Convolutions as products of matrices, their weight cut into tiles beforehand; and cutting it.

Rewriting of layouts makes these calls; models do not contain them. The cut weight is a constant that folding computes.

Source of the rule: ``src/relay/op/nn/convolution.cc``, ``convolution.h`` (``Conv2DGemmWeightTransformRel``),
``python/tvm/topi/nn/conv2d.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..data_layout import Layout, convert_array
from ..flops import transformed_convolution_flops
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import ceil_divide, multiply
from .convolution import DATA, WEIGHT, convolution_layout
from .convolution_attributes import Conv2DAttrs
from .unchecked_convolution import TRANSFORMED, UncheckedConvolution, convolve_images
from .windows import static

__all__ = ["ConvGemmWeightTransformAttrs"]


@attributes("relay.attrs.ConvGemmWeightTransformAttrs")
class ConvGemmWeightTransformAttrs(Attrs):
    """Attributes of transforming a weight into tiles for a product of matrices."""

    tile_rows: int = attribute(doc="Output channels per tile.")
    tile_cols: int = attribute(doc="Elements of the summed axis per tile.")


def gemm_weight_relation(context: RelationContext) -> Type | None:
    """``(channels / tile_rows, summed / tile_cols, tile_rows, tile_cols)``, both rounded up.

    Raises:
        RelationError: the weight is not 4-dimensional, or a tile is empty.
    """
    weight = tensor_argument(context, 0, "weights")
    if weight is None:
        return None
    require_rank(weight, 4, 0, "weights", "layout HWIO")
    attrs: ConvGemmWeightTransformAttrs = context.attrs
    for name in ("tile_rows", "tile_cols"):
        if getattr(attrs, name) <= 0:
            raise RelationError(f"{name} must be more than 0", attribute=name)
    if ANY in weight.shape:
        raise RelationError(f"every dimension of weights must be known, but it is {weight!r}", argument=0)
    summed = multiply(multiply(weight.shape[0], weight.shape[1]), weight.shape[2])
    rows, columns = attrs.tile_rows, attrs.tile_cols
    shape = (ceil_divide(weight.shape[3], rows), ceil_divide(summed, columns), rows, columns)
    return TensorType(shape, weight.dtype)


def gemm_weight_kernel(attrs: ConvGemmWeightTransformAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """The weight as a matrix (summed, channels), padded, cut into tiles and each tile transposed."""
    assert isinstance(result_type, TensorType)
    weight = inputs[0]
    matrix = weight.reshape(-1, weight.shape[3])
    outer, inner, rows, columns = static(result_type.shape)
    padded = np.zeros((inner * columns, outer * rows), weight.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return padded.reshape(inner, columns, outer, rows).transpose(2, 0, 3, 1)


def gemm_kernel(attrs: Conv2DAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """Put the tiles of the weight together again and convolve."""
    assert isinstance(result_type, TensorType)
    assert attrs.kernel_size is not None
    images = Layout.parse("NCHW")
    data = convert_array(inputs[0], Layout.parse(attrs.data_layout), images)
    outer, inner, rows, columns = inputs[1].shape
    matrix = inputs[1].transpose(1, 3, 0, 2).reshape(inner * columns, outer * rows)
    (channels,) = static((attrs.channels or 0,))
    height, width = static(attrs.kernel_size)
    depth = data.shape[1]
    weight = matrix[: height * width * depth, :channels].reshape(height, width, depth, channels)
    return convolve_images(data, weight.transpose(3, 2, 0, 1), attrs, result_type, images)


register(
    Op(
        "nn.contrib_conv2d_gemm_without_weight_transform",
        doc="""``nn.conv2d`` with channels last and a weight from ``nn.contrib_conv2d_gemm_weight_transform``.

        ``data`` of shape (batch, height, width, in_channels) gives (batch, out_height, out_width, channels). The weight
        may have any shape in inference.
        """,
        arguments=(DATA, TRANSFORMED),
        attrs=Conv2DAttrs,
        relation=UncheckedConvolution("NHWC", "HWIO"),
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        infer_layout=convolution_layout,
        flops=transformed_convolution_flops,
        kernel=gemm_kernel,
    )
)
register(
    Op(
        "nn.contrib_conv2d_gemm_weight_transform",
        doc="""Cut a weight into tiles for a product of matrices.

        ``weights`` of shape (height, width, in_channels, channels) gives (channels / tile_rows, height * width *
        in_channels / tile_cols, tile_rows, tile_cols), both quotients rounded up; what is added is zero.
        """,
        arguments=(Argument("weights", WEIGHT.doc),),
        attrs=ConvGemmWeightTransformAttrs,
        relation=gemm_weight_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=gemm_weight_kernel,
    )
)
