"""Values that are worked out when first asked for, by any thread, without keeping others waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["cached"]

Value = TypeVar("Value")


class cached(Generic[Value]):  # noqa: N801 - it is used as functools.cached_property is
    """As :class:`functools.cached_property`, without the lock that it has up to Python 3.11.

    That lock is one for all objects of a class: while a thread reads one text, it would hold up a caller that asks the
    same of another. Where two threads work out the same value, both get that of the first.
    """

    def __init__(self, work_out: Callable[[Any], Value]) -> None:
        self._work_out: Final = work_out
        self._name = work_out.__name__
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...

    def __get__(self, instance: object, owner: type | None = None) -> Self | Value:
        if instance is None:
            return self
        known = instance.__dict__
        if self._name not in known:
            return known.setdefault(self._name, self._work_out(instance))
        return known[self._name]
