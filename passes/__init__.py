"""Passes over Relay modules: the infrastructure that they run in, provenance, and one file per pass.

Every pass is an attribute by its name, ``passes.FuseOps(2)``: a class whose options may be given by position, in TVM's
order. Its file is imported at first use.
"""

from __future__ import annotations

from typing import Any

from .infrastructure import (
    Declaration,
    FunctionPass,
    ModulePass,
    Pass,
    PassContext,
    PassError,
    PassInfo,
    PassInstrument,
    Pipeline,
    Sequential,
    config_options,
    create,
    declare_pass,
    find,
    function_pass,
    module_pass,
    option,
    pass_instrument,
    register_pass,
    registered,
)
from .optimization import bind_params_by_name, optimize, read_parameters
from .provenance import Event, ExprMutator, Trace, TraceStep

__all__ = [
    "Declaration",
    "Event",
    "ExprMutator",
    "FunctionPass",
    "ModulePass",
    "Pass",
    "PassContext",
    "PassError",
    "PassInfo",
    "PassInstrument",
    "Pipeline",
    "Sequential",
    "Trace",
    "TraceStep",
    "bind_params_by_name",
    "config_options",
    "create",
    "declare_pass",
    "find",
    "function_pass",
    "module_pass",
    "optimize",
    "option",
    "pass_instrument",
    "read_parameters",
    "register_pass",
    "registered",
]


def __getattr__(name: str) -> Any:
    # A name in lower case may be a module of this package that is just being imported.
    pass_class = find(name) if name[:1].isupper() else None
    if pass_class is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return pass_class
