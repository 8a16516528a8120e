"""The text of a large model is written piece by piece, so that its weights are in memory once and never as text."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

pytest.importorskip("onnx")

from relay_lsp import ir
from relay_lsp.frontends.imported import ImportedModel
from relay_lsp.frontends.model_text import model_text, model_text_pieces
from relay_lsp.frontends.onnx import read_onnx
from relay_lsp.ir.expressions import Constant
from relay_lsp.ir.visitor import post_order
from tests.frontends.onnx.models import model, node

WEIGHTS = np.random.default_rng(0).standard_normal((1024, 2048)).astype("float32")


def imported_sum() -> ImportedModel:
    made = model([node("Add", "x w")], {"x": ("float32", WEIGHTS.shape)}, constants={"w": WEIGHTS})
    return read_onnx(made.SerializeToString())


def test_the_pieces_are_the_text_and_it_reads_back() -> None:
    imported = imported_sum()
    text, _ = model_text(imported)
    assert "".join(model_text_pieces(imported)[0]) == text
    assert text.splitlines()[1].startswith("/* from a model (onnx), sha256 ")
    constants = [expr for expr in post_order(ir.parse(text).module["main"]) if isinstance(expr, Constant)]
    np.testing.assert_array_equal(constants[0].data, WEIGHTS)


def test_writing_the_text_takes_a_fraction_of_the_weights() -> None:
    pieces, _ = model_text_pieces(imported_sum())
    tracemalloc.start()
    try:
        written = sum(map(len, pieces))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert written > 4 * WEIGHTS.nbytes / 3
    assert peak < WEIGHTS.nbytes / 4
