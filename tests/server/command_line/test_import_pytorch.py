"""``relay-lsp import`` of PyTorch's programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.server.command_line.program import run
from tests.frontends.pytorch.programs import exported, scripted, torch

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")


@pytest.mark.parametrize("suffix", ["pt2", "pt"])
def test_a_program_becomes_a_text(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module, x = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()), torch.ones(2, 4)
    path = tmp_path / f"net.{suffix}"
    path.write_bytes(exported(module, x) if suffix == "pt2" else scripted(module, x))
    shape = [] if suffix == "pt2" else ["--shape", "input=2,4"]
    written, params = tmp_path / "net.relay", tmp_path / "net.npz"
    assert run(["import", str(path), "-o", str(written), "--params", str(params), "--verify", *shape]) == 0
    assert "verified: 1 output compared: they agree" in capsys.readouterr().err
    text = written.read_text()
    assert text.splitlines()[1].startswith(f"/* from net.{suffix} (pytorch), sha256 ")
    assert "span=0:0:0" in text
    parsed = ir.parse(text)
    assert not parsed.diagnostics
    with np.load(params) as stored:
        assert set(stored) == {"v0_weight", "v0_bias"}


def test_a_dtype_that_the_program_does_not_declare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.pt"
    path.write_bytes(scripted(torch.nn.Embedding(5, 2), torch.tensor([1, 3])))
    given = ["import", str(path), "--shape", "input=2", "--without-weights"]
    assert run([*given, "--dtype", "input=int64", "--verify"]) == 0
    output, messages = capsys.readouterr()
    assert "%input: Tensor[(2), int64]" in output
    assert "verified: 1 output compared: they agree" in messages
    assert run([*given, "--dtype", "input=integer"]) == 2
    assert "--dtype takes NAME=int64" in capsys.readouterr().err
    assert run([*given, "--dtype", "y=int64"]) == 2
    assert "a dtype is given for y, and the inputs are input" in capsys.readouterr().err


def test_a_shape_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.pt"
    path.write_bytes(scripted(torch.nn.ReLU(), torch.ones(2)))
    assert run(["import", str(path)]) == 2
    assert "--shape input=1,3,224,224" in capsys.readouterr().err


class Doubled(torch.nn.Module):
    def forward(self, x):
        rows = torch.jit.annotate(list[torch.Tensor], [])
        while bool(x.sum() < 100.0):
            rows.append(x)
            x = x * 2.0
        return rows, x


def test_the_elements_of_a_list_are_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, written = tmp_path / "net.pt", tmp_path / "net.relay"
    path.write_bytes(scripted(Doubled()))
    # The random numbers of this seed are positive in sum, so that the loop ends.
    given = ["import", str(path), "--shape", "x=2,3", "--verify", "--seed", "0", "-o", str(written)]
    assert run(given) == 0
    assert "outputs compared: they agree" in capsys.readouterr().err
    assert run(["check", str(written)]) == 0
    assert "nothing wrong" in capsys.readouterr().out
