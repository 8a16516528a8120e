"""Users' own passes and operators: from a Python file, or from an installed package.

A file registers what it declares with ``declare_pass`` and ``ops.register``; what it decorates with ``function_pass``
or ``module_pass`` is registered by its name. A package names its modules in the entry points ``relay_lsp.passes`` and
``relay_lsp.ops``. Loading runs the code: that is for the caller to allow. What a faulty extension has registered before
it failed is taken back.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

from ...ir.ops import operator
from .pass_kinds import Pass
from .registry import register_pass, registered_now, unregister_pass

__all__ = ["ENTRY_POINT_GROUPS", "Extension", "ExtensionFault", "fault_of", "load_entry_points", "load_file", "unload"]

ENTRY_POINT_GROUPS = ("relay_lsp.passes", "relay_lsp.ops")


@dataclass(frozen=True, slots=True)
class ExtensionFault:
    """What is wrong with an extension, and where in its file: ``line`` and ``column`` are 1-based, 0 where unknown."""

    path: str
    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Extension:
    """What an extension brought: names of passes and operators; or why it could not be loaded."""

    origin: str
    passes: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    fault: ExtensionFault | None = None


_loaded: dict[str, Extension] = {}


def load_file(path: str | Path) -> Extension:
    """Run a Python file and register the passes and operators that it declares. What it brought before is forgotten."""
    file = Path(path).resolve()
    unload(str(file))

    def run() -> ModuleType:
        name = f"relay_lsp_extension_{blake2b(str(file).encode(), digest_size=8).hexdigest()}"
        specification = importlib.util.spec_from_file_location(name, file)
        if specification is None or specification.loader is None:
            raise ImportError(f"{file.name} is not a Python file")
        module = importlib.util.module_from_spec(specification)
        # A dataclass looks for its module by name while it is declared.
        sys.modules[name] = module
        try:
            specification.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module

    return _load(str(file), run)


def load_entry_points() -> tuple[Extension, ...]:
    """Load what the installed packages offer, each on its own."""
    found: list[Extension] = []
    for group in ENTRY_POINT_GROUPS:
        for entry_point in importlib.metadata.entry_points(group=group):
            origin = f"{group}:{entry_point.name}"
            unload(origin)
            found.append(_load(origin, entry_point.load))
    return tuple(found)


def unload(origin: str) -> None:
    """Forget the passes and operators of an extension, by its path or entry point."""
    known = _loaded.pop(origin, None)
    if known is not None:
        _forget(set(known.passes), set(known.operators))


def fault_of(error: BaseException, path: str | Path) -> ExtensionFault:
    """What ``error`` says, at the line of the file at ``path`` that it came through last."""
    file = str(Path(path).resolve())
    message = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1]
    if isinstance(error, SyntaxError) and error.filename == file:
        return ExtensionFault(file, error.lineno or 0, error.offset or 0, message)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == file:
            column = getattr(frame, "colno", None)
            return ExtensionFault(file, frame.lineno or 0, 0 if column is None else column + 1, message)
    return ExtensionFault(file, 0, 0, message)


def _load(origin: str, run: Callable[[], object]) -> Extension:
    passes_before, operators_before = set(registered_now()), set(operator.registered())
    try:
        loaded = run()
        if isinstance(loaded, ModuleType):
            _register_decorated(loaded)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # A user's file may raise anything, SystemExit included, and must harm nothing else.
        _forget(set(registered_now()) - passes_before, set(operator.registered()) - operators_before)
        return Extension(origin, fault=fault_of(error, origin))
    passes = tuple(sorted(set(registered_now()) - passes_before))
    operators = tuple(sorted(set(operator.registered()) - operators_before))
    extension = _loaded[origin] = Extension(origin, passes, operators)
    return extension


def _forget(passes: set[str], operators: set[str]) -> None:
    known = registered_now()
    for name in passes & known.keys():
        unregister_pass(known[name])
    for name in operators:
        operator.unregister(name)


def _register_decorated(module: ModuleType) -> None:
    """Register the passes that a module made with the decorators."""
    known = set(registered_now().values())
    for value in list(vars(module).values()):
        if isinstance(value, Pass) and type(value).__module__ != module.__name__:
            register_pass(_class_of(value, module))
        elif isinstance(value, type) and issubclass(value, Pass) and value.__module__ == module.__name__:
            decorated = value.declared_info.name and value not in known
            if decorated:
                register_pass(value)


def _class_of(made: Pass, module: ModuleType) -> type[Pass]:
    """A class whose passes are like ``made``, which was made by decorating a function."""
    state = dict(vars(made))

    def initialise(self: Any) -> None:
        self.__dict__.update(state)

    members: dict[str, object] = {
        "__init__": initialise,
        "__doc__": made.__doc__,
        "__module__": module.__name__,
        "declared_info": made.info,
    }
    return type(made.info.name, (type(made),), members)
