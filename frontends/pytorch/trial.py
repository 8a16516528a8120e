"""Conversions that are tried: what does not succeed leaves no trace."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from .runtime_lists import RuntimeList

if TYPE_CHECKING:
    from .conversion import ModelConversion

__all__ = ["reset_point", "trial"]


@contextmanager
def trial(model: ModelConversion) -> Generator[None]:
    """Convert for what is learned from it; but for what the lists hold, everything is then as it was before."""
    reset = reset_point(model)
    try:
        yield
    finally:
        reset()


def reset_point(model: ModelConversion) -> Callable[[], None]:
    """Makes values, names, layers and what was reported what they are now, and lists what is in them now."""
    restored = (model, model.names, model.report)
    states = [{name: _shallow(value) for name, value in vars(owner).items()} for owner in restored]
    del states[0]["names"], states[0]["report"]
    lists: dict[int, tuple[Any, Any]] = {}
    for value in model.values.values():
        for held in _changeable(value):
            if id(held) not in lists:
                lists[id(held)] = held, held.expr if isinstance(held, RuntimeList) else copy.copy(held)

    def reset() -> None:
        for owner, state in zip(restored, states, strict=True):
            vars(owner).update({name: _shallow(value) for name, value in state.items()})
        for held, content in lists.values():
            if isinstance(held, RuntimeList):
                held.expr = content
            elif isinstance(held, dict):
                cast("dict[object, object]", held).clear()
                cast("dict[object, object]", held).update(content)
            else:
                held[:] = content

    return reset


def _shallow(value: Any) -> Any:
    whole: object = value
    return copy.copy(cast("Any", whole)) if isinstance(whole, (dict, list, set)) else value


def _changeable(value: object) -> Iterable[Any]:
    if isinstance(value, RuntimeList):
        yield value
    elif isinstance(value, (list, dict)):
        yield value
        inner = cast("dict[object, object]", value).values() if isinstance(value, dict) else cast("list[object]", value)
        for part in inner:
            yield from _changeable(part)
