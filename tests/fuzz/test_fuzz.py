"""Every target on a few hundred inputs, the same ones each time, and on some that hypothesis thinks of."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import mutated, seeds
from tests.fuzz.targets import TARGETS

_INPUTS = {
    "text": 40,
    "edits": 15,
    "features": 15,
    "metadata": 200,
    "messages": 8,
    "history": 5,
    "passes": 12,
    "onnx": 25,
    "pytorch": 25,
    "tflite": 40,
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_what_looks_like_relay_nearly(name: str) -> None:
    if name == "pytorch":
        pytest.importorskip("torch")
    generator, texts = random.Random(name), seeds()
    for _ in range(_INPUTS[name]):
        TARGETS[name](mutated(generator, texts))


@pytest.mark.parametrize("name", ["text", "metadata"])
@settings(max_examples=25)
@given(st.text(max_size=200))
def test_a_target_takes_any_text(name: str, any_text: str) -> None:
    TARGETS[name](any_text)
    TARGETS[name](f'#[version = "0.0.5"]\ndef @main(%x: float32) {{ {any_text} }}')
