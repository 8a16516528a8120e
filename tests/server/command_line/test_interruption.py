"""Ctrl-C leaves files as they were, whatever the program is doing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal for one process")
@pytest.mark.parametrize("seconds", [0.6, 1.0, 1.6])
def test_ctrl_c_leaves_the_file_as_it_was(tmp_path: Path, seconds: float) -> None:
    lines = "".join(f"  %{i} = nn.relu(%{i - 1 if i else 'x'});\n" for i in range(20_000))
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{lines}  %19999\n}}\n'
    model = tmp_path / "model.relay"
    model.write_text(text)
    command = [sys.executable, "-m", "relay_lsp.server", "opt", "-i", "-p", "FuseOps", str(model)]
    # A shell's program in the background has Ctrl-C ignored, and so have all that it starts.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    program = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    time.sleep(seconds)
    assert program.poll() is None
    program.send_signal(signal.SIGINT)
    _, error = program.communicate(timeout=60)
    assert program.returncode in (130, -signal.SIGINT)  # before our first line it is Python that ends
    assert "Traceback" not in error or program.returncode == -signal.SIGINT
    assert model.read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["model.relay"]
