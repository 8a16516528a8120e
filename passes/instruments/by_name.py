"""Instruments by name, with options, as a command line or a setting names them; and what each has to say."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from relay_lsp.ir.attributes import AttributeField

from ..infrastructure import PassError, PassInstrument, did_you_mean
from ..infrastructure.registry import checked_option
from .dumping import DumpIR
from .operator_counts import OperatorCounter
from .printing import PassPrintingInstrument, PrintAfterAll, PrintBeforeAll
from .profiling import PassProfiler
from .timing import PassTimingInstrument
from .verifying import Verifier

__all__ = ["INSTRUMENTS", "Reporting", "create_instrument"]

INSTRUMENTS: Mapping[str, type[PassInstrument]] = {
    kind.__name__: kind
    for kind in (
        DumpIR,
        OperatorCounter,
        PassPrintingInstrument,
        PassProfiler,
        PassTimingInstrument,
        PrintAfterAll,
        PrintBeforeAll,
        Verifier,
    )
}
"""Those that come with the infrastructure."""


@runtime_checkable
class Reporting(Protocol):
    """An instrument with a report at the end, before its context is left."""

    def render(self) -> str:
        """What it has measured, in lines."""
        ...


def create_instrument(name: str, show: Callable[[str], None] = print, **options: object) -> PassInstrument:
    """The instrument called ``name`` with these options. ``show`` is given what those that print have to print.

    Raises:
        PassError: there is no such instrument or option (with the nearest one that there is), or one is missing or of
            the wrong kind.
    """
    kind: Any = INSTRUMENTS.get(name)
    if kind is None:
        known = ", ".join(INSTRUMENTS)
        hint = did_you_mean(name, INSTRUMENTS) or f"; there are {known}"
        raise PassError(f"there is no instrument called {name}{hint}", code="unknown-instrument")
    parameters = inspect.signature(kind).parameters
    taken = [parameter for parameter in parameters if parameter != "show"]
    for option in options:
        if option not in taken:
            known = f"; it takes {', '.join(taken)}" if taken else "; it takes none"
            hint = did_you_mean(option, taken) or known
            raise PassError(f"there is no option {option}{hint}", pass_name=name, code="unknown-option")
    for option in taken:
        if parameters[option].default is inspect.Parameter.empty and option not in options:
            raise PassError(f"option {option} must be given", pass_name=name, code="missing-option")
    annotations = typing.get_type_hints(kind.__init__)
    options = {option: _checked(name, option, annotations[option], value) for option, value in options.items()}
    return kind(**options, show=show) if "show" in parameters else kind(**options)


_WRITTEN_AS: Mapping[Any, Any] = {str | Path: str, Iterable[str]: tuple[str, ...]}
"""What a command line or a setting can say of a parameter that takes more."""


def _checked(name: str, option: str, annotation: Any, value: object) -> object:
    kind = _WRITTEN_AS.get(annotation, annotation)
    field = AttributeField(option, kind, dataclasses.MISSING, "", None, None, ())
    return checked_option(field, str(value) if isinstance(value, Path) else value, name)
