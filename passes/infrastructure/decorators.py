"""``module_pass`` and ``function_pass``: a pass from a plain function or class.

Source of the rule: ``python/tvm/ir/transform.py``, ``python/tvm/relay/transform/transform.py``.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..pass_info import PassInfo
from .context import PassContext
from .pass_kinds import FunctionPass, ModulePass

__all__ = ["function_pass", "module_pass"]


def module_pass(
    pass_func: Any = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
) -> Any:
    """Make a :class:`ModulePass` of a function ``(mod, ctx) -> mod`` or of a class with ``transform_module``.

    A decorated function becomes a pass, a decorated class a class of passes, whose options are what the class is made
    with. Without ``pass_func`` this gives the decorator. ``name`` is otherwise that of what is decorated.

    Raises:
        ValueError: there is no ``opt_level``.
        TypeError: what is decorated cannot be called, or ``required`` is not a list.
    """
    return _decorate(_FromModuleFunction, "transform_module", pass_func, opt_level, name, required)


def function_pass(
    pass_func: Any = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
) -> Any:
    """Make a :class:`FunctionPass` of a function ``(func, mod, ctx) -> func`` or a class with ``transform_function``.

    As :func:`module_pass` otherwise.

    Raises:
        ValueError: there is no ``opt_level``.
        TypeError: what is decorated cannot be called, or ``required`` is not a list.
    """
    return _decorate(_FromFunctionFunction, "transform_function", pass_func, opt_level, name, required)


class _OfFunction:
    """What passes have in common that call a function of the user's."""

    def __init__(self, transform: Callable[..., Any], info: PassInfo) -> None:
        self.transform = transform
        self._info = info

    @property
    def info(self) -> PassInfo:
        return self._info

    def written_in(self) -> str:
        """The module of the function that is called."""
        return str(getattr(self.transform, "__module__", None) or type(self.transform).__module__)


class _FromModuleFunction(_OfFunction, ModulePass):
    """A module pass that calls a function of the user's."""

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        return self.transform(module, context)


class _FromFunctionFunction(_OfFunction, FunctionPass):
    """A function pass that calls a function of the user's."""

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        return self.transform(function, module, context)


def _decorate(
    kind: type[_FromModuleFunction] | type[_FromFunctionFunction],
    method: str,
    pass_func: Any,
    opt_level: int | None,
    name: str | None,
    required: Sequence[str] | None,
) -> Any:
    if opt_level is None:
        raise ValueError(f"Please provide opt_level for the {kind.kind}.")
    if not isinstance(required or [], (list, tuple)):
        raise TypeError("Required is expected to be the type of list/tuple.")
    needs = tuple(required or ())

    def decorate(decorated: Any) -> Any:
        info = PassInfo(opt_level, name or decorated.__name__, needs)
        if inspect.isclass(decorated):
            return _class_of_passes(kind, method, decorated, info)
        if not callable(decorated):
            raise TypeError(f"pass_func must be a callable for {kind.kind}")
        transform: Callable[..., Any] = decorated
        made = kind(transform, info)
        made.__doc__ = transform.__doc__
        return made

    return decorate if pass_func is None else decorate(pass_func)


def _class_of_passes(
    kind: type[_FromModuleFunction] | type[_FromFunctionFunction], method: str, decorated: type, info: PassInfo
) -> type:
    parameters = inspect.signature(decorated.__init__)

    @functools.wraps(decorated.__init__)
    def initialise(self: Any, *args: Any, **options: Any) -> None:
        self.decorated = decorated(*args, **options)
        self.given = parameters.bind(self, *args, **options)
        kind.__init__(self, getattr(self.decorated, method), info)

    def options_of(self: Any) -> Mapping[str, object]:
        self.given.apply_defaults()
        return {name: self.given.arguments[name] for name in declared}

    def attribute_of_decorated(self: Any, attribute: str) -> Any:
        if attribute in ("decorated", "given"):
            raise AttributeError(attribute)
        return getattr(self.decorated, attribute)

    declared = _options_of(decorated, parameters)
    members = {
        "__init__": initialise,
        "options": property(options_of),
        "declared_options": declared,
        "__getattr__": attribute_of_decorated,
        "__doc__": decorated.__doc__,
        "__module__": decorated.__module__,
        "declared_info": info,
    }
    return type(decorated.__name__, (kind,), members)


def _options_of(decorated: type, parameters: inspect.Signature) -> Mapping[str, AttributeField]:
    """What a class is made with, by name; what has no annotation takes anything."""
    try:
        annotations = typing.get_type_hints(decorated.__init__)
    except NameError:  # An annotation that only a type checker can read.
        annotations = {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    options: dict[str, AttributeField] = {}
    for parameter in list(parameters.parameters.values())[1:]:
        if parameter.kind not in named:
            continue
        default = dataclasses.MISSING if parameter.default is parameter.empty else parameter.default
        annotation = annotations.get(parameter.name, object)
        checked = annotation if annotation in (bool, int, float, str) else object
        options[parameter.name] = AttributeField(parameter.name, checked, default, "", None, None, ())
    return options
