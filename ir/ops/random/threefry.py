"""The Threefry generator, bit by bit as TVM computes it.

A key is ten words: four of key, two of path (which branch of which split), two of counter (the last one counts) and two
with the bit where the path goes on. Numbers are blocks of four words: the encrypted path and counter. The last word of
the path is never reached: TVM looks only at the first of the two words of the position before it makes a new key. Its
mixing of two words differs from the paper's too, so that the numbers are TVM's and not those of other libraries.

Source of the rule: ``python/tvm/topi/random/kernel.py``; J. K. Salmon et al., "Parallel random numbers: as easy as 1,
2, 3" (2011); K. Claessen and M. Palka, "Splittable pseudorandom number generators using cryptographic hashing" (2013).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ...lazy_numpy import np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["generate", "split"]

Words: TypeAlias = "npt.NDArray[np.uint64]"

_ROTATIONS = ((14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32))
_ROUNDS = 20
_PARITY = 0x1BD11BDAA9FC1A22
_LAST = 0xFFFFFFFFFFFFFFFF
_FIRST_BIT = 1 << 63
_SECOND_BIT = 1 << 62


def _rotated(words: Words, bits: int) -> Words:
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))


def _encrypt(key: Words, counter: Words, blocks: int) -> Words:
    """``blocks`` blocks of four words: ``counter``, with the block's number added to each word, under ``key``."""
    schedule = np.append(key, np.bitwise_xor.reduce(key) ^ np.uint64(_PARITY))
    words = counter[:, None] + np.arange(blocks, dtype=np.uint64)
    for turn in range(_ROUNDS):
        if turn % 4 == 0:
            injected = turn // 4
            words = words + np.roll(schedule, -injected)[:4, None]
            words[3] += np.uint64(injected)
        for pair, bits in enumerate(_ROTATIONS[turn % 8]):
            first, second = words[2 * pair], words[2 * pair + 1]
            first += second
            # The paper has the new first word here; TVM adds the second one to it again.
            words[2 * pair + 1] = (first + second) ^ _rotated(second, bits)
        words = words[[0, 3, 2, 1]]
    return words.T.reshape(-1)


def _next_position(key: Words) -> tuple[np.uint64, np.uint64]:
    """The bit of the path's position moved on by one."""
    first, second = key[8], key[9]
    if first == 1:
        return np.uint64(0), np.uint64(_FIRST_BIT)
    if first == 0:
        return np.uint64(0), second >> np.uint64(1)
    return first >> np.uint64(1), np.uint64(0)


def _on_right_path(key: Words) -> Words:
    """``key`` with a one added to its path."""
    result = key.copy()
    result[4] |= key[8]
    result[5] |= key[9]
    result[8], result[9] = _next_position(key)
    return result


def generate(key: Words, count: int) -> tuple[Words, Words]:
    """The next key, and ``count`` random words."""
    state = key.copy()
    if key[7] >= _LAST - count:
        # The counter is used up. A path that has no room either gives a new key, as the paper says.
        if key[8] == 0:
            state[:4] = _encrypt(key[:4], np.full(4, np.uint64(_LAST)), 1)
            state[4:] = 0
            state[8] = _FIRST_BIT
        else:
            state = _on_right_path(key)
            state[6:8] = 0
    whole, rest = divmod(count, 4)
    words = _encrypt(state[:4], state[4:8], whole)
    if rest:
        state[7:8] += np.uint64(whole * 4)
        words = np.append(words, _encrypt(state[:4], state[4:8], 1)[:rest])
        state[7:8] += np.uint64(4)
    else:
        state[7:8] += np.uint64(count)
    state[6] = 0
    return state, words


def split(key: Words) -> tuple[Words, Words]:
    """Two keys whose streams are independent of each other."""
    if key[8] == 0:
        left = np.zeros(10, np.uint64)
        left[:4] = _encrypt(key[:4], key[4:8], 1)
        left[8] = _SECOND_BIT
        right = left.copy()
        right[4] = _FIRST_BIT
        return left, right
    left = key.copy()
    left[8], left[9] = _next_position(key)
    return left, _on_right_path(key)
