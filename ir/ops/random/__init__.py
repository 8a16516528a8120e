"""Random numbers: functions of a key, which gives the same numbers here as in TVM.

A key is made once (TVM's ``threefry_key(seed)``), passed on, and never used twice: each operator returns the next one.

Source of the rule: ``src/relay/op/random/kernel.cc``, ``python/tvm/topi/random/kernel.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, IncompleteType, TensorType, TupleType, Type
from ..arguments import tensor_argument
from ..operator import Argument, Op, RelationContext, RelationError, register
from . import threefry

__all__ = ["MultinomialAttrs", "NormalAttrs", "ThreefryGenerateAttrs", "UniformAttrs"]

_OUT_SHAPE = "Shape of the random numbers."
_OUT_DTYPE = "Dtype of the random numbers, float32 or float64."


@attributes("relay.attrs.ThreefryGenerateAttrs")
class ThreefryGenerateAttrs(Attrs):
    """Attributes of ``random.threefry_generate``."""

    out_shape: tuple[int, ...] = attribute(doc=_OUT_SHAPE)


@attributes("relay.attrs.UniformAttrs")
class UniformAttrs(Attrs):
    """Attributes of ``random.uniform``."""

    out_shape: tuple[int, ...] = attribute(doc=_OUT_SHAPE)
    out_dtype: DataType = attribute(default=DataType(""), doc=_OUT_DTYPE)


@attributes("relay.attrs.NormalAttrs")
class NormalAttrs(Attrs):
    """Attributes of ``random.normal``."""

    out_shape: tuple[int, ...] = attribute(doc=_OUT_SHAPE)
    out_dtype: DataType = attribute(default=DataType(""), doc=_OUT_DTYPE)


@attributes("relay.attrs.MultinomialAttrs")
class MultinomialAttrs(Attrs):
    """Attributes of ``random.multinomial``."""

    num_samples: int = attribute(default=1, doc="How many samples to draw from each distribution.")


_KEY = TensorType((10,), "uint64")


def _generate_relation(context: RelationContext) -> Type | None:
    attrs: ThreefryGenerateAttrs = context.attrs
    context.assign(0, _KEY)
    return TupleType((_KEY, TensorType(attrs.out_shape, "uint64")))


def _split_relation(context: RelationContext) -> Type | None:
    context.assign(0, _KEY)
    return TupleType((_KEY, _KEY))


def _distribution_relation(context: RelationContext) -> Type | None:
    attrs: UniformAttrs | NormalAttrs = context.attrs
    if attrs.out_dtype not in ("float32", "float64"):
        raise RelationError(
            f"out_dtype must be float32 or float64, but it is {attrs.out_dtype or 'not given'}", attribute="out_dtype"
        )
    context.assign(0, _KEY)
    parameter = TensorType((), attrs.out_dtype)
    context.assign(1, parameter)
    context.assign(2, parameter)
    return TupleType((_KEY, TensorType(attrs.out_shape, attrs.out_dtype)))


def _multinomial_relation(context: RelationContext) -> Type | None:
    attrs: MultinomialAttrs = context.attrs
    if isinstance(context.types[1], IncompleteType):
        return None
    probabilities = tensor_argument(context, 1, "probs")
    if probabilities is None:
        return None
    if not probabilities.ndim:
        raise RelationError("probs must have at least one dimension, the one of the indices", argument=1)
    context.assign(0, _KEY)
    return TupleType((_KEY, TensorType((*probabilities.shape[:-1], attrs.num_samples), "int32")))


def _generate(attrs: ThreefryGenerateAttrs, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    key, words = threefry.generate(inputs[0], prod(attrs.out_shape))
    return key, words.reshape(attrs.out_shape)


def _split(attrs: None, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    return threefry.split(inputs[0])


def _unit_interval(key: NDArray, shape: tuple[int, ...], dtype: str) -> tuple[NDArray, NDArray]:
    """The next key, and numbers from 0 (inclusive) to 1: random bits as the fraction of a float in [1, 2)."""
    key, words = threefry.generate(key, prod(shape))
    if dtype == "float32":
        bits = (words.astype(np.uint32) >> np.uint32(9)) | np.uint32(127 << 23)
    else:
        bits = (words >> np.uint64(12)) | np.uint64(1023 << 52)
    return key, (bits.view(dtype) - np.dtype(dtype).type(1)).reshape(shape)


def _uniform(attrs: UniformAttrs, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    key, low, high = inputs
    key, values = _unit_interval(key, attrs.out_shape, attrs.out_dtype)
    return key, values * (high - low) + low


def _normal(attrs: NormalAttrs, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    """Box and Muller's transform of two uniform numbers for each normal one."""
    key, mean, scale = inputs
    key, (first, second) = _unit_interval(key, (2, *attrs.out_shape), attrs.out_dtype)
    number = np.dtype(attrs.out_dtype).type
    radius = np.sqrt(number(-2) * np.log(number(1) - first))
    return key, radius * np.sin(number(2 * np.pi) * second) * scale + mean


def _multinomial(attrs: MultinomialAttrs, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    key, probabilities = inputs
    weights = np.maximum(probabilities.astype(np.float32), 0)
    cumulative = np.cumsum(weights / weights.sum(axis=-1, keepdims=True), axis=-1)
    key, values = _unit_interval(key, (*cumulative.shape[:-1], attrs.num_samples), "float32")
    distance = cumulative[..., :, None] - values[..., None, :]
    return key, np.argmin(np.where(distance > 0, distance, 1), axis=-2).astype(np.int32)


_KEY_ARGUMENT = Argument("key", "The key, ten words of uint64; it must not be used again.")

register(
    Op(
        "random.threefry_generate",
        doc="Random words. The result is a tuple: the next key, and a uint64 tensor of the shape `out_shape`.",
        arguments=(_KEY_ARGUMENT,),
        attrs=ThreefryGenerateAttrs,
        relation=_generate_relation,
        kernel=_generate,
    )
)

register(
    Op(
        "random.threefry_split",
        doc="Two keys from one, whose numbers are independent of each other. The result is a tuple of them.",
        arguments=(_KEY_ARGUMENT,),
        relation=_split_relation,
        kernel=_split,
    )
)

register(
    Op(
        "random.uniform",
        doc="Numbers distributed evenly between `low` (inclusive) and `high`. The result is a tuple: the next key, and "
        "a tensor of the shape `out_shape`.",
        arguments=(
            _KEY_ARGUMENT,
            Argument("low", "The least number, a scalar of `out_dtype`."),
            Argument("high", "The bound above all numbers, a scalar of `out_dtype`."),
        ),
        attrs=UniformAttrs,
        relation=_distribution_relation,
        kernel=_uniform,
    )
)

register(
    Op(
        "random.normal",
        doc="Numbers in a normal distribution. The result is a tuple: the next key, and a tensor of the shape "
        "`out_shape`.",
        arguments=(
            _KEY_ARGUMENT,
            Argument("mean", "The mean, a scalar of `out_dtype`."),
            Argument("scale", "The standard deviation, a scalar of `out_dtype`."),
        ),
        attrs=NormalAttrs,
        relation=_distribution_relation,
        kernel=_normal,
    )
)

register(
    Op(
        "random.multinomial",
        doc="Indices drawn by their probabilities: (…, n) gives (…, num_samples) of int32. The result is a tuple: the "
        "next key, and the indices.",
        arguments=(
            _KEY_ARGUMENT,
            Argument("probs", "Weights of the indices along the last axis; a negative one counts as 0."),
        ),
        attrs=MultinomialAttrs,
        relation=_multinomial_relation,
        kernel=_multinomial,
    )
)
