"""``PassContext``: the level, the names and the instruments under which passes run.

Source of the rule: ``src/ir/transform.cc`` (``PassContext``), ``python/tvm/ir/transform.py``.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar, cast, overload

from typing_extensions import Self

from relay_lsp.ir.builder import LayerAnnotator, SpanFilling, configure_span_filling
from relay_lsp.ir.module import IRModule

from ..pass_info import PassInfo
from .configuration import ConfigOption, config_options, validate_config
from .instrument import PassInstrument

__all__ = ["PassContext"]

_log = logging.getLogger(__name__)
_Value = TypeVar("_Value")


class PassContext:
    """What a pass may ask about the run that it is part of.

    As a context manager it is the current one of its thread; contexts nest. The level admits every pass whose own
    level is not above it; ``required_pass`` admits by name whatever the level, ``disabled_pass`` forbids by name
    whatever else is said.
    """

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Iterable[str] | None = None,
        disabled_pass: Iterable[str] | None = None,
        instruments: Sequence[PassInstrument] | None = None,
        config: Mapping[str, object] | None = None,
    ) -> None:
        """Make a context.

        Raises:
            TypeError: the level is no number, the passes are not given as a collection of names, or the instruments
                not as a sequence of them.
            AttributeError: ``config`` has an unknown key or a value of the wrong kind.
        """
        if not isinstance(opt_level, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"opt_level is expected to be an integer, not {opt_level!r}")
        self.opt_level = opt_level
        self.required_pass = _names("required_pass", required_pass)
        self.disabled_pass = _names("disabled_pass", disabled_pass)
        self.instruments: list[PassInstrument] = _instruments(instruments)
        self.config = validate_config(config or {})

    @staticmethod
    def current() -> PassContext:
        """The innermost context entered in this thread, or the thread's default one."""
        return _contexts.stack[-1] if _contexts.stack else _contexts.default

    @staticmethod
    def list_configs() -> Mapping[str, ConfigOption]:
        """Every option that ``config`` may hold."""
        return config_options()

    @overload
    def get_config(self, key: str, default: _Value) -> _Value: ...
    @overload
    def get_config(self, key: str) -> object: ...
    def get_config(self, key: str, default: object = None) -> object:
        """The value of a config option, or ``default`` where this context does not set it."""
        return self.config.get(key, default)

    def pass_enabled(self, info: PassInfo) -> bool:
        """Whether a ``Sequential`` runs this pass: not disabled, and required or of an admitted level."""
        if info.name in self.disabled_pass:
            return False
        return info.name in self.required_pass or self.opt_level >= info.opt_level

    def __enter__(self) -> Self:
        self._enter_instruments()
        _contexts.stack.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _contexts.stack.pop()
        self._exit_instruments()

    def override_instruments(self, instruments: Sequence[PassInstrument] | None) -> None:
        """Exit the present instruments and enter others.

        Raises:
            TypeError: those are not a sequence of instruments.
        """
        others = _instruments(instruments)
        self._exit_instruments()
        self.instruments = others
        self._enter_instruments()

    def instrument_before_pass(self, module: IRModule, info: PassInfo) -> bool:
        """Ask every instrument whether the pass may run (unless its name is required), then tell them that it does."""
        should_run = True
        if info.name not in self.required_pass:
            for instrument in self.instruments:
                should_run &= bool(instrument.should_run(module, info))
        if should_run:
            for instrument in self.instruments:
                instrument.run_before_pass(module, info)
        return should_run

    def instrument_after_pass(self, module: IRModule, info: PassInfo) -> None:
        """Tell every instrument what the pass has made."""
        for instrument in self.instruments:
            instrument.run_after_pass(module, info)

    def _enter_instruments(self) -> None:
        entered: list[PassInstrument] = []
        try:
            for instrument in self.instruments:
                instrument.enter_pass_ctx()
                entered.append(instrument)
        except Exception:
            _log.info("Entering the pass context failed at an instrument; pass instrumentation is disabled.")
            self.instruments = []
            for instrument in entered:
                _log.info("%s exits the pass context.", instrument.name)
                instrument.exit_pass_ctx()
            raise

    def _exit_instruments(self) -> None:
        try:
            for instrument in self.instruments:
                instrument.exit_pass_ctx()
        except Exception:
            _log.info("Exiting the pass context failed at an instrument; pass instrumentation is disabled.")
            self.instruments = []
            raise

    def __repr__(self) -> str:
        instruments = [instrument.name for instrument in self.instruments]
        return (
            f"PassContext(opt_level={self.opt_level}, required_pass={list(self.required_pass)}, "
            f"disabled_pass={list(self.disabled_pass)}, instruments={instruments}, config={self.config})"
        )


def _names(parameter: str, names: Iterable[str] | None) -> tuple[str, ...]:
    if names is None:
        return ()
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise TypeError(f"{parameter} is expected to be the type of list/tuple/set.")
    return tuple(names)


def _instruments(instruments: Sequence[PassInstrument] | None) -> list[PassInstrument]:
    if instruments is not None and not isinstance(instruments, (list, tuple)):
        raise TypeError("instruments is expected to be the type of list/tuple/set.")
    for instrument in cast("Sequence[object]", instruments or ()):
        if not isinstance(instrument, PassInstrument):
            hint = "; make an object of it" if isinstance(instrument, type) else ""
            raise TypeError(f"instruments must be PassInstrument objects, and {instrument!r} is none{hint}")
    return list(instruments or ())


class _Contexts(threading.local):
    def __init__(self) -> None:
        self.stack: list[PassContext] = []
        self.default = PassContext()


_contexts = _Contexts()


def _span_filling() -> SpanFilling:
    context = PassContext.current()
    annotator = cast("LayerAnnotator | None", context.get_config("relay.frontend.span_annotator"))
    return SpanFilling(context.get_config("relay.frontend.fill_span", True), annotator)


configure_span_filling(_span_filling)
