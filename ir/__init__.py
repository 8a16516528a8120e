"""Relay's intermediate representation: text, expressions, types, operators, inference, printing, evaluation.

What is named here is the public surface; everything else is private to its folder.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .diagnostics import Diagnostic, Fix, Place, Related, Severity, TextEdit
    from .evaluation import EvaluationError, evaluate
    from .expressions import (
        Call,
        Clause,
        Constant,
        Constructor,
        Expr,
        Function,
        GlobalVar,
        If,
        Let,
        Match,
        RefCreate,
        RefRead,
        RefWrite,
        Tuple,
        TupleGetItem,
        Var,
    )
    from .formatting import format_text
    from .inference import infer_expr, infer_types
    from .module import IRModule, TypeData
    from .ops.operator import Op
    from .printing import to_text
    from .semantic.snapshot import Snapshot
    from .spans import SequentialSpan, SourceName, Span
    from .structural import first_difference, structural_equal, structural_hash
    from .syntax import Parsed, ParsedExpr, parse, parse_expr
    from .text.line_index import LineIndex
    from .text.text_span import TextSpan
    from .types import (
        ANY,
        DataType,
        FuncType,
        GlobalTypeVar,
        IncompleteType,
        RelayRefType,
        SizeVar,
        TensorType,
        TupleType,
        Type,
        TypeCall,
        TypeVar,
    )

# Where each name lives. Resolved at first use, so that a client that only parses does not load the evaluator.
_HOMES = {
    "diagnostics": ("Diagnostic", "Fix", "Place", "Related", "Severity", "TextEdit"),
    "evaluation": ("EvaluationError", "evaluate"),
    "expressions": (
        "Call",
        "Clause",
        "Constant",
        "Constructor",
        "Expr",
        "Function",
        "GlobalVar",
        "If",
        "Let",
        "Match",
        "RefCreate",
        "RefRead",
        "RefWrite",
        "Tuple",
        "TupleGetItem",
        "Var",
    ),
    "formatting": ("format_text",),
    "inference": ("infer_expr", "infer_types"),
    "module": ("IRModule", "TypeData"),
    "ops.operator": ("Op",),
    "printing": ("to_text",),
    "semantic.snapshot": ("Snapshot",),
    "spans": ("SequentialSpan", "SourceName", "Span"),
    "structural": ("first_difference", "structural_equal", "structural_hash"),
    "syntax": ("Parsed", "ParsedExpr", "parse", "parse_expr"),
    "text.line_index": ("LineIndex",),
    "text.text_span": ("TextSpan",),
    "types": (
        "ANY",
        "DataType",
        "FuncType",
        "GlobalTypeVar",
        "IncompleteType",
        "RelayRefType",
        "SizeVar",
        "TensorType",
        "TupleType",
        "Type",
        "TypeCall",
        "TypeVar",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ANY",
    "Call",
    "Clause",
    "Constant",
    "Constructor",
    "DataType",
    "Diagnostic",
    "EvaluationError",
    "Expr",
    "Fix",
    "FuncType",
    "Function",
    "GlobalTypeVar",
    "GlobalVar",
    "IRModule",
    "If",
    "IncompleteType",
    "Let",
    "LineIndex",
    "Match",
    "Op",
    "Parsed",
    "ParsedExpr",
    "Place",
    "RefCreate",
    "RefRead",
    "RefWrite",
    "Related",
    "RelayRefType",
    "SequentialSpan",
    "Severity",
    "SizeVar",
    "Snapshot",
    "SourceName",
    "Span",
    "TensorType",
    "TextEdit",
    "TextSpan",
    "Tuple",
    "TupleGetItem",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeData",
    "TypeVar",
    "Var",
    "evaluate",
    "first_difference",
    "format_text",
    "infer_expr",
    "infer_types",
    "parse",
    "parse_expr",
    "structural_equal",
    "structural_hash",
    "to_text",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
