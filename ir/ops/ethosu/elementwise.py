"""``contrib.ethosu.identity``, ``unary_elementwise`` and ``binary_elementwise``.

Source of the rule: ``src/relay/op/contrib/ethosu/identity.cc``, ``unary_elementwise.cc``, ``binary_elementwise.cc``,
``op_attrs.h``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim
from ...types import TensorType, Type
from ..arguments import alternatives, require_dtype, tensor_argument
from ..operator import Argument, Op, RelationContext, RelationError, register
from .feature_maps import BYTES, CLIP_MAX, CLIP_MIN, LUT, laid_out, require_map, require_name, spatial_shape

__all__ = ["EthosuBinaryElementwiseAttrs", "EthosuIdentityAttrs", "EthosuUnaryElementwiseAttrs"]


@attributes("relay.attrs.EthosuIdentityAttrs")
class EthosuIdentityAttrs(Attrs):
    """Attributes of ``contrib.ethosu.identity``."""

    ifm_scale: float = attribute(doc="Scale of the input.")
    ifm_zero_point: int = attribute(doc="Zero point of the input.")
    ofm_scale: float = attribute(doc="Scale of the result.")
    ofm_zero_point: int = attribute(doc="Zero point of the result.")
    activation: str = attribute(default="NONE", doc="What is done to the result: NONE, TANH, SIGMOID or LUT.")


@attributes("relay.attrs.EthosuUnaryElementwiseAttrs")
class EthosuUnaryElementwiseAttrs(Attrs):
    """Attributes of ``contrib.ethosu.unary_elementwise``."""

    operator_type: str = attribute(doc="What is computed: ABS, or CLZ, which counts leading zeros.")
    ifm_scale: float = attribute(doc="Scale of the input.")
    ifm_zero_point: int = attribute(doc="Zero point of the input.")
    ofm_scale: float = attribute(doc="Scale of the result.")
    ofm_zero_point: int = attribute(doc="Zero point of the result.")
    ofm_channels: Dim = attribute(doc="Number of channels of the result.")
    activation: str = attribute(default="NONE", doc="What is done to the result: NONE, CLIP, TANH, SIGMOID or LUT.")
    clip_min: int = attribute(default=0, doc=CLIP_MIN)
    clip_max: int = attribute(default=0, doc=CLIP_MAX)
    rounding_mode: str = attribute(default="TFL", doc="How the result is rounded: TFL, TRUNCATE or NATURAL.")
    ifm_layout: str = attribute(default="NHWC", doc="Layout of the input: NHWC or NHCWB16.")
    ofm_layout: str = attribute(default="NHWC", doc="Layout of the result: NHWC or NHCWB16.")


@attributes("relay.attrs.EthosuBinaryElementwiseAttrs")
class EthosuBinaryElementwiseAttrs(Attrs):
    """Attributes of ``contrib.ethosu.binary_elementwise``."""

    operator_type: str = attribute(doc="What is computed: ADD, SUB, MUL, MIN, MAX, SHR or SHL.")
    ifm_scale: float = attribute(doc="Scale of the first input.")
    ifm_zero_point: int = attribute(doc="Zero point of the first input.")
    ifm2_scale: float = attribute(doc="Scale of the second input.")
    ifm2_zero_point: int = attribute(doc="Zero point of the second input.")
    ofm_scale: float = attribute(doc="Scale of the result.")
    ofm_zero_point: int = attribute(doc="Zero point of the result.")
    ifm_channels: Dim = attribute(doc="Number of channels of the first input.")
    ifm2_channels: Dim = attribute(doc="Number of channels of the second input.")
    reversed_operands: bool = attribute(default=False, doc="Whether the second input comes first.")
    activation: str = attribute(default="NONE", doc="What is done to the result: NONE, CLIP, TANH, SIGMOID or LUT.")
    clip_min: int = attribute(default=0, doc=CLIP_MIN)
    clip_max: int = attribute(default=0, doc=CLIP_MAX)
    rounding_mode: str = attribute(default="TFL", doc="How the result is rounded: TFL, TRUNCATE or NATURAL.")
    ifm_layout: str = attribute(default="NHWC", doc="Layout of the first input: NHWC or NHCWB16.")
    ifm2_layout: str = attribute(default="NHWC", doc="Layout of the second input: NHWC or NHCWB16.")
    ofm_layout: str = attribute(default="NHWC", doc="Layout of the result: NHWC or NHCWB16.")
    ofm_dtype: str = attribute(doc="Dtype of the result.")
    use_rescale: bool = attribute(default=False, doc="Whether the result is scaled by the next two attributes.")
    rescale_scale: int = attribute(default=0, doc="What the result is multiplied by.")
    rescale_shift: int = attribute(default=0, doc="How many bits the result is shifted to the right.")


_INTEGERS: Final = ("int8", "uint8", "int16", "int32")

_BINARY: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    **dict.fromkeys(("ADD", "SUB", "MUL"), (_INTEGERS, _INTEGERS)),
    **dict.fromkeys(("MIN", "MAX"), (BYTES, BYTES)),
    "SHR": (("int32",), ("uint8", "int8", "int32")),
    "SHL": (("int32",), ("int32",)),
}
"""The dtypes of inputs and result, by what is computed."""


def _identity_relation(context: RelationContext) -> Type | None:
    ifm = tensor_argument(context, 0, "ifm")
    if ifm is None:
        return None
    require_dtype(ifm, BYTES, 0, "ifm")
    if ifm.ndim > 4:
        raise RelationError(f"ifm must have at most 4 dimensions, but it is {ifm!r}", argument=0)
    return ifm


def _unary_relation(context: RelationContext) -> Type | None:
    ifm, attrs = tensor_argument(context, 0, "ifm"), context.attrs
    if ifm is None:
        return None
    require_name(attrs.operator_type, ("ABS", "CLZ"), "operator_type")
    require_dtype(ifm, ("int32",) if attrs.operator_type == "CLZ" else BYTES, 0, "ifm")
    require_map(ifm, attrs.ifm_layout, 0, "ifm")
    sizes = spatial_shape(ifm.shape, attrs.ifm_layout)
    return TensorType(laid_out(*sizes, attrs.ofm_channels, attrs.ofm_layout, "ofm_channels"), ifm.dtype)


def _binary_relation(context: RelationContext) -> Type | None:
    ifm, ifm2, attrs = tensor_argument(context, 0, "ifm"), tensor_argument(context, 1, "ifm2"), context.attrs
    if ifm is None or ifm2 is None:
        return None
    if ifm.dtype != ifm2.dtype:
        raise RelationError(f"ifm is of dtype {ifm.dtype}, but ifm2 of {ifm2.dtype}", argument=1)
    require_name(attrs.operator_type, tuple(_BINARY), "operator_type")
    inputs, outputs = _BINARY[attrs.operator_type]
    require_dtype(ifm, inputs, 0, "ifm")
    if attrs.operator_type in ("MIN", "MAX"):
        outputs = (ifm.dtype,)
    if attrs.ofm_dtype not in outputs:
        raise RelationError(
            f"the result must be of dtype {alternatives(outputs)}, not {attrs.ofm_dtype}", attribute="ofm_dtype"
        )
    require_map(ifm, attrs.ifm_layout, 0, "ifm")
    sizes = spatial_shape(ifm.shape, attrs.ifm_layout)
    return TensorType(laid_out(*sizes, attrs.ifm_channels, attrs.ofm_layout, "ifm_channels"), attrs.ofm_dtype)


register(
    Op(
        "contrib.ethosu.identity",
        doc="The input with another scale and zero point, on an Ethos-U processor. The result has the type of `ifm`.",
        arguments=(Argument("ifm", "The input, of at most 4 dimensions."), Argument("lut", LUT)),
        attrs=EthosuIdentityAttrs,
        relation=_identity_relation,
        level=11,
        without_pattern=True,
    )
)

register(
    Op(
        "contrib.ethosu.unary_elementwise",
        doc="The absolute values or numbers of leading zeros of a quantised feature map, on an Ethos-U processor.",
        arguments=(Argument("ifm", "The input, in `ifm_layout`."), Argument("lut", LUT)),
        attrs=EthosuUnaryElementwiseAttrs,
        relation=_unary_relation,
        level=11,
        without_pattern=True,
    )
)

register(
    Op(
        "contrib.ethosu.binary_elementwise",
        doc="Arithmetic on two quantised feature maps, element by element, on an Ethos-U processor. The second is "
        "repeated along dimensions of size 1.",
        arguments=(
            Argument("ifm", "The first input, in `ifm_layout`."),
            Argument("ifm2", "The second input, in `ifm2_layout`, of the same dtype."),
            Argument("lut", LUT),
        ),
        attrs=EthosuBinaryElementwiseAttrs,
        relation=_binary_relation,
        level=11,
        without_pattern=True,
    )
)
