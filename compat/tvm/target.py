"""``tvm.target``.

Source of the rule: ``python/tvm/target/target.py``.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, cast

from relay_lsp.passes import PassError, targets

__all__ = ["Target"]


class _ScriptTargets(type):
    """Calls give our targets, which count as objects of the class."""

    def __call__(cls, target: Any, host: Any = None) -> targets.Target:
        """The target that a text or a dict names, to be entered with ``with``.

        A ``host`` is of no use here, where no code is made.

        Raises:
            TVMError: there is no such target.
        """
        del host
        if isinstance(target, targets.Target):
            return target
        if isinstance(target, Mapping):
            target = _as_text(cast("Mapping[str, object]", target))
        return targets.Target.parse(target)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, targets.Target)


class ScriptTarget(metaclass=_ScriptTargets):
    """``tvm.target.Target``."""

    @staticmethod
    def current(allow_none: bool = True) -> targets.Target | None:
        """The target that the script is inside of.

        Raises:
            ValueError: it is inside of none, and that is not allowed.
        """
        now = targets.current_target()
        if now is None and not allow_none:
            raise ValueError("no target is entered: use `with tvm.target.Target(...):`")
        return now


Target = ScriptTarget


def _as_text(config: Mapping[str, object]) -> str:
    rest = {name: value for name, value in config.items() if name not in ("kind", "host")}
    if not isinstance(config.get("kind"), str):
        raise PassError('a target needs its kind, such as {"kind": "llvm"}', code="unknown-target")
    return shlex.join([str(config["kind"]), *(f"-{name}={_value_text(value)}" for name, value in rest.items())])


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return ",".join(map(str, cast("Sequence[object]", value))) if isinstance(value, (list, tuple)) else str(value)
