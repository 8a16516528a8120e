"""``relay-lsp replay``: meet the fault of a crash report again, in a server of this version.

Of users' passes a report has the names alone: their code is what the user names, here and now.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..lsp.methods import PREVIEW
from .problems import EXIT_FOUND, EXIT_OK, CommandError

if TYPE_CHECKING:
    from ..crash_reports import CrashReport

__all__ = ["add_replay", "replay"]

_SECONDS = 60.0
"""How long the answer is waited for."""

_REQUEST = 2
_INTERNAL_ERROR = -32603


def add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Add the command."""
    words = "meet the internal error of a crash report again"
    parser = commands.add_parser(
        "replay",
        help=words,
        description="Open the text of a crash report in a server of this version, send its request, and say whether\n"
        "the internal error shows again (exit code 1) or not (0). Reports lie beside the history, in reports/; the\n"
        "server's log names each. Nothing of a report is run as code; for one of passes of your own, name their file.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("report", metavar="REPORT", help="the file")
    parser.add_argument(
        "--share",
        metavar="FILE",
        help="write a copy whose strings, comments and values of constants are left out, and replay that",
    )
    parser.add_argument(
        "--extension",
        dest="own",  # loaded by the worker of the server, not here
        action="append",
        default=[],
        metavar="FILE|PACKAGE",
        help="a Python file (….py) or an installed package with the passes of your own that failed; its code is run",
    )
    parser.set_defaults(command=replay)


def replay(options: argparse.Namespace) -> int:
    """Replay a report; 1 where the fault shows again."""
    import asyncio

    from ..crash_reports import read_report, without_secrets

    if options.report == "-":
        raise CommandError("a report is read from a file, and not from standard input")
    try:
        report = read_report(Path(options.report))
    except (OSError, ValueError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise CommandError(f"{options.report} cannot be replayed: {reason}") from None
    own = _own_passes(report, options.own)
    if options.share:
        report = without_secrets(report)
        _write(Path(options.share), report)
    print(f"{report.method}: {report.error}")
    for place in report.stack[-5:]:
        print(f"  {place}")
    print(f"reported with {', '.join(f'{name} {version}' for name, version in report.versions.items())}")
    answer = asyncio.run(_answer(report, own))
    fault = _fault_in(report.method, answer)
    print(f"again: {fault}" if fault else "the internal error does not show with this version")
    return EXIT_FOUND if fault else EXIT_OK


def _own_passes(report: CrashReport, named: Sequence[str]) -> list[str]:
    """What was named of users' passes, by the whole path of a file.

    Raises:
        CommandError: the report needs another one, or there is no such file.
    """
    given = {Path(name).name for name in named}
    missing = [name for name in report.extensions if name not in given]
    if missing:
        options = " ".join(f"--extension {name}" for name in missing)
        raise CommandError(f"the passes of {', '.join(missing)} were there: add {options}, with the path of a file")
    for name in named:
        if name.endswith(".py") and not Path(name).is_file():
            raise CommandError(f"there is no file {name}")
    return [str(Path(name).resolve()) if name.endswith(".py") else name for name in named]


def _write(path: Path, report: CrashReport) -> None:
    import msgspec

    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1))
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from None
    print(f"{path} is for sharing: look through it first", file=sys.stderr)


class _Answers:
    """A writer that keeps what the server answers."""

    def __init__(self) -> None:
        self.messages: dict[Any, dict[str, Any]] = {}

    def write(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        if "method" not in message:
            self.messages[message.get("id")] = message

    def close(self) -> None:
        """There is nothing to close."""


async def _answer(report: CrashReport, own: Sequence[str]) -> dict[str, Any]:
    """What a server answers to the request of a report, with users' ``own`` passes in its worker."""
    import asyncio

    from ..crash_reports import MODEL_URI
    from ..serving.application import create_server

    server = create_server(trusted=bool(own))
    server.state.may_write = False
    answers = _Answers()
    server.protocol.set_writer(answers)
    opened = {"uri": MODEL_URI, "languageId": "relay", "version": 1, "text": report.text}
    capabilities: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
    initial: dict[str, Any] = {"capabilities": capabilities, "processId": None, "rootUri": None}
    options = {**report.settings, "extensions": list(own), "history": {"enabled": False}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {**initial, "initializationOptions": options}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": opened}},
        {"id": _REQUEST, "method": report.method, "params": report.params},
    ]
    try:
        for message in messages:
            server.protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())
        end = asyncio.get_running_loop().time() + _SECONDS
        while _REQUEST not in answers.messages and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.01)
        return answers.messages.get(_REQUEST, {})
    finally:
        server.has_left = True
        server.abandon_background()
        server.state.shut_down()


def _fault_in(method: str, answer: dict[str, Any]) -> str:
    """The internal error that an answer tells of; empty where there is none."""
    if not answer:
        return "no answer came"
    error = answer.get("error")
    if error is not None:
        is_fault = method == PREVIEW or error.get("code") == _INTERNAL_ERROR
        return str(error.get("message", error)) if is_fault else ""
    result: object = answer.get("result")
    fields = cast("dict[str, Any]", result) if isinstance(result, dict) else {}
    items: list[dict[str, Any]] = fields.get("diagnostics" if method == PREVIEW else "items") or []
    codes = ("internal-error", "pass-failed")
    return next((str(item["message"]) for item in items if item.get("code") in codes), "")
