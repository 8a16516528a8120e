"""The house: which folder may import which, and how names are chosen (``docs/architecture.md``)."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("ir", "passes", "frontends", "compat", "server")
BELOW = {
    "ir": (),
    "passes": ("ir",),
    "frontends": ("ir",),
    "compat": ("ir", "passes", "frontends"),
    "server": ("ir", "passes", "frontends"),
}
"""The folders that each folder may import besides itself."""

FLAT_MODULES = {"ir": 22, "passes": 26, "server": 8, "server/features": 8}
"""How many modules may lie directly in a folder; what is more belongs into a family's sub-package."""

RETIRED_NAMES = {
    "Survey", "WholeText", "WholeFunction", "NotPlain", "StatementState", "DoubtfulState", "StatementContext",
    "Stretch", "RecentMap", "Remembered", "strays", "surroundings", "arrivals", "users_operators",
    "found", "told", "meant", "faulty", "stray", "survey", "remembered",
}  # fmt: skip
"""Names that the field's words have replaced; ``docs/design/0001-the-house.md`` has the table.

Those of the last line say nothing of what a variable holds: ``definition``, ``diagnostics`` or ``match`` do.
"""

FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


class Import(NamedTuple):
    """One module that a file imports: its parts below ``relay_lsp``, or those of a foreign one."""

    path: Path
    line: int
    is_relative: bool
    is_own: bool
    target: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {'.'.join(self.target)}"


def _imports(path: Path) -> Iterator[Import]:
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = tuple(alias.name.split("."))
                is_own = parts[0] == "relay_lsp"
                yield Import(path, node.lineno, False, is_own, parts[1:] if is_own else parts)
        elif isinstance(node, ast.ImportFrom):
            parts = tuple(node.module.split(".")) if node.module else ()
            is_own = bool(node.level) or parts[:1] == ("relay_lsp",)
            if node.level:
                parts = (*package[: len(package) - (node.level - 1)], *parts)
            elif is_own:
                parts = parts[1:]
            if len(parts) < 2 and is_own:  # from .. import module
                for alias in node.names:
                    yield Import(path, node.lineno, bool(node.level), is_own, (*parts, alias.name))
            else:
                yield Import(path, node.lineno, bool(node.level), is_own, parts)


IMPORTS = [each for path in FILES for each in _imports(path)]


def _is_entry(path: Path, line: int) -> bool:
    """Whether a line runs only where the file is started as a program, which must name itself by its import name."""
    before = path.read_text(encoding="utf-8").splitlines()[:line]
    return any(text.startswith('if __name__ == "__main__":') for text in before)


def _folder(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def _room(parts: tuple[str, ...]) -> str:
    return "/".join(parts[:2])


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_between_folders_point_down(folder: str):
    wrong = [
        str(each)
        for each in IMPORTS
        if _folder(each.path) == folder and each.is_own and each.target[0] in FOLDERS
        if each.target[0] not in (folder, *BELOW[folder])
    ]
    assert not wrong, "\n".join(wrong)


def test_imports_are_absolute_across_folders_and_relative_inside():
    wrong = [
        str(each)
        for each in IMPORTS
        if each.is_own and not _is_entry(each.path, each.line)
        if each.is_relative != (each.target[0] == _folder(each.path))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_two_rooms_of_a_folder_import_each_other(folder: str):
    arrows: dict[str, set[str]] = defaultdict(set)
    for each in IMPORTS:
        room = _room(each.path.relative_to(ROOT).with_suffix("").parts)
        if each.is_own and each.target[0] == folder == _folder(each.path) and len(each.target) > 1:
            target = _room(each.target)
            if target != room and not room.endswith("__init__"):
                arrows[room].add(target)
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' <- '.join(error.args[1])}")


@pytest.mark.parametrize(("library", "rooms"), [
    ("lark", ("ir/syntax",)),
    ("pygls", ("server/lsp", "server/handlers", "server/serving")),
    ("onnx", ("frontends/onnx",)),
    ("torch", ("frontends/pytorch",)),
    ("tflite", ("frontends/tflite",)),
])  # fmt: skip
def test_a_library_stays_in_its_room(library: str, rooms: tuple[str, ...]):
    wrong = [
        str(each)
        for each in IMPORTS
        if not each.is_own and each.target[0] == library
        if not each.path.relative_to(ROOT).as_posix().startswith(rooms)
    ]
    assert not wrong, "\n".join(wrong)


def test_features_know_nothing_of_the_protocol():
    wrong = [
        str(each)
        for each in IMPORTS
        if each.path.is_relative_to(ROOT / "server" / "features") and each.target[0] in ("pygls", "lsprotocol")
    ]
    assert not wrong, "\n".join(wrong)


def test_a_public_class_name_stands_once():
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_two_modules_of_a_folder_differ_by_more_than_an_s():
    names = {path.with_suffix("") for path in FILES}
    assert [str(name) for name in names if name.with_name(name.name + "s") in names] == []


@pytest.mark.parametrize("folder", FLAT_MODULES)
def test_families_have_folders(folder: str):
    assert len(list((ROOT / folder).glob("*.py"))) <= FLAT_MODULES[folder]


def test_retired_names_do_not_come_back():
    wrong: list[str] = []
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            names = {getattr(node, field, None) for field in ("name", "attr", "id", "arg", "asname")}
            for name in names & RETIRED_NAMES:
                wrong.append(f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}: {name}")
    assert not wrong, "\n".join(wrong)


def test_every_folder_is_typed():
    for folder in FOLDERS:
        assert (ROOT / folder / "py.typed").exists()
