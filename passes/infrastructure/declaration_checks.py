"""Whether what an extension has declared is what its declaration says: asked once, when the extension is loaded.

What is wrong with a declaration is a fault of the extension then, with its reason, and none of who lists passes,
completes operators or runs one of them later. Our own declarations are held by types and tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.ops.operator import Argument, Op, OpPattern

from .pass_kinds import Pass

__all__ = ["require_declared_operator", "require_declared_pass"]

_NAME = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)


def require_declared_pass(declared: object) -> None:
    """Look at a pass that was registered.

    Raises:
        TypeError: it is no class of passes, or its name, level, requirements or options are not of their kind.
    """
    name = getattr(declared, "__name__", repr(declared))
    if not (isinstance(declared, type) and issubclass(declared, Pass)):
        raise TypeError(f"{name} is no pass: a pass is a class derived from ModulePass, FunctionPass or Pipeline")
    _require(_is_name(name), f"{name!r} is no name of a pass: letters, digits, underscores and dots")
    info = cast("Any", declared.declared_info)
    _require(type(info.opt_level) is int, f"the opt_level of {name} must be an integer, not {info.opt_level!r}")
    wrong = [required for required in info.required if not isinstance(required, str)]
    _require(not wrong, f"the passes that {name} requires are named by strings, not by {wrong[:1]}")
    try:
        declared.declaration()
    except Exception as error:  # An annotation is evaluated, and may be any text.
        raise TypeError(f"the options of {name} cannot be read: {type(error).__name__}") from error


def require_declared_operator(declared: Op) -> None:
    """Look at an operator that was registered.

    Raises:
        TypeError: its name, arguments, attributes, pattern or functions are not of their kind.
    """
    op = cast("Any", declared)
    name = op.name
    _require(_is_name(name), f"{name!r} is no name of an operator: letters, digits, underscores and dots")
    arguments_are_sound = all(
        isinstance(one, Argument) and isinstance(cast("Any", one).name, str) for one in op.arguments
    )
    _require(arguments_are_sound, f"the arguments of {name} must be made by Argument(name, doc)")
    attrs = op.attrs_type
    _require(attrs is None or _is_attrs(attrs), f"the attributes of {name} must be a class derived from Attrs")
    _require(isinstance(op.pattern, OpPattern), f"the pattern of {name} must be one of OpPattern")
    functions: dict[str, Callable[..., object] | None] = {
        "relation": op.relation,
        "kernel": op.kernel,
        "flops": op.flops,
        "infer_layout": op.infer_layout,
    }
    for what, function in functions.items():
        _require(function is None or callable(function), f"the {what} of {name} must be a function")


def _is_name(name: object) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _is_attrs(attrs: object) -> bool:
    return isinstance(attrs, type) and issubclass(attrs, Attrs)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise TypeError(otherwise)
