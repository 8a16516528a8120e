"""``tvm.target``."""

from __future__ import annotations

from relay_lsp.passes import targets

__all__ = ["Target"]


def Target(target: str | targets.Target, host: str | targets.Target | None = None) -> targets.Target:  # noqa: N802
    """The target that a text names, to be entered with ``with``; a ``host`` is of no use here, where no code is made.

    Raises:
        TVMError: there is no such target.
    """
    del host
    return target if isinstance(target, targets.Target) else targets.Target.parse(target)
