"""Pools: windowed, global and adaptive ones, and the gradients of the windowed ones.

Source of the rule: ``src/relay/op/nn/pooling.cc``, ``include/tvm/relay/attrs/nn.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout, LayoutError
from ..flops import flops_per_input, pool_flops
from ..layout_inference import InferLayout, InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words
from .pooling_attributes import (
    AdaptivePool1DAttrs,
    AdaptivePool2DAttrs,
    AdaptivePool3DAttrs,
    AdaptivePoolAttrs,
    AvgPool1DAttrs,
    AvgPool2DAttrs,
    AvgPool3DAttrs,
    GlobalPool2DAttrs,
    MaxPool1DAttrs,
    MaxPool2DAttrs,
    MaxPool3DAttrs,
    PoolAttrs,
)
from .pooling_kernels import (
    adaptive_pool_kernel,
    average_pool_gradient_kernel,
    global_pool_kernel,
    max_pool_gradient_kernel,
    pool_kernel,
)
from .windows import dilated_size, element, total_padding, window_count

__all__ = ["pool_layout"]


def spatial_positions(name: str, letters: str, data: TensorType) -> tuple[int, ...]:
    """Where the spatial axes ``letters`` stand in the layout called ``name``.

    The rank of the data may differ from that of the layout, as in TVM, as long as it has these axes.

    Raises:
        RelationError: it is not a layout, lacks one of the axes or splits it, or ``data`` has too few dimensions.
    """
    try:
        layout = Layout.parse(name)
    except LayoutError as error:
        raise RelationError(str(error), attribute="layout") from None
    positions = tuple(layout.index(letter) for letter in letters)
    if -1 in positions or any(letter.lower() in layout for letter in letters):
        axes = " and ".join(letters)
        raise RelationError(f"layout must have {axes}, and may not split them, but it is {name}", attribute="layout")
    if max(positions) >= data.ndim:
        raise RelationError(
            f"data has {data.ndim} dimensions {in_words(data.shape)}, but layout {name} has {layout.rank}", argument=0
        )
    return positions


class Pool:
    """The type relation of a windowed pool over the spatial axes ``letters``.

    Along each, the result has ``(size + padding - dilated pool_size) / stride + 1`` elements, rounded towards zero, or
    up with ``ceil_mode``; ``?`` stays ``?``.
    """

    def __init__(self, letters: str) -> None:
        self.letters = letters

    def __call__(self, context: RelationContext) -> Type | None:
        """The type of the call, ``None`` while data is unknown.

        Raises:
            RelationError: the layout, the rank of data or the length of an attribute does not fit.
        """
        data = tensor_argument(context, 0, "data")
        if data is None:
            return None
        attrs: PoolAttrs = context.attrs
        positions = spatial_positions(attrs.layout, self.letters, data)
        padding = total_padding(attrs.padding, len(self.letters))
        shape = list(data.shape)
        for axis, position in enumerate(positions):
            reach = dilated_size(element(attrs.pool_size, axis, "pool_size"), element(attrs.dilation, axis, "dilation"))
            stride = element(attrs.strides, axis, "strides")
            shape[position] = window_count(
                shape[position], padding[axis], reach, stride, ceil=attrs.ceil_mode, truncate=True
            )
        return TensorType(tuple(shape), data.dtype)


def global_pool_relation(context: RelationContext) -> Type | None:
    """The data's shape with 1 for height and width.

    Raises:
        RelationError: the layout or the rank of data does not fit.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    shape = list(data.shape)
    for position in spatial_positions(context.attrs.layout, "HW", data):
        shape[position] = 1
    return TensorType(tuple(shape), data.dtype)


class AdaptivePool:
    """The type relation of an adaptive pool over the spatial axes ``letters``, whose result has ``output_size``."""

    def __init__(self, letters: str) -> None:
        self.letters = letters

    def __call__(self, context: RelationContext) -> Type | None:
        """The type of the call, ``None`` while data is unknown.

        Raises:
            RelationError: the layout, the rank of data or the length of ``output_size`` does not fit.
        """
        data = tensor_argument(context, 0, "data")
        if data is None:
            return None
        attrs: AdaptivePoolAttrs = context.attrs
        positions = spatial_positions(attrs.layout, self.letters, data)
        rank, sizes = len(self.letters), attrs.output_size or ()
        if len(sizes) not in (0, 1, rank):
            lengths = "0 or 1 elements" if rank == 1 else f"0, 1 or {rank} elements"
            raise RelationError(f"output_size may have {lengths}, not {len(sizes)}", attribute="output_size")
        shape = list(data.shape)
        for axis, position in enumerate(positions):
            if sizes:
                shape[position] = sizes[0] if len(sizes) == 1 else sizes[axis]
        return TensorType(tuple(shape), data.dtype)


def pool_gradient_relation(context: RelationContext) -> Type | None:
    """The type of the data that was pooled, which is the second argument.

    Raises:
        RelationError: it is not a tensor.
    """
    return tensor_argument(context, 1, "the pooled data")


def pool_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The layout that the data now has, unless ``out_layout`` fixes it.

    Source of the rule: ``PoolInferCorrectLayout``.

    Raises:
        LayoutError: ``out_layout`` is not ``layout``.
    """
    names: PoolAttrs = attrs  # pyright: ignore[reportAssignmentType]
    if names.out_layout:
        if names.out_layout != names.layout:
            raise LayoutError(f"a pool cannot change the layout {names.layout} to {names.out_layout}")
    elif new_inputs and isinstance(new_inputs[0], str):
        names = names.replace(layout=new_inputs[0])
    return InferredLayout((names.layout,), (names.layout,), names)


DATA = Argument("data", "The tensor to pool.")
SIZE = "``(size + padding - dilated pool_size) / stride + 1``"
SHAPES = {1: "(batch, channels, width)", 2: "(batch, channels, height, width)"}
SHAPES[3] = "(batch, channels, depth, height, width)"


def _register_pools(rank: int, letters: str, layout: InferLayout, classes: Sequence[type[Attrs]]) -> None:
    """Declare the maximum, average and adaptive pools over ``rank`` spatial axes."""
    shape, axes = SHAPES[rank], "the spatial axis" if rank == 1 else "each spatial axis"
    maximum, average, adaptive = classes
    for name, word, attrs in (("max", "largest", maximum), ("avg", "average", average)):
        register(
            Op(
                f"nn.{name}_pool{rank}d",
                doc=f"""The {word} element of each window that slides over the spatial axes.

                ``data`` of shape {shape}, in the default layout, gives a result of the same rank and dtype with
                {SIZE} elements along {axes}.
                """,
                arguments=(DATA,),
                attrs=attrs,
                relation=Pool(letters),
                pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
                infer_layout=layout,
                flops=pool_flops,
                kernel=pool_kernel(letters, average=name == "avg"),
                level=2,
            )
        )
        register(
            Op(
                f"nn.adaptive_{name}_pool{rank}d",
                doc=f"""The {word} element of each of ``output_size`` equal parts that the spatial axes are cut into.

                ``data`` of shape {shape}, in the default layout, gives a result of the same rank and dtype with
                ``output_size`` along {axes}. Parts overlap where sizes do not divide.
                """,
                arguments=(DATA,),
                attrs=adaptive,
                relation=AdaptivePool(letters),
                pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
                infer_layout=layout,
                flops=flops_per_input(1),
                kernel=adaptive_pool_kernel(letters, average=name == "avg"),
            )
        )


_register_pools(1, "W", pool_layout, (MaxPool1DAttrs, AvgPool1DAttrs, AdaptivePool1DAttrs))
_register_pools(2, "HW", pool_layout, (MaxPool2DAttrs, AvgPool2DAttrs, AdaptivePool2DAttrs))
_register_pools(3, "DHW", pool_layout, (MaxPool3DAttrs, AvgPool3DAttrs, AdaptivePool3DAttrs))

for _name, _word in (("max", "largest element"), ("avg", "average")):
    register(
        Op(
            f"nn.global_{_name}_pool2d",
            doc=f"""The {_word} of each channel over its height and width.

            ``data`` of shape (batch, channels, height, width), in the default layout, gives (batch, channels, 1, 1).
            """,
            arguments=(DATA,),
            attrs=GlobalPool2DAttrs,
            relation=global_pool_relation,
            pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
            infer_layout=pool_layout,
            flops=flops_per_input(1),
            kernel=global_pool_kernel(average=_name == "avg"),
            level=2,
        )
    )

GRADIENT_ARGUMENTS = (
    Argument("data", "The gradient of the pool's result (the name is TVM's)."),
    Argument("grad", "The data that was pooled (the name is TVM's)."),
)

for _name, _share, _kernel in (
    ("max", "goes to its first largest element", max_pool_gradient_kernel),
    ("avg", "is spread evenly over its elements", average_pool_gradient_kernel),
):
    register(
        Op(
            f"nn.{_name}_pool2d_grad",
            doc=f"""The gradient of ``nn.{_name}_pool2d``: each window's gradient {_share}.

            The gradient of the result, of shape (batch, channels, out_height, out_width), and the pooled data, of shape
            (batch, channels, height, width), give a result of the data's type.
            """,
            arguments=GRADIENT_ARGUMENTS,
            attrs=MaxPool2DAttrs,
            relation=pool_gradient_relation,
            pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
            kernel=_kernel,
            level=2,
        )
    )
