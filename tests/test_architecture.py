"""The house: imports point one way, and what belongs to one room stays there (DESIGN.md, *The house*)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("ir", "passes", "frontends", "server")
BELOW = {"ir": {"ir"}, "passes": {"ir", "passes"}, "frontends": {"ir", "frontends"}}
BELOW["server"] = set(ROOMS)
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def imported_modules(path: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file imports, by its absolute dotted name below the project, with the line."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                yield node.module or "", node.lineno
                continue
            base = package[: len(package) - (node.level - 1)]
            if node.module:
                yield ".".join((*base, node.module)), node.lineno
            else:
                for alias in node.names:
                    yield ".".join((*base, alias.name)), node.lineno


def _is_entry(path: Path, line: int) -> bool:
    """Whether a line runs only where the file is started as a program, which must name itself by its import name."""
    before = path.read_text(encoding="utf-8").splitlines()[:line]
    return any(text.startswith('if __name__ == "__main__":') for text in before)


def wrong_arrows(path: Path) -> list[str]:
    relative = path.relative_to(ROOT)
    room = relative.parts[0]
    found: list[str] = []
    for module, line in imported_modules(path):
        parts = module.split(".")
        target = parts[1] if parts[0] == "relay_lsp" and len(parts) > 1 else parts[0]
        place = f"{relative}:{line}: {module}"
        if target in ROOMS and target not in BELOW[room]:
            found.append(f"{place}: {room} may not import {target}")
        if parts[0] == "relay_lsp" and room != "frontends" and not _is_entry(path, line):
            found.append(f"{place}: imports between the folders are relative")
        if target == "lark" and relative.parts[:2] != ("ir", "syntax"):
            found.append(f"{place}: lark belongs to ir/syntax")
        if target in ("pygls", "lsprotocol") and (room != "server" or "features" in relative.parts):
            found.append(f"{place}: LSP types belong to the outermost level of server")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room: str):
    wrong = [arrow for path in FILES if path.relative_to(ROOT).parts[0] == room for arrow in wrong_arrows(path)]
    assert not wrong, "\n".join(wrong)


def test_every_room_is_typed():
    for room in ROOMS:
        assert (ROOT / room / "py.typed").exists()
