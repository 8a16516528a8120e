"""Converters by operator and version: one declaration each, one lookup rule, one table for the documentation.

Source of the rule for versions: ``OnnxOpConverter.get_converter`` in ``python/tvm/relay/frontend/onnx.py``.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

__all__ = ["Converter", "Converters", "import_converters"]

Function = TypeVar("Function", bound=Callable[..., object])
Declared = TypeVar("Declared", bound=Callable[..., object])


def import_converters(framework: str) -> None:
    """Import every module in the folder ``converters`` of a framework: each declares its converters."""
    package = importlib.import_module(f"{framework}.converters")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


@dataclass(frozen=True, slots=True)
class Converter(Generic[Function]):
    """How one operator becomes Relay, from one version of its operator set on."""

    operator: str
    since: int
    domain: str
    convert: Function
    becomes: str = ""
    """The Relay operator, where the function converts several operators that have one each."""

    @property
    def summary(self) -> str:
        """What it becomes, and what it does not cover: the first line of its documentation."""
        return f"``{self.becomes}``." if self.becomes else (inspect.getdoc(self.convert) or "").partition("\n")[0]


class Converters(Generic[Function]):
    """The converters of one framework."""

    def __init__(self, framework: str) -> None:
        self.framework = framework
        self._by_operator: dict[str, list[Converter[Function]]] = {}

    def declare(
        self, *operators: str, since: int = 1, domain: str = "", becomes: Mapping[str, str] | None = None
    ) -> Callable[[Declared], Declared]:
        """Declare that the decorated function converts ``operators`` from version ``since`` on.

        ``becomes`` has the Relay operator of each, where they have one.

        Raises:
            ValueError: one of them has a converter since that version.
        """

        def register(convert: Declared) -> Declared:
            for operator in operators:
                versions = self._by_operator.setdefault(operator, [])
                if any(declared.since == since for declared in versions):
                    raise ValueError(f"{self.framework} operator {operator} has two converters since version {since}")
                one = (becomes or {}).get(operator, "")
                versions.append(Converter(operator, since, domain, cast("Function", convert), one))
                versions.sort(key=lambda declared: declared.since)
            return convert

        return register

    def find(self, operator: str, version: int = 1) -> Converter[Function] | None:
        """The converter of ``operator`` in an operator set of ``version``: the newest that is not newer.

        Where all are newer it is the newest of all, as in TVM.
        """
        versions = self._by_operator.get(operator)
        if not versions:
            return None
        return next((declared for declared in reversed(versions) if declared.since <= version), versions[-1])

    def __iter__(self) -> Iterator[Converter[Function]]:
        for operator in sorted(self._by_operator):
            yield from self._by_operator[operator]

    def __contains__(self, operator: str) -> bool:
        return operator in self._by_operator

    def similar(self, operator: str) -> str | None:
        """The operator that has a converter and differs from ``operator`` in case alone, if there is one."""
        lowered = operator.lower()
        return next((name for name in self._by_operator if name.lower() == lowered), None)
