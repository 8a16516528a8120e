"""The main job on a real model, ResNet-18: check, hover, run passes, and see where everything came from.

Everything here is what an editor or a user of the command line does: ``./dev demo`` sets up and runs it.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.features.hover import hover, render

MODEL = Path(__file__).with_name("resnet18.relay")
COMMAND = Path(sys.executable).with_name("relay-lsp")
PIPELINE = ["--pass", "SimplifyInference", "--pass", "EliminateCommonSubexpr", "--pass", "FuseOps[fuse_opt_level=2]"]


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n\033[1m== {text}\033[0m", flush=True)


def run(*arguments: str, lines: int | None = None) -> str:
    """Run ``relay-lsp`` as a user would, show the first ``lines`` of what it prints, and give all of it."""
    shown = " ".join(argument if " " not in argument else f"'{argument}'" for argument in arguments)
    print(f"$ relay-lsp {shown}", flush=True)
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    all_lines = output.splitlines()
    print("\n".join(line[:160] for line in all_lines[:lines]))
    if lines is not None and len(all_lines) > lines:
        print(f"… ({len(all_lines) - lines} more lines)")
    return output


def main() -> None:
    """Walk through the model."""
    model = str(MODEL)
    text = MODEL.read_text(encoding="utf-8")
    title(f"1. A sound module: {MODEL.name}, {text.count(chr(10))} lines")
    run("check", model)

    title("2. The same with three faults: each at its place, with what would mend it")
    with tempfile.TemporaryDirectory() as folder:
        broken = Path(folder) / "broken.relay"
        faults = (
            ("nn.relu(", "nn.rellu("),
            ("strides=", "stride="),
            ("bn_data_gamma: Tensor[(3)", "bn_data_gamma: Tensor[(5)"),
        )
        damaged = text
        for right, wrong in faults:
            damaged = damaged.replace(right, wrong, 1)
        broken.write_text(damaged, encoding="utf-8")
        run("check", str(broken))

    title("3. Hover over the first convolution")
    snapshot = Snapshot.open(text, MODEL.name)
    content = hover(snapshot, text.index("nn.conv2d"))
    print("\n".join((render(content) if content else "nothing").splitlines()[:24]))

    title("4. A pipeline, step by step, with timings and where each new value came from")
    run("trace", *PIPELINE, model, lines=48)

    title("5. One pass as an edit: what it leaves alone keeps its bytes")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "model.relay"
        copy.write_text(text, encoding="utf-8")
        run("opt", "--pass", "SimplifyInference", "--in-place", str(copy))
        after = copy.read_text(encoding="utf-8")
    changes = [line for line in difflib.ndiff(text.splitlines(), after.splitlines()) if line[:1] in "+-"]
    kept = len(text.splitlines()) - sum(line.startswith("-") for line in changes)
    print(f"{kept} of {len(text.splitlines())} lines are kept as they were; the first that changed:")
    print("\n".join(line[:160] for line in changes[:8]))

    title("What next")
    print("See a whole build side by side: .venv/bin/relay-lsp explore --build O3 examples/resnet18.relay")
    print("Open examples/resnet18.relay in VS Code (./dev vsix) or Neovim (editors/nvim), or read README.md.")


if __name__ == "__main__":
    main()
