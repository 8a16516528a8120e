"""``LayoutConfig``: convolutions that ``ConvertLayout`` leaves alone, by their number.

Source of the rule: ``LayoutConfig`` in ``python/tvm/relay/transform/transform.py``.
"""

from __future__ import annotations

import threading
from collections.abc import Collection

__all__ = ["LayoutConfig"]


class _Entered(threading.local):
    def __init__(self) -> None:
        self.configs: list[LayoutConfig] = []


_entered = _Entered()


class LayoutConfig:
    """Inside of ``with LayoutConfig(skip_layers=[0, 2]):`` the first and the third convolution keep their layout.

    The convolutions of two dimensions and the deformable ones are counted, in the order in which the pass sees them.
    """

    def __init__(self, skip_layers: Collection[int] | None = None) -> None:
        self.skip_counter = 0
        self.skip_layers: Collection[int] = skip_layers if skip_layers is not None else []

    @staticmethod
    def current() -> LayoutConfig | None:
        """The innermost one that this thread is inside of."""
        return _entered.configs[-1] if _entered.configs else None

    def check_skip(self) -> bool:
        """Whether the next convolution is to be left alone."""
        skip = self.skip_counter in self.skip_layers
        self.skip_counter += 1
        return skip

    def reset(self) -> None:
        """Count from the start, and leave none alone."""
        self.skip_counter = 0
        self.skip_layers = []

    def __enter__(self) -> LayoutConfig:
        _entered.configs.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _entered.configs.pop()
