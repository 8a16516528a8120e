"""The base of every pass: kinds of passes, their declarations and registry, and the context that they run in."""

from ..pass_info import PassInfo
from .configuration import ConfigOption, config_options, register_config_option
from .context import PassContext
from .declaration import Declaration, declare_pass, option
from .decorators import function_pass, module_pass
from .errors import BrokenModuleError, DamagedModuleError, PassError, did_you_mean
from .instrument import PassInstrument, pass_instrument
from .pass_kinds import FunctionPass, ModulePass, Pass, Pipeline, Sequential, has_run, is_optimizable
from .registry import create, find, register_pass, registered

__all__ = [
    "BrokenModuleError",
    "ConfigOption",
    "DamagedModuleError",
    "Declaration",
    "FunctionPass",
    "ModulePass",
    "Pass",
    "PassContext",
    "PassError",
    "PassInfo",
    "PassInstrument",
    "Pipeline",
    "Sequential",
    "config_options",
    "create",
    "declare_pass",
    "did_you_mean",
    "find",
    "function_pass",
    "has_run",
    "is_optimizable",
    "module_pass",
    "option",
    "pass_instrument",
    "register_config_option",
    "register_pass",
    "registered",
]
