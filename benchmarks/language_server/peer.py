"""The peer beside us: ``mlir-lsp-server``, on chains of as many operations as ours have statements.

It comes with LLVM (Debian: ``mlir-22-tools``). It takes whole documents, so an edit sends the text again.
"""

from __future__ import annotations

import shutil
from functools import partial
from typing import Any

from ..client import Client
from .targets import Dialect, Target

__all__ = ["MLIR", "RECORDED", "peer", "peer_command"]

RECORDED = """mlir-lsp-server is not here (name it with --peer).
Recorded on a quiet machine, version 22.1.8, p50/p95 in ms:

| operations | open to diagnostics | edit to diagnostics | hover | memory |
| --- | --- | --- | --- | --- |
| 1,000 | 11/12 | 8.4/9.6 | 0.2 | 96 MB |
| 10,000 | 99/106 | 52/82 | 0.3/0.6 | 113 MB |
| 100,000 | 1168/1193 | 729/937 | 2/5 | 329 MB |"""

_TYPE = "tensor<1x16x32x32xf32>"
_OPERATION = f"  %{{number}} = {{operator}} {{operand}}, %x : {_TYPE}"


def _function(operations: list[str], result: str) -> str:
    head = f"func.func @main(%x: {_TYPE}) -> {_TYPE} {{"
    return "\n".join([head, *operations, f"  return {result} : {_TYPE}", "}", ""])


def _operation(number: int, operand: str) -> str:
    return _OPERATION.format(number=number, operator="arith.addf", operand=operand)


def _chain(operations: int) -> str:
    made = [_operation(number, f"%{number - 1}" if number else "%x") for number in range(operations)]
    return _function(made, f"%{operations - 1}")


def _shared_value(uses: int) -> str:
    made = ["  // the value that all others use", _operation(0, "%x")]
    made += [_operation(number, "%0") for number in range(1, uses + 1)]
    return _function(made, f"%{uses}")


MLIR = Dialect(
    chain=_chain,
    shared_value=_shared_value,
    first_line=1,
    period=1,
    position=0,
    operator="arith.addf",
    operation=_OPERATION,
    end="\n",
    parameter="%x",
    opened_comment=None,
)


class _WholeTextClient(Client):
    """A client that sends the whole text after each edit, as the peer asks for."""

    def _opening(self, text: str) -> dict[str, Any]:
        self._lines = text.split("\n")
        return super()._opening(text)

    def change(self, *changes: tuple[int, int, int, int, str]) -> float:
        """Send the text after each of these changes; gives when they had left."""
        messages: list[dict[str, Any]] = []
        for line, character, end_line, end_character, text in changes:
            self.version += 1
            new = self._lines[line][:character] + text + self._lines[end_line][end_character:]
            self._lines[line : end_line + 1] = new.split("\n")
            params = {
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": [{"text": "\n".join(self._lines)}],
            }
            messages.append({"method": "textDocument/didChange", "params": params})
        return self.send(*messages)


def peer_command() -> str | None:
    """The command of the peer, where it is installed."""
    return shutil.which("mlir-lsp-server") or shutil.which("mlir-lsp-server-22")


def peer(command: str) -> Target:
    """The peer as a target of the measurements."""
    start = partial(_WholeTextClient, [command, "--log=error"], uri="file:///benchmark/model.mlir", language="mlir")
    return Target(MLIR, start)
