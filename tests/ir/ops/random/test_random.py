"""Random numbers are functions of their key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Value = Callable[..., Any]

KEY = np.array([1, 0, 0, 0, 0, 0, 0, 0, 1 << 63, 0], np.uint64)


def test_the_first_words_of_a_key_are_those_of_the_reference(value: Value) -> None:
    key, words = value("random.threefry_generate(%k, out_shape=[2, 2])", k=KEY)
    assert words.reshape(-1).tolist() == [
        17177944308465414780,
        3733049263667422849,
        17198659010121151173,
        5672677121325786426,
    ]
    assert key.tolist() == [1, 0, 0, 0, 0, 0, 0, 4, 1 << 63, 0]


def test_the_next_key_goes_on_with_the_stream(value: Value) -> None:
    _, whole = value("random.threefry_generate(%k, out_shape=[3])", k=KEY)
    key, _ = value("random.threefry_generate(%k, out_shape=[4])", k=KEY)
    _, other = value("random.threefry_generate(%k, out_shape=[3])", k=key)
    assert set(whole.tolist()).isdisjoint(other.tolist())


def test_a_used_up_counter_moves_on_the_path(value: Value) -> None:
    full = KEY.copy()
    full[7] = np.uint64(2**64 - 3)
    key, _ = value("random.threefry_generate(%k, out_shape=[8])", k=full)
    assert key.tolist() == [1, 0, 0, 0, 1 << 63, 0, 0, 8, 1 << 62, 0]


def test_split_keys_have_streams_of_their_own(value: Value) -> None:
    left, right = value("random.threefry_split(%k)", k=KEY)
    words = [value("random.threefry_generate(%k, out_shape=[4])", k=key)[1].tolist() for key in (KEY, left, right)]
    assert len({tuple(some) for some in words[1:]}) == 2
    assert left.tolist()[8:] == right.tolist()[8:] == [1 << 62, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_numbers_fill_their_interval(value: Value, dtype: str) -> None:
    low, high = np.array(-2, dtype), np.array(3, dtype)
    _, numbers = value(f'random.uniform(%k, %l, %h, out_shape=[10000], out_dtype="{dtype}")', k=KEY, l=low, h=high)
    assert numbers.dtype == dtype
    assert -2 <= numbers.min() < -1.99
    assert 2.99 < numbers.max() < 3
    assert abs(numbers.mean() - 0.5) < 0.05


def test_normal_numbers_have_mean_and_deviation(value: Value) -> None:
    mean, scale = np.float32(10), np.float32(2)
    call = 'random.normal(%k, %m, %s, out_shape=[100, 100], out_dtype="float32")'
    _, numbers = value(call, k=KEY, m=mean, s=scale)
    assert abs(numbers.mean() - 10) < 0.1
    assert abs(numbers.std() - 2) < 0.1


def test_indices_are_drawn_by_their_weights(value: Value) -> None:
    weights = np.array([[1, 0, 3], [-1, 5, 0]], np.float32)
    _, indices = value("random.multinomial(%k, %p, num_samples=2000)", k=KEY, p=weights)
    assert indices.shape == (2, 2000)
    assert abs((indices[0] == 2).mean() - 0.75) < 0.05
    assert (indices[1] == 1).all()
