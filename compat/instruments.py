"""Instruments of scripts, whose exceptions look as if they had come through TVM's border between Python and C++."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any, Final

from relay_lsp import passes

__all__ = ["pass_instrument"]

_CALLS: Final = ("enter_pass_ctx", "exit_pass_ctx", "should_run", "run_before_pass", "run_after_pass")


def pass_instrument(pi_cls: Any = None) -> Any:
    """Make a plain class an instrument, as :func:`relay_lsp.passes.pass_instrument` does.

    An exception that one of its methods raises says its kind before its message, as it does once it has been through
    TVM, where scripts print ``str(error)`` and expect so.

    Raises:
        TypeError: what is decorated is not a class.
    """
    if pi_cls is None:
        return pass_instrument
    made = passes.pass_instrument(pi_cls)
    members = {name: _through_the_border(getattr(made, name)) for name in _CALLS}
    wrapped = type(made.__name__, (made,), {**members, "__doc__": made.__doc__, "__module__": made.__module__})
    wrapped.__qualname__ = made.__qualname__
    return wrapped


def _through_the_border(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(*args: Any) -> Any:
        try:
            return method(*args)
        except Exception as error:
            kind = type(error)
            if getattr(builtins, kind.__name__, None) is not kind or len(error.args) != 1:
                raise  # It is not one that TVM knows by its name, or cannot be made of a message.
            raise kind(f"{kind.__name__}: {error}") from error

    return called
