"""Passes by name. A pass is a class in a file named like the class in snake case, in this package or in its family's.

Source of the rule: ``src/ir/transform.cc`` (``GetPass``).
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from relay_lsp.ir.attributes import AttributeField, AttributeValueError
from relay_lsp.ir.diagnostics import Diagnostic, Severity

from .errors import PassError, did_you_mean, nearest, no_such_pass, suggestion

if TYPE_CHECKING:
    from .pass_kinds import Pass

__all__ = [
    "checked_option",
    "create",
    "find",
    "has_file",
    "load_registered",
    "register_pass",
    "registered",
    "registered_now",
    "unregister_pass",
]

_PACKAGE = __name__.rsplit(".", 2)[0]
_NO_FAMILIES: Final = {
    f"{_PACKAGE}.{name}"
    for name in ("infrastructure", "instruments", "patterns", "provenance", "text_edits", "verification")
}
"""Sub-packages that passes stand on; no pass is declared in them."""

_registry: dict[str, type[Pass]] = {}
_loaded = False

_PassClass = TypeVar("_PassClass", bound="type[Pass]")


def register_pass(cls: _PassClass) -> _PassClass:
    """Make a pass known by its name.

    Raises:
        ValueError: another pass has the name.
    """
    known = _registry.get(cls.__name__)
    if known is not None and known.__module__ != cls.__module__:
        raise ValueError(f"pass {cls.__name__} is registered by {known.__module__} already")
    _registry[cls.__name__] = cls
    return cls


def unregister_pass(cls: type[Pass]) -> None:
    """Forget a pass again: one of a user's file that is read anew."""
    if _registry.get(cls.__name__) is cls:
        del _registry[cls.__name__]


def registered() -> Mapping[str, type[Pass]]:
    """Every pass by name, those of this package and those that users have added."""
    for _ in load_registered():
        pass
    return dict(sorted(_registry.items()))


def load_registered() -> Iterator[str]:
    """Import the passes of this package, file by file; gives the names of their modules."""
    global _loaded
    if not _loaded:
        for module in _modules().values():
            importlib.import_module(module)
            yield module
        _loaded = True


def registered_now() -> Mapping[str, type[Pass]]:
    """The passes whose files have been imported so far, by name."""
    return dict(_registry)


def find(name: str) -> type[Pass] | None:
    """The pass called ``name``, if there is one. Only its own file is imported."""
    if name not in _registry and name.isidentifier():
        module = _modules().get(_snake_case(name))
        if module is not None:
            importlib.import_module(module)
    return _registry.get(name) or registered().get(name)


def has_file(name: str) -> bool:
    """Whether a file of ours is named like this pass; it is not imported. Some passes are declared beside others."""
    return name.isidentifier() and _snake_case(name) in _modules()


def create(name: str, /, **options: object) -> Pass:
    """The pass called ``name`` with these options.

    Raises:
        PassError: there is no such pass or option (with the nearest one that there is), an option is of the wrong
            kind, or one without a default is missing.
    """
    cls = find(name)
    if cls is None:
        raise PassError(no_such_pass(name, did_you_mean(name, registered())), code="unknown-pass")
    declared = cls.declaration().options
    for option in options:
        if option not in declared:
            near = nearest(option, declared)
            known = f"; it takes {', '.join(declared)}" if declared else "; it takes none"
            message = f"there is no option {option}{suggestion(near) or known}"
            fault = Diagnostic("unknown-option", Severity.ERROR, message, data=near)
            raise PassError(message, pass_name=name, diagnostics=(fault,))
    missing = [field.name for field in declared.values() if field.required and field.name not in options]
    if missing:
        raise PassError(f"option {missing[0]} must be given", pass_name=name, code="missing-option")
    return cls(**{option: checked_option(declared[option], value, name) for option, value in options.items()})


def checked_option(field: AttributeField, value: object, name: str) -> object:
    """The value of an option of what is called ``name``, as it is declared.

    Raises:
        PassError: it is of the wrong kind, out of bounds, or not among its choices.
    """
    try:
        return field.convert(value)
    except AttributeValueError as error:
        message = str(error).replace("attribute", "option", 1)
        raise PassError(message, pass_name=name, code="option-value") from None


@lru_cache
def _modules() -> Mapping[str, str]:
    """The modules that may declare a pass, by the last part of their names: those of this package and of its families.

    Found by listing folders, so that none of them is imported for it.
    """
    modules: dict[str, str] = {}
    package = importlib.import_module(_PACKAGE)
    for each in pkgutil.iter_modules(package.__path__, f"{_PACKAGE}."):
        if not each.ispkg:
            modules[each.name.rpartition(".")[2]] = each.name
            continue
        family = importlib.util.find_spec(each.name)
        if each.name not in _NO_FAMILIES and family is not None and family.submodule_search_locations is not None:
            for module in pkgutil.iter_modules(family.submodule_search_locations, f"{each.name}."):
                modules.setdefault(module.name.rpartition(".")[2], module.name)
    return modules


def _snake_case(name: str) -> str:
    # A capital begins a word, and a run of capitals is one word as in ``PrintIR``, but in ``ToANormalForm`` its last
    # one begins the next; ``Conv2D`` and ``BatchMatmul`` stay one and two words as TVM's own files have them.
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return spaced.lower()
