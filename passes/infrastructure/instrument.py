"""Instruments: what may look on, before and after each pass.

Source of the rule: ``src/ir/instrument.cc``, ``python/tvm/ir/instrument.py``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, overload

from relay_lsp.ir.module import IRModule

from ..pass_info import PassInfo

__all__ = ["PassInstrument", "pass_instrument"]


class PassInstrument:
    """Called by the ``PassContext`` that holds it. Override what is wanted; the rest does nothing."""

    @property
    def name(self) -> str:
        """The name in messages: the class's."""
        return type(self).__name__

    def enter_pass_ctx(self) -> None:
        """Called when the context is entered, or when the instrument is put into a running one."""

    def exit_pass_ctx(self) -> None:
        """Called when the context is left, or when the instrument is taken out of a running one."""

    def should_run(self, mod: IRModule, info: PassInfo) -> bool:
        """Whether the pass may run. Every instrument is asked, even after one said no."""
        del mod, info
        return True

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called before a pass that will run, with the module that it gets."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called after a pass has run, with the module that it made."""


_Class = TypeVar("_Class", bound=type)


@overload
def pass_instrument(pi_cls: _Class) -> _Class: ...
@overload
def pass_instrument(pi_cls: None = None) -> Callable[[_Class], _Class]: ...


def pass_instrument(pi_cls: Any = None) -> Any:
    """Make a plain class an instrument: what it does not define of :class:`PassInstrument` is inherited.

    Raises:
        TypeError: what is decorated is not a class.
    """
    if pi_cls is None:
        return pass_instrument
    if not inspect.isclass(pi_cls):
        raise TypeError("pi_cls must be a class")
    if issubclass(pi_cls, PassInstrument):
        return pi_cls
    decorated: Any = pi_cls
    members = {"__doc__": decorated.__doc__, "__module__": decorated.__module__}
    made: Any = type(decorated.__name__, (decorated, PassInstrument), members)
    made.__qualname__ = decorated.__qualname__
    return made
