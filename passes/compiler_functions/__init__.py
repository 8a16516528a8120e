"""Functions that go to an external compiler whole: taken out of line, marked as compiled already, taken back.

Source of the rule: ``src/relay/transforms/compiler_function_utils.cc``.
"""

from .inline_compiler_functions_bound_to import InlineCompilerFunctionsBoundTo
from .mark_compiler_functions_as_extern import MarkCompilerFunctionsAsExtern
from .outline_compiler_functions import OutlineCompilerFunctionsWithExistingGlobalSymbols

__all__ = [
    "InlineCompilerFunctionsBoundTo",
    "MarkCompilerFunctionsAsExtern",
    "OutlineCompilerFunctionsWithExistingGlobalSymbols",
]
