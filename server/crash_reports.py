"""What a fault, of ours or of a user's pass, needs to be looked into, in one file: text, request, versions and stack.

Paths and addresses are left out: the document is called ``model.relay``, and places in the stack are those inside of
packages. The text is whole, or else the fault may not show again; :func:`without_secrets` leaves out of it what names
and values say.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from relay_lsp.ir.internal_errors import Fault

__all__ = ["MODEL_URI", "CrashReport", "crash_report", "document_of", "read_report", "without_secrets", "write_report"]

MODEL_URI: Final = "file:///model.relay"
"""What the document is called in a report."""

_FORMAT: Final = 1
_MOST_KEPT: Final = 20
"""Reports in a folder; the oldest goes."""
_MOST_BYTES: Final = 64 << 20

_PACKAGES: Final = ("relay-lsp", "lsprotocol", "ml_dtypes", "msgspec", "numpy", "pygls", "rapidfuzz")
_PATH: Final = re.compile(r"(?:file:/)?(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][^\s\\/'\":,;]+){2,}")
_SECRETS: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
_SPAN: Final = re.compile(r"(?<=span=)\S+")
_KEPT_COMMENT: Final = re.compile(r"/\* ty=[^*]*\*/")


class CrashReport(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A fault, and what it takes to meet it again.

    ``params`` are those of the request, as they were sent; ``settings`` those of the context that passes run in;
    ``extensions`` the names of the files, and packages, of users' passes that were there.
    """

    format: int = _FORMAT
    reference: str
    versions: dict[str, str]
    method: str
    params: Any
    text: str
    error: str
    stack: list[str]
    settings: dict[str, Any] = {}
    extensions: list[str] = []


def crash_report(
    fault: Fault,
    method: str,
    params: Any,
    text: str,
    settings: Mapping[str, object] | None = None,
    extensions: Sequence[str] = (),
) -> CrashReport:
    """The report of a fault, without paths and addresses."""
    uri = document_of(params)
    return CrashReport(
        reference=fault.reference,
        versions=_versions(),
        method=method,
        params=_without_addresses(params, uri),
        text=text,
        error=_PATH.sub("…", fault.words),
        stack=[_inside(place) for place in fault.stack],
        settings=_without_addresses(dict(settings or {}), uri),
        extensions=list(extensions),
    )


def write_report(folder: Path, report: CrashReport) -> Path | None:
    """Write a report that only its owner reads; ``None`` where there is one of this fault, or it cannot be written."""
    path = folder / f"crash-{report.reference}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(report), indent=1))
        kept = sorted(folder.glob("crash-*.json"), key=lambda each: each.stat().st_mtime)
        for old in kept[:-_MOST_KEPT]:
            old.unlink(missing_ok=True)
    except (OSError, ValueError):
        return None
    return path


def read_report(path: Path) -> CrashReport:
    """The report in a file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no report, or one of a newer version.
    """
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError("it is too large for a report")
    try:
        report = msgspec.json.decode(path.read_bytes(), type=CrashReport)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"it is no crash report: {error}") from None
    if report.format > _FORMAT:
        raise ValueError("it is of a newer version of relay-lsp")
    return report


def without_secrets(report: CrashReport) -> CrashReport:
    """The report without what strings, comments and the values in the metadata say.

    They are replaced by as many other characters, so that every place in the text stays where it is.
    """
    text, mark, metadata_text = report.text.partition("#[metadata]")
    text = _SECRETS.sub(_blanked, text)
    values = re.compile(r'("b64ndarrays"\s*:\s*\[)(.*?)(\])', re.DOTALL)
    metadata_text = values.sub(lambda part: part[1] + re.sub(r"[A-Za-z0-9+/]", "A", part[2]) + part[3], metadata_text)
    return msgspec.structs.replace(report, text=text + mark + metadata_text, error=report.error.partition(":")[0])


def _blanked(secret: re.Match[str]) -> str:
    written = secret[0]
    if _KEPT_COMMENT.fullmatch(written):
        # A type says nothing of whose model it is, and a fault may be about it.
        return _SPAN.sub(lambda span: "x" * len(span[0]), written)
    opening = 2 if written.startswith("/") else 1
    closing = len(written) - (0 if written.startswith("//") else opening)
    return written[:opening] + re.sub(r"[^\s\\]", "x", written[opening:closing]).replace("\\", "x") + written[closing:]


def _versions() -> dict[str, str]:
    from importlib import metadata  # loads a mail parser, which no start of a server needs to wait for

    versions = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def document_of(params: object) -> str:
    """The address of the document that the parameters of a request are about; empty where there is none."""
    if not isinstance(params, dict):
        return ""
    given = cast("dict[str, Any]", params)
    arguments = given.get("arguments")
    if isinstance(arguments, list) and arguments and isinstance(arguments[0], dict):
        given = cast("dict[str, Any]", arguments[0])  # of a command
    document: object = given.get("textDocument", given)
    return str(cast("dict[str, Any]", document).get("uri", "")) if isinstance(document, dict) else ""


def _without_addresses(value: Any, uri: str) -> Any:
    """Plain data in which each address of a file is that of the document, or of none that there is."""
    if isinstance(value, dict):
        return {key: _without_addresses(each, uri) for key, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_without_addresses(each, uri) for each in cast("list[Any]", value)]
    if isinstance(value, str):
        if value and value == uri:
            return MODEL_URI
        return "file:///elsewhere" if ":/" in value else _PATH.sub("…", value)
    return value


def _inside(place: str) -> str:
    """A place of a stack, its path from its package on."""
    parts = Path(place).parts
    for mark in ("site-packages", ".links"):
        if mark in parts:
            return "/".join(parts[len(parts) - parts[::-1].index(mark) :])
    for mark in (f"python{sys.version_info[0]}.{sys.version_info[1]}", "relay_lsp"):
        if mark in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index(mark) :])
    return parts[-1] if parts else place
