"""Packs the plugin: ``python editors/nvim/archive.py --wheel FILE --to FOLDER``, or ``./dev nvim-archive``.

``relay-lsp.nvim-VERSION.tar.gz`` holds one folder, ``relay-lsp.nvim``, as Neovim's packages and plugin managers
want it, with the help's tags and the wheel that ``:RelayInstall`` installs. The same files give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import io
import re
import sys
import tarfile
from pathlib import Path

PLUGIN = Path(__file__).resolve().parent
_FOLDERS = ("doc", "ftdetect", "ftplugin", "lsp", "lua", "plugin", "syntax")
_NAME = "relay-lsp.nvim"
# 1980-01-01, the earliest date that every archiver accepts: what is packed does not tell when.
_DATE = 315532800
_TAG = re.compile(r"(?:^|(?<=[ \t]))\*([^*\s|]+)\*(?=[ \t]|$)", re.MULTILINE)


def version() -> str:
    """The version of the plugin, as ``:checkhealth relay`` tells it.

    Raises ``ValueError`` where ``lua/relay/version.lua`` names none.
    """
    text = (PLUGIN / "lua" / "relay" / "version.lua").read_text("utf-8")
    match = re.search(r"return '([^']+)'", text)
    if match is None:
        raise ValueError("lua/relay/version.lua names no version")
    return match[1]


def help_tags(name: str, text: str) -> str:
    """What ``:helptags`` writes for one page of help, so that ``:help relay`` works without it."""
    tags = sorted({match[1] for match in _TAG.finditer(text)})
    return "".join(f"{tag}\t{name}\t/*{tag}*\n" for tag in tags)


def contents(wheel: Path | None) -> dict[str, bytes]:
    """The files of the archive by their names inside the plugin's folder."""
    files = {
        path.relative_to(PLUGIN).as_posix(): path.read_bytes()
        for folder in _FOLDERS
        for path in (PLUGIN / folder).rglob("*")
        if path.is_file() and path.suffix in (".lua", ".vim", ".txt")
    }
    files["README.md"] = (PLUGIN / "README.md").read_bytes()
    files["LICENSE"] = (PLUGIN.parents[1] / "LICENSE").read_bytes()
    files["doc/tags"] = help_tags("relay.txt", files["doc/relay.txt"].decode()).encode()
    if wheel is not None:
        files[f"server/{wheel.name}"] = wheel.read_bytes()
    return files


def pack(to: Path, wheel: Path | None) -> Path:
    """Write the archive into the folder ``to``, which is made where it is missing; the archive's path.

    Raises ``ValueError`` for a wheel of another version, ``OSError`` where a file cannot be read or written.
    """
    if wheel is not None and not wheel.name.startswith(f"relay_lsp-{version()}-"):
        raise ValueError(f"the plugin is {version()}, which {wheel.name} does not fit")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted(contents(wheel).items()):
            entry = tarfile.TarInfo(f"{_NAME}/{name}")
            entry.size, entry.mtime, entry.mode = len(data), _DATE, 0o644
            archive.addfile(entry, io.BytesIO(data))
    to.mkdir(parents=True, exist_ok=True)
    path = to / f"{_NAME}-{version()}.tar.gz"
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return path


def main() -> int:
    """Pack as the command line says, and print the path. The exit code: 0, or 1 where it could not be done."""
    parser = argparse.ArgumentParser(description="Pack the Neovim plugin.")
    parser.add_argument("--wheel", type=Path, help="the wheel of relay-lsp that :RelayInstall installs")
    parser.add_argument("--to", type=Path, default=Path("dist"), help="the folder for the archive (dist)")
    given = parser.parse_args()
    try:
        print(pack(given.to, given.wheel))
    except (OSError, ValueError) as error:
        print(f"the Neovim plugin could not be packed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
