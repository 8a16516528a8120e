"""Random numbers from a key: the counter-based generator Threefry, and distributions made from it.

A key is ten words of 64 bits: four of the key proper, two of the path that splitting has taken, two of the counter (of
which the second is used), and two that hold the single bit where the path goes on. The stream is TVM's own, bit by bit;
``random.normal`` and ``random.uniform`` agree with it within rounding.

Source of the rule: ``src/relay/op/random/kernel.cc``, ``python/tvm/topi/random/kernel.py``,
``include/tvm/relay/attrs/random.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, prod

import numpy as np
import numpy.typing as npt

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...types import DataType, TensorType, TupleType, Type
from ..arguments import tensor_argument
from ..operator import Argument, Op, RelationContext, RelationError, register

__all__ = [
    "MultinomialAttrs",
    "NormalAttrs",
    "ThreefryGenerateAttrs",
    "UniformAttrs",
    "threefry_generate",
    "threefry_split",
]

Words = npt.NDArray[np.uint64]

KEY_TYPE = TensorType((10,), "uint64")
KEY = Argument("key", "The state of the generator, ten words of uint64; it must not be used twice.")
_OUT_SHAPE = "The shape of the random numbers."
_OUT_DTYPE = "Their dtype, float32 or float64."

_ROTATIONS = ((14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32))
_ORDER = [0, 3, 2, 1]
_PARITY = np.uint64(0x1BD11BDAA9FC1A22)
_ALL_ONES = 2**64 - 1


@attributes("relay.attrs.ThreefryGenerateAttrs")
class ThreefryGenerateAttrs(Attrs):
    """Attributes of ``random.threefry_generate``."""

    out_shape: tuple[int, ...] = attribute(doc=_OUT_SHAPE)


@attributes("relay.attrs.UniformAttrs")
class UniformAttrs(Attrs):
    """Attributes of ``random.uniform``."""

    out_shape: tuple[int, ...] = attribute(doc=_OUT_SHAPE)
    out_dtype: DataType = attribute(DataType(""), doc=_OUT_DTYPE)


@attributes("relay.attrs.NormalAttrs")
class NormalAttrs(Attrs):
    """Attributes of ``random.normal``."""

    out_shape: tuple[int, ...] = attribute(doc=_OUT_SHAPE)
    out_dtype: DataType = attribute(DataType(""), doc=_OUT_DTYPE)


@attributes("relay.attrs.MultinomialAttrs")
class MultinomialAttrs(Attrs):
    """Attributes of ``random.multinomial``."""

    num_samples: int = attribute(1, doc="How many samples are drawn from each distribution.")


def _threefry(key: Words, counter: Words, count: int) -> Words:
    """``count`` blocks of four words: twenty rounds over the counter, raised by one in every word for each block."""
    with np.errstate(over="ignore"):
        schedule = np.append(key, _PARITY ^ np.bitwise_xor.reduce(key))
        steps: Words = np.arange(count, dtype=np.uint64)
        state: Words = counter[None, :] + steps[:, None]
        for four in range(5):
            state = state + schedule[[(four + word) % 5 for word in range(4)]]
            state[:, 3] += np.uint64(four)
            for turn in range(4):
                for pair, rotation in enumerate(_ROTATIONS[(four * 4 + turn) % 8]):
                    first, second = state[:, 2 * pair], state[:, 2 * pair + 1]
                    total = first + second
                    turned = (second << np.uint64(rotation)) | (second >> np.uint64(64 - rotation))
                    state[:, 2 * pair], state[:, 2 * pair + 1] = total, total ^ turned
                state = state[:, _ORDER]
    return state


def _moved(high: int, low: int) -> tuple[int, int]:
    """The place where the path goes on, one bit further."""
    if high == 1:
        return 0, 1 << 63
    return (high >> 1, 0) if high else (0, low >> 1)


def threefry_generate(key: Words, count: int) -> tuple[Words, Words]:
    """The key to go on with, and ``count`` random words.

    Where the counter has no room left, the path is extended, and where that has none, the key is replaced.
    """
    words = [int(word) for word in key]
    if words[7] >= _ALL_ONES - count:
        if words[8] == 0 and words[9] == 0:
            words[:4] = map(int, _threefry(key[:4], np.full(4, _ALL_ONES, np.uint64), 1)[0])
            words[4:] = [0, 0, 0, 0, 1 << 63, 0]
        else:
            words[4] |= words[8]
            words[5] |= words[9]
            words[6] = words[7] = 0
            words[8], words[9] = _moved(words[8], words[9])
    state: Words = np.asarray(words, np.uint64)
    whole, rest = divmod(count, 4)
    blocks = [_threefry(state[:4], state[4:8], whole).reshape(-1)]
    with np.errstate(over="ignore"):
        state[7] += np.uint64(4 * whole)
        if rest:
            blocks.append(_threefry(state[:4], state[4:8], 1)[0, :rest])
            state[7] += np.uint64(4)
    state[6] = 0
    return state, np.concatenate(blocks)


def threefry_split(key: Words) -> tuple[Words, Words]:
    """Two keys whose streams have nothing in common: the path goes on with a 0 and with a 1."""
    words = [int(word) for word in key]
    if words[8] == 0 and words[9] == 0:
        fresh = [int(word) for word in _threefry(key[:4], key[4:8], 1)[0]]
        left = [*fresh, 0, 0, 0, 0, 1 << 62, 0]
        right = [*fresh, 1 << 63, 0, 0, 0, 1 << 62, 0]
    else:
        place = _moved(words[8], words[9])
        left = [*words[:8], *place]
        right = [*words[:4], words[4] | words[8], words[5] | words[9], *words[6:8], *place]
    return np.asarray(left, np.uint64), np.asarray(right, np.uint64)


def _uniform(key: Words, shape: Sequence[int], dtype: str) -> tuple[Words, NDArray]:
    """Numbers in [0, 1): random bits as the fraction of a number in [1, 2), less 1."""
    state, words = threefry_generate(key, prod(shape))
    if dtype == "float32":
        bits = (words.astype(np.uint32) >> np.uint32(9)) | np.uint32(0x3F800000)
        numbers: NDArray = bits.view(np.float32) - np.float32(1)
    else:
        wide = (words >> np.uint64(12)) | np.uint64(0x3FF0000000000000)
        numbers = wide.view(np.float64) - 1
    return state, numbers.reshape(tuple(shape))


def _generate_relation(context: RelationContext) -> Type | None:
    attrs: ThreefryGenerateAttrs = context.attrs
    context.assign(0, KEY_TYPE)
    return TupleType((KEY_TYPE, TensorType(attrs.out_shape, "uint64")))


def _generate_kernel(
    attrs: ThreefryGenerateAttrs, inputs: Sequence[NDArray], result_type: Type
) -> tuple[NDArray, NDArray]:
    shape = tuple(int(size) for size in attrs.out_shape)
    state, words = threefry_generate(inputs[0], prod(shape))
    return state, words.reshape(shape)


def _split_relation(context: RelationContext) -> Type | None:
    context.assign(0, KEY_TYPE)
    return TupleType((KEY_TYPE, KEY_TYPE))


def _split_kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    return threefry_split(inputs[0])


def _distribution_relation(context: RelationContext) -> Type | None:
    attrs: UniformAttrs | NormalAttrs = context.attrs
    if attrs.out_dtype not in ("float32", "float64"):
        raise RelationError(
            f"out_dtype must be float32 or float64, not {attrs.out_dtype or 'missing'}", attribute="out_dtype"
        )
    scalar = TensorType((), attrs.out_dtype)
    context.assign(0, KEY_TYPE)
    context.assign(1, scalar)
    context.assign(2, scalar)
    return TupleType((KEY_TYPE, TensorType(attrs.out_shape, attrs.out_dtype)))


def _uniform_kernel(attrs: UniformAttrs, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    key, low, high = inputs
    state, numbers = _uniform(key, [int(size) for size in attrs.out_shape], attrs.out_dtype)
    return state, (numbers * (high - low) + low).astype(numpy_dtype(attrs.out_dtype))


def _normal_kernel(attrs: NormalAttrs, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    """Two uniform numbers for each normal one, by the transform of Box and Muller."""
    key, mean, scale = inputs
    dtype = numpy_dtype(attrs.out_dtype)
    state, numbers = _uniform(key, [2, *(int(size) for size in attrs.out_shape)], attrs.out_dtype)
    radius = np.sqrt(-2 * np.log(1 - numbers[0]))
    return state, (radius * np.sin(dtype.type(2 * pi) * numbers[1]) * scale + mean).astype(dtype)


def _multinomial_relation(context: RelationContext) -> Type | None:
    attrs: MultinomialAttrs = context.attrs
    probabilities = tensor_argument(context, 1, "probs")
    if probabilities is None:
        return None
    if not probabilities.shape:
        raise RelationError("probs must have at least one dimension, but it is a scalar", argument=1)
    context.assign(0, KEY_TYPE)
    return TupleType((KEY_TYPE, TensorType((*probabilities.shape[:-1], attrs.num_samples), "int32")))


def _multinomial_kernel(
    attrs: MultinomialAttrs, inputs: Sequence[NDArray], result_type: Type
) -> tuple[NDArray, NDArray]:
    """For each uniform number, the first index whose cumulated probability lies above it."""
    key, probabilities = inputs
    weights = np.maximum(probabilities.astype(np.float32), 0)
    cumulated = np.cumsum(weights / weights.sum(axis=-1, keepdims=True), axis=-1, dtype=np.float32)
    state, numbers = _uniform(key, [*weights.shape[:-1], int(attrs.num_samples)], "float32")
    distance = cumulated[..., :, None] - numbers[..., None, :]
    return state, np.argmin(np.where(distance > 0, distance, 1), axis=-2).astype(np.int32)


register(
    Op(
        "random.threefry_generate",
        doc="The key to go on with, and ``out_shape`` random words of uint64.",
        arguments=(KEY,),
        attrs=ThreefryGenerateAttrs,
        relation=_generate_relation,
        kernel=_generate_kernel,
    )
)
register(
    Op(
        "random.threefry_split",
        doc="Two keys made of one, whose random numbers have nothing to do with one another.",
        arguments=(KEY,),
        relation=_split_relation,
        kernel=_split_kernel,
    )
)
register(
    Op(
        "random.uniform",
        doc="The key to go on with, and ``out_shape`` random numbers, equally likely anywhere in [low, high).",
        arguments=(
            KEY,
            Argument("low", "A scalar of out_dtype: the lower bound."),
            Argument("high", "A scalar of out_dtype: the upper bound."),
        ),
        attrs=UniformAttrs,
        relation=_distribution_relation,
        kernel=_uniform_kernel,
    )
)
register(
    Op(
        "random.normal",
        doc="The key to go on with, and ``out_shape`` random numbers of a normal distribution.",
        arguments=(
            KEY,
            Argument("mean", "A scalar of out_dtype: the mean."),
            Argument("scale", "A scalar of out_dtype: the standard deviation."),
        ),
        attrs=NormalAttrs,
        relation=_distribution_relation,
        kernel=_normal_kernel,
    )
)
register(
    Op(
        "random.multinomial",
        doc="The key to go on with, and for each distribution along the last axis of ``probs``, ``num_samples`` random "
        "indices of it (int32), each as likely as its probability.",
        arguments=(KEY, Argument("probs", "Probabilities along the last axis, which need not sum to one.")),
        attrs=MultinomialAttrs,
        relation=_multinomial_relation,
        kernel=_multinomial_kernel,
    )
)
