"""Our passes as TVM's scripts use them: called with a mutable module, they give another one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from relay_lsp.ir.expressions import Expr, Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.passes import Pass, create, find, function_pass, module_pass, registered
from relay_lsp.passes.infrastructure import PassContext, did_you_mean

from .modules import MutableModule, frozen, thawed

__all__ = ["adopt", "function_pass_of", "module_pass_of", "pass_class", "run_on_expression"]

_RENAMED: Mapping[str, Mapping[str, str]] = {
    "SimplifyFCTranspose": {"target_weight_name": "target_weights"},
    "PlanDevices": {"config": "targets"},
}
"""Options that TVM calls otherwise, by pass."""

_AS_IN_TVM: Mapping[str, Mapping[str, object]] = {"FuseOps": {"name_parameters": False}}
"""Options by which a pass prints what TVM's does, where ours reads better by default."""

_PassClass = TypeVar("_PassClass", bound=type[Pass])


def adopt(cls: _PassClass) -> _PassClass:
    """A class of the same passes whose calls take and give mutable modules.

    A module of another kind is left to the pass as it is: inside of a pipeline, and where ours call it.
    """
    return _adopt(cls)


@functools.cache
def _adopt(cls: Any) -> Any:
    renamed = _RENAMED.get(cls.__name__, {})

    def call(self: Any, module: IRModule, context: PassContext | None = None) -> IRModule:
        if not isinstance(module, MutableModule):
            return cls.__call__(self, module, context)
        return thawed(cls.__call__(self, module.content, context))

    @functools.wraps(cls.__init__)
    def initialise(self: Any, *args: Any, **options: Any) -> None:
        given = {renamed.get(name, name): _by_name(value) for name, value in options.items()}
        cls.__init__(self, *map(_by_name, args), **{**_AS_IN_TVM.get(cls.__name__, {}), **given})

    members = {"__call__": call, "__init__": initialise, "__doc__": cls.__doc__, "__module__": cls.__module__}
    made: Any = type(cls.__name__, (cls,), members)
    made.__qualname__ = cls.__qualname__
    return made


def _by_name(option: Any) -> Any:
    """An option as our passes take it: parameters stand in the keys of a mapping by their names."""
    if not isinstance(option, Mapping):
        return option
    entries = cast("Mapping[object, object]", option).items()
    return {key.name_hint if isinstance(key, Var) else key: value for key, value in entries}


def pass_class(name: str) -> type[Pass]:
    """The pass called ``name``.

    Raises:
        AttributeError: there is none, with the nearest one that there is.
    """
    cls = find(name)
    if cls is None:
        raise AttributeError(f"relay_lsp has no pass {name}{did_you_mean(name, registered())}")
    return adopt(cls)


def function_pass_of(
    pass_func: Any = None, opt_level: int | None = None, name: str | None = None, required: Sequence[str] | None = None
) -> Any:
    """``function_pass`` of TVM: a pass from a function ``(func, mod, ctx)``, or from a class."""
    if pass_func is None:
        return functools.partial(function_pass_of, opt_level=opt_level, name=name, required=required)
    return _adopted(function_pass(pass_func, opt_level, name, required))


def module_pass_of(
    pass_func: Any = None, opt_level: int | None = None, name: str | None = None, required: Sequence[str] | None = None
) -> Any:
    """``module_pass`` of TVM: a pass from a function ``(mod, ctx)`` or a class; it may change ``mod`` in place."""
    if pass_func is None:
        return functools.partial(module_pass_of, opt_level=opt_level, name=name, required=required)
    decorated: Any = pass_func
    if isinstance(pass_func, type):
        transform = _on_mutable(getattr(decorated, "transform_module"))  # noqa: B009 - any class of a script's
        decorated = type(pass_func.__name__, (pass_func,), {"transform_module": transform})
    else:
        decorated = _on_mutable(decorated)
    return _adopted(module_pass(decorated, opt_level, name, required))


def _on_mutable(transform: Callable[..., Any]) -> Callable[..., Any]:
    """``transform`` with each module among its arguments made mutable, and its result as passes take it."""

    @functools.wraps(transform)
    def transform_copy(*args: Any) -> Any:
        after = transform(*(thawed(each) if isinstance(each, IRModule) else each for each in args))
        return frozen(after) if isinstance(after, IRModule) else after

    return transform_copy


def _adopted(made: Any) -> Any:
    if isinstance(made, type):
        return adopt(cast("type[Pass]", made))
    made.__class__ = adopt(cast("type[Pass]", type(made)))
    return made


def run_on_expression(name: str, expr: Expr, module: IRModule | None = None, **options: object) -> Expr:
    """What a pass over ``@main`` makes of one expression, beside the other functions of ``module``."""
    others = {var: each for var, each in module.functions.items() if var.name_hint != "main"} if module else {}
    types = module.type_definitions if module else None
    after = create(name, **options)(IRModule.from_expr(expr, others, types))["main"]
    return after if isinstance(expr, Function) else after.body
