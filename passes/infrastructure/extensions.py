"""Users' own passes and operators: from a Python file, or from an installed package.

A file registers what it declares with ``declare_pass``, ``ops.register`` and ``register_rule``; what it decorates with
``function_pass`` or ``module_pass`` is registered by its name. A package names its modules in the entry points
``relay_lsp.passes`` and ``relay_lsp.ops``. Loading runs the code: that is for the caller to allow. What an extension
has registered before it failed is taken back.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

from relay_lsp.ir.cancellation import WorkCancelled
from relay_lsp.ir.internal_errors import frame_in, words_of
from relay_lsp.ir.ops import operator

from .declaration_checks import require_declared_operator, require_declared_pass
from .operator_rules import OperatorRule, OperatorRules, find_rule, operator_rules, register_rule
from .pass_kinds import Pass
from .registry import register_pass, registered, registered_now, unregister_pass

__all__ = [
    "ENTRY_POINT_GROUPS",
    "Extension",
    "ExtensionFault",
    "allow_imports_from",
    "extension_of_operator",
    "extension_of_pass",
    "fault_of",
    "load_file",
    "load_package",
    "unload",
]

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
    """What an extension brought: names of passes and operators, and rules; or why it could not be loaded."""

    origin: str
    """The path of a file, or ``group:name`` of an entry point."""
    path: str = ""
    """The Python file; empty where there is none."""
    passes: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    rules: OperatorRules = field(default_factory=dict[tuple[str, str], OperatorRule])
    """The rules that it gave operators."""
    fault: ExtensionFault | None = None


_loaded: dict[str, Extension] = {}


def load_file(path: str | Path) -> Extension:
    """Run a Python file and register the passes and operators that it declares. What it brought before is forgotten.

    It may import the modules that lie beside it.
    """
    file = Path(path).resolve()
    unload(str(file))
    allow_imports_from(file.parent)

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

    return _load(str(file), str(file), run)


def allow_imports_from(folder: str | Path) -> None:
    """Let extensions import the modules in a folder that have no name of Python's, ours, or an installed package's."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def load_package(name: str) -> tuple[Extension, ...]:
    """Load what the installed package of this name offers, each entry point on its own.

    Where there is no such package, or it offers nothing, that is the fault of the one extension in the answer.
    """
    try:
        offered = importlib.metadata.distribution(name).entry_points
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return (Extension(name, fault=ExtensionFault("", 0, 0, f"no package called {name} is installed")),)
    ours = [entry_point for entry_point in offered if entry_point.group in ENTRY_POINT_GROUPS]
    if not ours:
        groups = " or ".join(ENTRY_POINT_GROUPS)
        return (Extension(name, fault=ExtensionFault("", 0, 0, f"{name} has no entry point in {groups}")),)
    return tuple(map(_load_entry_point, ours))


def _load_entry_point(entry_point: importlib.metadata.EntryPoint) -> Extension:
    origin = f"{entry_point.group}:{entry_point.name}"
    unload(origin)
    return _load(origin, _path_of(entry_point), entry_point.load)


def _path_of(entry_point: importlib.metadata.EntryPoint) -> str:
    """The file of the module that an entry point names; empty where there is none."""
    try:
        specification = importlib.util.find_spec(entry_point.module)
    except Exception:  # Looking for a module imports the packages around it, which may raise anything.
        return ""
    return (specification.origin or "") if specification is not None else ""


def extension_of_pass(name: str) -> Extension | None:
    """The extension that brought the pass of this name, if one did."""
    return next((extension for extension in _loaded.values() if name in extension.passes), None)


def extension_of_operator(name: str) -> Extension | None:
    """The extension that brought the operator of this name, if one did."""
    return next((extension for extension in _loaded.values() if name in extension.operators), None)


def unload(origin: str) -> None:
    """Forget the passes and operators of an extension, by its path or entry point."""
    known = _loaded.pop(origin, None)
    if known is not None:
        _forget(set(known.passes), set(known.operators), known.rules)


def fault_of(error: BaseException, path: str | Path) -> ExtensionFault:
    """What ``error`` says, at the line of the file at ``path`` that it came through last."""
    file = str(Path(path).resolve())
    message = words_of(error)
    if isinstance(error, SyntaxError) and error.filename == file:
        return ExtensionFault(file, error.lineno or 0, error.offset or 0, message)
    frame = frame_in(error, file)
    if frame is None:
        return ExtensionFault(file, 0, 0, message)
    column = getattr(frame, "colno", None)
    return ExtensionFault(file, frame.lineno or 0, 0 if column is None else column + 1, message)


def _load(origin: str, path: str, run: Callable[[], object]) -> Extension:
    # All our own are there before: one that the extension were the first to ask for would pass for its own.
    passes_before, operators_before, rules_before = set(registered()), set(operator.registered()), operator_rules()
    try:
        loaded = run()
        if isinstance(loaded, ModuleType):
            _register_decorated(loaded)
        for name in set(registered_now()) - passes_before:
            require_declared_pass(registered_now()[name])
        for name in set(operator.registered()) - operators_before:
            require_declared_operator(operator.registered()[name])
    except (KeyboardInterrupt, WorkCancelled):
        raise
    except BaseException as error:  # A user's file may raise anything, SystemExit included, and must harm nothing else.
        rules = _new_rules(rules_before)
        _forget(set(registered_now()) - passes_before, set(operator.registered()) - operators_before, rules)
        return Extension(origin, path, fault=fault_of(error, path))
    passes = tuple(sorted(set(registered_now()) - passes_before))
    operators = tuple(sorted(set(operator.registered()) - operators_before))
    extension = _loaded[origin] = Extension(origin, path, passes, operators, _new_rules(rules_before))
    return extension


def _new_rules(before: OperatorRules) -> OperatorRules:
    return {key: rule for key, rule in operator_rules().items() if before.get(key) is not rule}


def _forget(passes: set[str], operators: set[str], rules: OperatorRules) -> None:
    for (attribute, name), rule in rules.items():
        if find_rule(attribute, name) is rule:
            register_rule(attribute, name, None)
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
