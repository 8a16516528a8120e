"""Convolutions by Winograd's algorithm, their weight transformed beforehand; and transforming it.

Rewriting of layouts makes these calls; models do not contain them. The transformed weight is a constant that folding
computes, and so its values follow TVM's transformation exactly.

Source of the rule: ``src/relay/op/nn/convolution.cc``, ``convolution.h`` (``Conv2DWinogradRel``),
``python/tvm/topi/nn/winograd_util.py``, ``conv3d.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..data_layout import Layout, convert_array
from ..flops import transformed_convolution_flops
from ..operator import Kernel, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import add, subtract
from .convolution import DATA, WEIGHT, convolution_layout, given_or
from .convolution_attributes import DATA_LAYOUT, DILATION, KERNEL_LAYOUT, OUT_DTYPE, PADDING, STRIDES, ConvolutionAttrs
from .unchecked_convolution import TRANSFORMED, UncheckedConvolution, convolve_images
from .windows import Dims, static

__all__ = ["Conv2DWinogradAttrs", "Conv3DWinogradAttrs", "WinogradAttrs"]

TILE_SIZE = "Side of the tiles of the result: 2 for F(2x2, 3x3), 4 for F(4x4, 3x3)."


@attributes()
class WinogradAttrs(ConvolutionAttrs):
    """What the attributes of the convolutions with a weight transformed for Winograd's algorithm have in common."""

    tile_size: int = attribute(doc=TILE_SIZE, first=True)


@attributes("relay.attrs.Conv2DWinogradAttrs")
class Conv2DWinogradAttrs(WinogradAttrs):
    """Attributes of a two-dimensional convolution with a transformed weight."""


@attributes("relay.attrs.Conv3DWinogradAttrs")
class Conv3DWinogradAttrs(WinogradAttrs):
    """Attributes of a three-dimensional convolution with a transformed weight."""

    strides: Dims = attribute(default=(1, 1, 1), doc=STRIDES)
    padding: Dims = attribute(default=(0, 0, 0), doc=PADDING)
    dilation: Dims = attribute(default=(1, 1, 1), doc=DILATION)
    data_layout: str = attribute(default="NCDHW", doc=DATA_LAYOUT)
    kernel_layout: str = attribute(default="OIDHW", doc=KERNEL_LAYOUT)


@attributes("relay.attrs.ConvWinogradWeightTransformAttrs")
class ConvWinogradWeightTransformAttrs(Attrs):
    """Attributes of transforming a weight for Winograd's algorithm."""

    tile_size: int = attribute(doc=TILE_SIZE)


@attributes("relay.attrs.Conv2DWinogradNNPACKWeightTransformAttrs")
class Conv2DWinogradNNPACKWeightTransformAttrs(Attrs):
    """Attributes of transforming a weight for NNPACK."""

    convolution_algorithm: int = attribute(doc="NNPACK's number of the algorithm, such as that of WT_8x8.")
    out_dtype: DataType = attribute(default=DataType(""), doc=OUT_DTYPE)


def winograd_weight_relation(context: RelationContext) -> Type | None:
    """``(tile_size + height - 1, tile_size + width - 1, channels, in_channels)``.

    Raises:
        RelationError: the weight is not 4-dimensional.
    """
    weight = tensor_argument(context, 0, "weight")
    if weight is None:
        return None
    require_rank(weight, 4, 0, "weight", "layout OIHW")
    out_channels, in_channels, *window = weight.shape
    sides = tuple(subtract(add(size, context.attrs.tile_size), 1) for size in window)
    return TensorType((*sides, out_channels, in_channels), weight.dtype)


def winograd_3d_weight_relation(context: RelationContext) -> Type | None:
    """The transformed sides, then channels and in_channels.

    A depth of 3 to 7 is transformed as well; any other stays as it is, behind height and width.

    Raises:
        RelationError: the weight is not 5-dimensional, or its depth is not a number.
    """
    weight = tensor_argument(context, 0, "weight")
    if weight is None:
        return None
    require_rank(weight, 5, 0, "weight", "layout OIDHW")
    out_channels, in_channels, depth, *window = weight.shape
    if not isinstance(depth, int):
        raise RelationError(f"the depth of weight must be a number, not {depth}", argument=0)
    tile: int = context.attrs.tile_size
    sides: list[Dim] = [subtract(add(size, tile), 1) for size in window]
    sides = [tile + depth - 1, *sides] if 2 < depth < 8 else [*sides, depth]
    return TensorType((*sides, out_channels, in_channels), weight.dtype)


def nnpack_weight_relation(context: RelationContext) -> Type | None:
    """``(channels, in_channels, 8, 8)``.

    Raises:
        RelationError: the weight is not 4-dimensional.
    """
    weight = tensor_argument(context, 0, "weight")
    if weight is None:
        return None
    require_rank(weight, 4, 0, "weight", "layout OIHW")
    attrs: Conv2DWinogradNNPACKWeightTransformAttrs = context.attrs
    return TensorType((*weight.shape[:2], 8, 8), given_or(attrs.out_dtype, weight.dtype))


_POINTS: dict[int, tuple[float, ...]] = {
    3: (0, -1, 1),
    4: (0, -1, 1, 1 / 2),
    5: (0, -1, 1, 1 / 2, -2),
    6: (0, -1, 1, 1 / 2, -2, -1 / 2),
    7: (0, -1, 1, 1 / 2, -1 / 2, 2, -2),
    8: (0, -1, 1, 1 / 2, -1 / 2, 2, -2, -1 / 4),
    9: (0, -1, 1, 1 / 2, -1 / 2, 2, -2, -1 / 4, 4),
    10: (0, -1, 1, 1 / 2, -1 / 2, 2, -2, -1 / 4, 3 / 4, -4 / 3),
    11: (0, -1, 1, 1 / 2, -1 / 2, 2, -2, -1 / 4, 4, 3 / 4, -4 / 3),
    12: (0, -1, 1, 1 / 2, -1 / 2, 2, -2, -1 / 4, 4, 3 / 4, -4 / 3, 1 / 4),
    13: (0, -1, 1, 1 / 2, -1 / 2, 2, -2, -1 / 4, 4, 1 / 4, -3 / 4, 4 / 3, -4),
}
"""The interpolation points that TVM uses, by their number."""


@lru_cache(maxsize=32)
def winograd_matrix(tile_size: int, kernel_size: int) -> NDArray:
    """The matrix ``G`` of Winograd's algorithm, ``(tile_size + kernel_size - 1, kernel_size)``, in double precision.

    Row ``i`` holds the powers of the interpolation point ``a[i]``, divided by the product of its differences from the
    other points; the last row stands for infinity.

    Raises:
        ValueError: TVM has no points for these sizes.
    """
    if not 1 < tile_size < 9 or not 2 < kernel_size < 8:
        raise ValueError(f"tiles have sides of 2 to 8 and kernels of 3 to 7, not {tile_size} and {kernel_size}")
    points = _POINTS[tile_size + kernel_size - 2]
    matrix = np.zeros((len(points) + 1, kernel_size))
    for row, point in enumerate(points):
        scale = prod(point - other for other in points if other != point)
        if row == 0 and scale < 0:
            scale = -scale
        matrix[row] = [point**power / scale for power in range(kernel_size)]
    matrix[-1, -1] = 1
    return matrix


def winograd_weight_kernel(
    attrs: ConvWinogradWeightTransformAttrs, inputs: Sequence[NDArray], result_type: Type
) -> NDArray:
    """``G @ weight @ G.T`` for each pair of channels, over as many axes as the result transforms."""
    weight = inputs[0]
    spatial = list(range(2, weight.ndim))
    kept = weight.ndim == 5 and not 2 < weight.shape[2] < 8
    matrix = winograd_matrix(attrs.tile_size, weight.shape[-1]).astype(weight.dtype)
    result = weight
    for axis in spatial[1:] if kept else spatial:
        result = np.moveaxis(np.tensordot(matrix, result, axes=(1, axis)), 0, axis)
    order = (3, 4, 2, 0, 1) if kept else (*spatial, 0, 1)
    return result.transpose(order)


def winograd_kernel(data_axes: str, weight_axes: str) -> Kernel:
    """The kernel of a convolution with a transformed weight: it takes the transformation back and convolves."""
    images = Layout.parse(data_axes)

    def kernel(attrs: WinogradAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        assert isinstance(result_type, TensorType)
        assert attrs.kernel_size is not None
        window = static(attrs.kernel_size)
        data = convert_array(inputs[0], Layout.parse(attrs.data_layout), images)
        weight = _untransformed(inputs[1], window, attrs.tile_size, data.shape[1])
        return convolve_images(data, weight, attrs, result_type, images)

    return kernel


def _untransformed(weight: NDArray, window: tuple[int, ...], tile_size: int, channels: int) -> NDArray:
    """The weight (channels, in_channels, *window) from its transformed sides, in_channels and channels."""
    rank = len(window)
    inverse = np.linalg.pinv(winograd_matrix(tile_size, window[-1]))
    kept = rank == 3 and not 2 < window[0] < 8
    result = weight.astype(np.float64)
    for axis in range(2 if kept else rank):
        result = np.moveaxis(np.tensordot(inverse, result, axes=(1, axis)), 0, axis)
    if kept:
        result = np.moveaxis(result, 2, 0)
    result = result.astype(weight.dtype)
    return result.transpose(rank + 1, rank, *range(rank))


register(
    Op(
        "nn.contrib_conv2d_winograd_without_weight_transform",
        doc="""``nn.conv2d`` with a weight from ``nn.contrib_conv2d_winograd_weight_transform``.

        ``data`` of shape (batch, in_channels, height, width) gives (batch, channels, out_height, out_width). The weight
        may have any shape in inference; evaluation expects (side, side, in_channels, channels).
        """,
        arguments=(DATA, TRANSFORMED),
        attrs=Conv2DWinogradAttrs,
        relation=UncheckedConvolution("NCHW", "OIHW"),
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        infer_layout=convolution_layout,
        flops=transformed_convolution_flops,
        kernel=winograd_kernel("NCHW", "OIHW"),
    )
)
register(
    Op(
        "nn.contrib_conv3d_winograd_without_weight_transform",
        doc="""``nn.conv3d`` with a weight from ``nn.contrib_conv3d_winograd_weight_transform``.

        ``data`` of shape (batch, in_channels, depth, height, width) gives (batch, channels, out_depth, out_height,
        out_width). The weight may have any shape in inference; evaluation expects (sides…, in_channels, channels).
        """,
        arguments=(DATA, TRANSFORMED),
        attrs=Conv3DWinogradAttrs,
        relation=UncheckedConvolution("NCDHW", "OIDHW"),
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        infer_layout=convolution_layout,
        flops=transformed_convolution_flops,
        kernel=winograd_kernel("NCDHW", "OIDHW"),
    )
)
register(
    Op(
        "nn.contrib_conv2d_winograd_weight_transform",
        doc="""Transform a weight for Winograd's algorithm.

        ``weight`` of shape (channels, in_channels, height, width) gives (tile_size + height - 1,
        tile_size + width - 1, channels, in_channels).
        """,
        arguments=(WEIGHT,),
        attrs=ConvWinogradWeightTransformAttrs,
        relation=winograd_weight_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=winograd_weight_kernel,
    )
)
register(
    Op(
        "nn.contrib_conv3d_winograd_weight_transform",
        doc="""Transform a weight for Winograd's algorithm in three dimensions.

        ``weight`` of shape (channels, in_channels, depth, height, width) gives the sides grown by ``tile_size - 1``,
        then channels and in_channels. A depth that is not 3 to 7 stays as it is, behind height and width.
        """,
        arguments=(WEIGHT,),
        attrs=ConvWinogradWeightTransformAttrs,
        relation=winograd_3d_weight_relation,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        kernel=winograd_weight_kernel,
    )
)
register(
    Op(
        "nn.contrib_conv2d_winograd_nnpack_weight_transform",
        doc="""Transform a 3x3 weight for NNPACK: (channels, in_channels, 3, 3) gives (channels, in_channels, 8, 8).

        The values are those of the NNPACK library, which evaluation here does not have.
        """,
        arguments=(WEIGHT,),
        attrs=Conv2DWinogradNNPACKWeightTransformAttrs,
        relation=nnpack_weight_relation,
        pattern=OpPattern.OPAQUE,
    )
)
