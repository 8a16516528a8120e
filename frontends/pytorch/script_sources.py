"""What the program in a TorchScript archive says before PyTorch loads it: some of it runs then (``__setstate__``).

PyTorch compiles that program and never gives it to Python. What it can do beyond computing is to write and read files
(``aten::save``, ``aten::from_file``): an archive that names these is refused, and one that hides what it names.

The sources are read by PyTorch's own reader of archives. It finds a file whatever the case of its name, takes the first
of two with one name, has another mind than Python's :mod:`zipfile` of where the table of files is, and looks into the
folder of the first file alone: what another reader finds may not be what is loaded.

Source of the rules: ``caffe2/serialize/inline_container.cc`` (the reader), ``torch/csrc/jit/serialization/import.cpp``
(what is loaded), ``torch/csrc/jit/serialization/import_source.cpp`` (the names that a program has).
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..diagnostics import ImportReport, ModelImportError
from .archive import MOST_PACKED
from .backend import torch

__all__ = ["FILE_OPERATORS", "refuse_file_operators"]

FILE_OPERATORS = frozenset({"save", "from_file", "load", "_save", "_load_for_lite_interpreter", "load_for_mobile"})
"""Operators of TorchScript that touch files."""

_SOURCE = re.compile(r"code/.*\.py", re.IGNORECASE | re.DOTALL)
_OLD_PROGRAM = "model.json"
"""It says where the program's sources are, in archives from before PyTorch 1.4."""


def refuse_file_operators(content: bytes | Path, report: ImportReport) -> None:
    """Look through the sources in an archive.

    Raises:
        ModelImportError: they are unreadable, name an operator that touches files, or give a namespace another name.
    """
    size = content.stat().st_size if isinstance(content, Path) else len(content)
    try:
        reader = torch._C.PyTorchFileReader(str(content) if isinstance(content, Path) else io.BytesIO(content))
        paths = reader.get_all_records()
        declared = sum(map(reader.get_record_size, paths))
        if declared > size + MOST_PACKED:
            raise report.refuse("unreadable-model", f"the archive declares {declared} bytes and has {size}")
        if len(set(paths)) < len(paths):
            raise report.refuse("unreadable-model", "two files in the archive have one name")
        if reader.has_record(_OLD_PROGRAM):
            raise report.refuse("unreadable-model", "PyTorch before 1.4 wrote this archive: save it by a newer one")
        sources = {path: reader.get_record(path) for path in paths if _SOURCE.fullmatch(path)}
    except ModelImportError:
        raise
    except Exception as error:  # PyTorch's errors have no common base.
        first = str(error).strip().partition("\n")[0]
        raise report.refuse("unreadable-model", f"PyTorch cannot read this archive: {first}") from None
    for path, source in sources.items():
        try:
            tree = ast.parse(source.decode("utf-8", "replace"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise report.refuse("unreadable-model", f"{path} in the archive is no TorchScript") from None
        for line, reason in _faults(tree):
            raise report.refuse("unsafe-model", f"the program in {path}, line {line}, {reason}")


def _faults(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """What a program may not do, with the line.

    A namespace that is given another name, or to ``getattr``, could hide which operator is called; no program that
    PyTorch writes does so.
    """
    inside: set[ast.AST] = set()
    for part in ast.walk(tree):  # what is outside comes first
        if isinstance(part, ast.Attribute) and _is_namespace(part.value):
            inside.add(part.value)
            if part.attr in FILE_OPERATORS:
                yield part.lineno, f"calls {part.attr}, which touches files"
        elif isinstance(part, ast.Attribute) and _is_root(part.value):
            inside.add(part.value)
        if _is_namespace(part) or _is_root(part):
            if part not in inside:
                place: Any = part
                yield place.lineno, f"gives {ast.unparse(part)} another name"
            if isinstance(part, ast.Attribute):
                inside.add(part.value)


def _is_root(part: ast.AST) -> bool:
    """Whether it is ``ops``, whose attributes are namespaces."""
    return isinstance(part, ast.Name) and part.id == "ops"


def _is_namespace(part: ast.AST) -> bool:
    """Whether it is ``torch``, or ``ops.NAMESPACE``."""
    if isinstance(part, ast.Attribute):
        return _is_root(part.value)
    return isinstance(part, ast.Name) and part.id == "torch"
