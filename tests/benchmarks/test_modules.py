"""The benchmarks run rarely, and what they measure is renamed often: each module of theirs can be imported."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.layer_answers import layer_answers

ROOT = Path(__file__).resolve().parents[2]

MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in sorted((ROOT / "benchmarks").rglob("*.py"))
]


@pytest.mark.parametrize("name", MODULES)
def test_a_benchmark_finds_what_it_imports(name: str):
    import_module(name)


@pytest.fixture
def thresholds_of_gc() -> Iterator[None]:
    """Put back what a benchmark changes of the garbage collector."""
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()


@pytest.mark.usefixtures("thresholds_of_gc")
def test_what_an_editor_asks_of_layers_can_be_measured():
    rows = list(layer_answers(200, repeat=2))
    assert all(isinstance(time, float) for *_, median, p95 in rows for time in (median, p95))
    assert {source for _, source, *_ in rows} == {"comments", "the history", "fused functions"}
