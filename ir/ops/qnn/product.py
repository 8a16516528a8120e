"""Products of quantised tensors: ``qnn.conv2d``, ``qnn.conv2d_transpose``, ``qnn.dense``, ``qnn.batch_matmul``.

Both operands are moved by their zero points and multiplied exactly, in integers. The result is in units of the product
of the two scales and has the zero point 0; ``qnn.requantize`` brings it back to a small dtype. The scales do not enter
the computation.

Source of the rule: ``convolution.cc``, ``convolution_transpose.cc``, ``dense.cc``, ``batch_matmul.cc`` in
``src/relay/qnn/op``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs
from ...dimensions import Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import alternatives, require_dtype, require_rank, tensor_argument
from ..data_layout import Layout
from ..layout_inference import InferLayout, InferredLayout, Layouts
from ..nn.convolution import Convolution, convolution_layout
from ..nn.convolution_attributes import Conv2DAttrs, Conv2DTransposeAttrs
from ..nn.convolution_transpose import TransposedConvolution
from ..nn.dense import (
    BatchMatmulAttrs,
    DenseAttrs,
    DensePackAttrs,
    MatrixProduct,
    batch_matmul_relation,
    dense_layout,
    dense_pack_layout,
)
from ..operator import Argument, Kernel, Op, OpPattern, RelationContext, RelationError, TypeRelation, get, register
from ..shapes import multiply
from .parameters import SCALE, ZERO_POINT, along_axis, are_known, require_parameter, require_scalar

_SMALL = ("int8", "uint8")
_WIDE = (*_SMALL, "int16", "uint16")


def _operands(
    context: RelationContext,
    out_dtype: DataType,
    data_accepts: tuple[str, ...],
    weight_accepts: tuple[str, ...],
    result_accepts: tuple[str, ...],
    names: tuple[str, str] = ("data", "weight"),
) -> tuple[TensorType, TensorType] | None:
    """The types of the two operands once they and the four parameters are known.

    Raises:
        RelationError: an operand, or the result, has a dtype that is not accepted.
    """
    data, weight = tensor_argument(context, 0, names[0]), tensor_argument(context, 1, names[1])
    if data is None or weight is None:
        return None
    require_dtype(data, data_accepts, 0, names[0])
    require_dtype(weight, weight_accepts, 1, names[1])
    if out_dtype not in result_accepts:
        raise RelationError(
            f"out_dtype must be {alternatives(result_accepts)}, but it is {out_dtype or 'not given'}",
            attribute="out_dtype",
        )
    return (data, weight) if are_known(context, 2, 5) else None


def _output_channels(layout: str, weight: TensorType, groups: int) -> Dim:
    """How many elements a vector of weight scales has: one for each output channel.

    Raises:
        RelationError: the layout does not name the channels, or the weight has another rank.
    """
    output, inputs = layout.find("O"), layout.find("I")
    if output < 0 or (groups != 1 and inputs < 0):
        raise RelationError(f"kernel_layout must name the channels, but it is {layout}", attribute="kernel_layout")
    if max(output, inputs) >= weight.ndim:
        raise RelationError(f"weight must have the layout {layout}, but it is {weight!r}", argument=1)
    # In groups, the weight's inputs are those of one group, and TVM counts both: right for depthwise weights.
    return weight.shape[output] if groups == 1 else multiply(weight.shape[inputs], weight.shape[output])


_convolution = Convolution("NCHW", "OIHW")


def _conv2d_relation(context: RelationContext) -> Type | None:
    attrs: Conv2DAttrs = context.attrs
    accepted = (*_SMALL, "int16")
    operands = _operands(context, attrs.out_dtype, accepted, accepted, ("int16", "int32", "int64"))
    if operands is None:
        return None
    _, weight = operands
    require_scalar(context, 2, ZERO_POINT, "input_zero_point")
    require_scalar(context, 4, SCALE, "input_scale")
    channels = _output_channels(attrs.kernel_layout, weight, attrs.groups)
    require_parameter(context, 5, SCALE, channels, "weight_scale")
    return _convolution(context)


_transposed_convolution = TransposedConvolution("NCHW", "IOHW")


def _conv2d_transpose_relation(context: RelationContext) -> Type | None:
    attrs: Conv2DTransposeAttrs = context.attrs
    operands = _operands(context, attrs.out_dtype, _WIDE, _SMALL, ("int16", "int32"))
    if operands is None:
        return None
    _, weight = operands
    weight_zero_point = tensor_argument(context, 3, "weight_zero_point")
    if weight_zero_point is not None:
        require_dtype(weight_zero_point, (ZERO_POINT,), 3, "weight_zero_point")
    require_parameter(context, 2, ZERO_POINT, 1, "input_zero_point")
    require_parameter(context, 4, SCALE, 1, "input_scale")
    channels = _output_channels(attrs.kernel_layout, weight, attrs.groups)
    require_parameter(context, 5, SCALE, channels, "weight_scale")
    return _transposed_convolution(context)


_dense = MatrixProduct("data", "weight")


def _dense_relation(context: RelationContext) -> Type | None:
    attrs: DenseAttrs = context.attrs
    operands = _operands(context, attrs.out_dtype, _WIDE, _SMALL, ("int32", "int64"))
    if operands is None:
        return None
    _, weight = operands
    require_scalar(context, 2, ZERO_POINT, "input_zero_point")
    require_scalar(context, 4, SCALE, "input_scale")
    require_rank(weight, 2, 1, "weight", "units, input_dim")
    units = weight.shape[0] if attrs.units is None else attrs.units
    require_parameter(context, 5, SCALE, units, "weight_scale")
    return _dense(context)


def _dense_pack_relation(context: RelationContext) -> Type | None:
    attrs: DensePackAttrs = context.attrs
    data, weight = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "weight")
    if data is None or weight is None:
        return None
    require_rank(data, 2, 0, "data", "batch, input_dim")
    require_rank(weight, 4, 1, "weight", "outer units, outer inputs, inner units, inner inputs")
    if not attrs.out_dtype:
        raise RelationError("out_dtype must be given", attribute="out_dtype")
    return TensorType((data.shape[0], multiply(weight.shape[0], weight.shape[2])), attrs.out_dtype)


def _batch_matmul_relation(context: RelationContext) -> Type | None:
    attrs: BatchMatmulAttrs = context.attrs
    if _operands(context, attrs.out_dtype, _SMALL, _SMALL, ("int32",), ("x", "y")) is None:
        return None
    require_scalar(context, 2, ZERO_POINT, "x_zero_point")
    require_scalar(context, 3, ZERO_POINT, "y_zero_point")
    require_scalar(context, 4, SCALE, "x_scale")
    require_scalar(context, 5, SCALE, "y_scale")
    return batch_matmul_relation(context)


def _weight_zero_point(attrs: Attrs, zero_point: NDArray, weight: NDArray) -> NDArray:
    """The zero point of a weight, a vector shaped so that it runs along the output channels."""
    if isinstance(attrs, DensePackAttrs) and zero_point.size > 1:
        # The units are split into the first axis and the third.
        return zero_point.reshape(weight.shape[0], 1, weight.shape[2], 1)
    axis = 0
    if isinstance(attrs, (Conv2DAttrs, Conv2DTransposeAttrs)):
        axis = Layout.parse(attrs.kernel_layout).index("O")
    return along_axis(zero_point, weight.ndim, axis)


def _through(operator: str) -> Kernel:
    """The kernel of a quantised product: that of ``operator``, over operands moved by their zero points."""

    def kernel(attrs: Attrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        data, weight, data_zero_point, weight_zero_point = inputs[:4]
        product = get(operator).kernel
        assert product is not None, f"{operator} is declared with its kernel"
        assert isinstance(result_type, TensorType)
        dtype = np.int64 if result_type.dtype == "int64" else np.int32
        moved_data = data.astype(dtype) - data_zero_point.reshape(())
        moved_weight = weight.astype(dtype) - _weight_zero_point(attrs, weight_zero_point, weight)
        return product(attrs, [moved_data, moved_weight], result_type)

    return kernel


def _with_parameters(infer_layout: InferLayout, layout: str) -> InferLayout:
    """The layouts of the operands as ``infer_layout`` has them, those of the four parameters ``layout``."""

    def infer(
        attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
    ) -> InferredLayout:
        inferred = infer_layout(attrs, new_inputs, old_inputs, types)
        return InferredLayout((*inferred.inputs[:2], *(layout,) * 4), inferred.outputs, attrs)

    return infer


def _parameters(data: str, weight: str) -> tuple[Argument, ...]:
    """The four parameters in the order of the call, which differs from TVM's registry."""
    return (
        Argument(f"{data}_zero_point", "The zero point of the first operand, a scalar int32."),
        Argument(f"{weight}_zero_point", "The zero point of the second operand, int32: a scalar or a vector."),
        Argument(f"{data}_scale", "The step of the first operand, a scalar float32."),
        Argument(f"{weight}_scale", "The step of the second operand, float32: a scalar, or one for each channel."),
    )


_IN_INTEGERS = (
    "Both operands are moved by their zero points and multiplied in integers; the result is in units of the product of "
    "the scales, with the zero point 0."
)


def _register_product(
    name: str,
    doc: str,
    operands: tuple[Argument, Argument],
    attrs: type[Attrs],
    relation: TypeRelation,
    infer_layout: InferLayout | None,
    pattern: OpPattern | None = OpPattern.OUT_ELEMWISE_FUSABLE,
) -> None:
    """Declare the quantised form of the product ``nn.*`` of the same name."""
    first, second = ("x", "y") if operands[0].name == "x" else ("input", "weight")
    register(
        Op(
            f"qnn.{name}",
            doc=f"{doc} {_IN_INTEGERS}",
            arguments=(*operands, *_parameters(first, second)),
            attrs=attrs,
            relation=relation,
            pattern=OpPattern.OPAQUE if pattern is None else pattern,
            flops=get(f"nn.{name}").flops,
            kernel=_through(f"nn.{name}"),
            infer_layout=infer_layout,
            level=11,
            non_computational=True,
            without_pattern=pattern is None,
        )
    )


_register_product(
    "conv2d",
    "Convolution of a quantised image with quantised weights, with the shapes of `nn.conv2d`.",
    (Argument("data", "The image: int8, uint8 or int16."), Argument("weight", "The weights: int8, uint8 or int16.")),
    Conv2DAttrs,
    _conv2d_relation,
    _with_parameters(convolution_layout, "C"),
)
_register_product(
    "conv2d_transpose",
    "Transposed convolution of a quantised image with quantised weights, with the shapes of `nn.conv2d_transpose`.",
    (Argument("data", "The image: int8, uint8, int16 or uint16."), Argument("weight", "The weights: int8 or uint8.")),
    Conv2DTransposeAttrs,
    _conv2d_transpose_relation,
    _with_parameters(convolution_layout, "C"),
    pattern=None,
)
_register_product(
    "dense",
    "Quantised data times the transpose of a quantised weight, with the shapes of `nn.dense`.",
    (
        Argument("data", "The data: int8, uint8, int16 or uint16.", "quantized nD Tensor"),
        Argument("weight", "The weight (units, input_dim): int8 or uint8.", "quantized 2D Tensor"),
    ),
    DenseAttrs,
    _dense_relation,
    _with_parameters(dense_layout, "N"),
)
_register_product(
    "contrib_dense_pack",
    "`qnn.dense` with a weight packed into tiles, (units / tile, inputs / inner, tile, inner), as for "
    '`weight_layout="NC32n4c"`: (batch, inputs) gives (batch, units).',
    (
        Argument("data", "The data (batch, input_dim).", "quantized nD Tensor"),
        Argument("weight", "The packed weight, four-dimensional.", "quantized 2D Tensor"),
    ),
    DensePackAttrs,
    _dense_pack_relation,
    _with_parameters(dense_pack_layout, "N"),
)
_register_product(
    "batch_matmul",
    "Products of the matrices of two quantised batches, with the shapes of `nn.batch_matmul`. TVM computes "
    "only `transpose_a=False, transpose_b=True`.",
    (
        Argument("x", "The left matrices: int8 or uint8.", "quantized 2D Tensor"),
        Argument("y", "The right matrices: int8 or uint8.", "quantized 2D Tensor"),
    ),
    BatchMatmulAttrs,
    _batch_matmul_relation,
    None,
)
