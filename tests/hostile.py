"""A folder full of Python files with the names of modules that our processes import, each of which leaves a mark.

The names are those of the standard library, of our dependencies, of ours, and of what Python runs when it starts.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import packages_distributions
from pathlib import Path

__all__ = ["HostileFolder"]

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x);
  %1 = nn.relu(%x);
  add(%0, %1)
}
"""

_EXTENSION = '''import beside
import at_the_root
import queue
import random

import numpy
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes import FunctionPass, declare_pass
from relay_lsp.passes.provenance import ExprMutator

queue.Queue, random.Random, numpy.zeros(2)


@declare_pass(opt_level=1)
class ReplaceRelu(FunctionPass):
    """Put another operator in the place of relu."""

    def transform_function(self, function, module, context):
        import beside_too

        return _Replacer().visit_function(function)


class _Replacer(ExprMutator):
    def rewrite_call(self, pre, post):
        return apply(beside.OPERATOR, *post.args) if post.op is operator.get("nn.relu") else post
'''

_OWN = ("__init__", "ir/__init__", "passes/__init__", "server/__init__", "server/__main__", "server/worker_process")
_AT_START = ("sitecustomize", "usercustomize")


class HostileFolder:
    """A workspace: a model, an extension with modules beside it and at the root, and files that leave marks."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.marks = folder / "marks"
        """Where a file that is imported leaves a mark."""
        self.marks.mkdir(parents=True)
        self.model = self.write("model.relay", MODEL)
        self.extension = self.write("tools/mine.py", _EXTENSION)
        self.write("tools/beside.py", 'OPERATOR = "tanh"\n')
        self.write("tools/beside_too.py", "")
        self.write("at_the_root.py", "")
        modules = {*sys.stdlib_module_names, *packages_distributions(), *_AT_START} - {"relay_lsp"}
        modules -= set(sys.builtin_module_names)
        for name in modules:
            if name.isidentifier():
                for place in ("", "tools/", "vendored/"):
                    self._trap(f"{place}{name}")
        for name in _OWN:
            self._trap(f"relay_lsp/{name}")

    @property
    def imported(self) -> list[str]:
        """The files that have left a mark."""
        return sorted(mark.name.replace("+", "/") for mark in self.marks.iterdir())

    def write(self, name: str, text: str) -> Path:
        """Write a file of the workspace."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def _trap(self, name: str) -> None:
        mark = self.marks / name.replace("/", "+")
        self.write(f"{name}.py", f"import _io; _io.FileIO({str(mark)!r}, 'w').close()\n")

    def leave_to_python(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Remove the modules that Python itself imports when it is started like this, before any program runs.

        ``command`` is a program that does nothing. What Python imports next is seen only once these are removed.
        """
        for name in _OWN:
            (self.root / f"relay_lsp/{name}.py").unlink()
        while True:
            subprocess.run(command, cwd=self.root, env=dict(environment), capture_output=True, check=False)
            marks = list(self.marks.iterdir())
            if not marks:
                return
            for mark in marks:
                mark.unlink()
                (self.root / f"{mark.name.replace('+', '/')}.py").unlink()
