"""``./dev conformance``: what it measures, and when it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from . import records, sampling
from .__main__ import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two records, one of which cannot be met."""
    (tmp_path / "ops.json").write_text("{}")
    met, broken = list(records.load("parse"))[:2]
    broken["canonical"] = "no canonical text"
    sampling.write(tmp_path / f"parse{records.SUFFIX}", [json.dumps(record) + "\n" for record in (met, broken)])
    return tmp_path


def test_any_folder_of_records_is_measured(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["parse", "--records", str(folder)]) == 1
    output = capsys.readouterr().out
    assert "+++ actual" in output
    assert output.splitlines()[output.splitlines().index("") + 2].split()[:4] == ["parse", "1", "2", "0"]


def test_one_record_by_its_id(folder: Path, capsys: pytest.CaptureFixture[str]):
    first = next(records.load("parse", folder))
    assert main(["parse", "--records", str(folder), "--id", first["id"]]) == 0


def test_a_comparison_fails_where_the_readme_states_more(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["parse", "--records", str(folder), "--compare"]) == 1
    assert "parse: 2 records, where the README states" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "unknown kind nonsense; there are parse,"),
        (["--records", "nowhere"], "nowhere is no folder of records: there is no ops.json in it"),
        (["--sample", "nowhere", "there"], "nowhere is no folder of records"),
        (["--write", "--limit", "3"], "--write measures whole kinds; choose no records among them"),
    ],
)
def test_what_cannot_be_measured(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
