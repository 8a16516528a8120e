"""A sample keeps every trait of the records that it is chosen from, and the sample here has what the tests live on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from . import records, sampling
from .cases import KINDS, cases
from .records import SAMPLE, SUFFIX

TRAITS_OF_THE_LANGUAGE = {"data type", "match", "closure", "let", "if", "reference", "metadata", "generic function"}


def record(text: str, **fields: object) -> str:
    return json.dumps({"id": "", "origin": "test_a.py::test_one[1]", "module": text, **fields})


def test_a_record_without_a_trait_of_its_own_is_left_out():
    lines = [record("nn.relu(%x) # twice"), record("nn.relu(%x)"), record("nn.relu(%x); nn.dense(%x)")]
    assert sampling.choose(lines, {"nn.relu", "nn.dense"}) == lines[1:]


@pytest.mark.parametrize(
    "other",
    [
        record("nn.dense(%x, %y)"),
        record("let %y = nn.relu(%x); %y"),
        record("nn.relu(%x)", origin="test_a.py::test_two"),
        record("nn.relu(%x)", args={"fold_qnn": True}),
        record("nn.relu(%x)", error="TVMError: no"),
        record("nn.relu(%x) /* ty=float16 */"),
    ],
    ids=["operator", "construct", "origin", "options", "error", "dtype"],
)
def test_what_counts_as_a_trait(other: str):
    lines = [record("nn.relu(%x)"), other]
    assert sampling.choose(lines, {"nn.relu", "nn.dense"}) == lines


def test_a_large_file_is_sampled_and_a_small_one_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sampling, "KEPT_WHOLE", 200)
    for name in ("ops.json", "passes.json", "instruments.txt"):
        shutil.copyfile(SAMPLE / name, tmp_path / name)
    sampling.write(tmp_path / f"small{SUFFIX}", [record("nn.relu(%x)") + "\n"] * 2)
    sampling.write(tmp_path / f"large{SUFFIX}", [record(f"nn.relu(%x{n})") + "\n" for n in range(1000)])
    for _ in range(2):
        sampling.sample(tmp_path, tmp_path / "sample")
        assert len(list(records.load("small", tmp_path / "sample"))) == 2
        assert [kept["module"] for kept in records.load("large", tmp_path / "sample")] == ["nn.relu(%x0)"]
    assert (tmp_path / "sample" / "ops.json").is_file()


def test_writing_twice_gives_the_same_bytes(tmp_path: Path):
    for name in ("one", "two"):
        sampling.write(tmp_path / name, ["a\n", "b\n"])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_sample_has_every_kind():
    assert [kind for kind in KINDS if next(cases(kind), None) is None] == []


def test_the_sample_has_every_family_of_operators_and_every_construct():
    operators = records.operators()
    shown = {trait[1:] for case in cases("round_trip") for trait in sampling.traits(case.record, operators.keys())}
    families = {trait[1] for trait in shown if trait[0] == "family"}
    no_test_of_tvm_has = {"contrib.ethosu", "nn.internal", "parser", "relay.op.annotation"}
    assert {name.rpartition(".")[0] for name in operators} - families == no_test_of_tvm_has
    assert {trait[1] for trait in shown if trait[0] == "construct"} >= TRAITS_OF_THE_LANGUAGE


def test_the_sample_has_every_pass_of_the_records():
    kinds = ("passes", "infer", "cross", "cross2", "errors", "cross2_errors")
    assert len({case.record["pass"] for kind in kinds for case in cases(kind)}) == 57


def test_the_sample_stays_small():
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.suffix != ".pyc") < 3_000_000
