"""``tvm.relay``: expressions, types, operators as functions, passes. Operators are looked up by name at their use."""

from __future__ import annotations

import typing

from relay_lsp.ir.expressions import (
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
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.module import TypeData
from relay_lsp.ir.spans import SequentialSpan, SourceName, Span
from relay_lsp.ir.types import (
    ANY,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RelayRefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)

from . import (
    adt,
    analysis,
    build_module,
    collage,
    dataflow_pattern,
    expr,
    expr_functor,
    frontend,
    function,
    op,
    qnn,
    quantize,
    scope_builder,
    testing,
    transform,
    ty,
)
from .build_module import bind_params_by_name, build, create_executor, optimize
from .expr import TupleWrapper, bind, const, var
from .expr_functor import ExprFunctor, ExprMutator, ExprVisitor
from .op import annotation, image, nn, random, vision
from .parser import fromtext, parse, parse_expr
from .scope_builder import ScopeBuilder
from .ty import TypeKind

__all__ = [
    "Any",
    "Call",
    "Clause",
    "Constant",
    "Constructor",
    "Expr",
    "ExprFunctor",
    "ExprMutator",
    "ExprVisitor",
    "FuncType",
    "Function",
    "GlobalTypeVar",
    "GlobalVar",
    "If",
    "IncompleteType",
    "Let",
    "Match",
    "PatternConstructor",
    "PatternTuple",
    "PatternVar",
    "PatternWildcard",
    "RefCreate",
    "RefRead",
    "RefType",
    "RefWrite",
    "ScopeBuilder",
    "SequentialSpan",
    "SourceName",
    "Span",
    "TensorType",
    "Tuple",
    "TupleGetItem",
    "TupleType",
    "TupleWrapper",
    "Type",
    "TypeCall",
    "TypeData",
    "TypeKind",
    "TypeVar",
    "Var",
    "adt",
    "analysis",
    "annotation",
    "bind",
    "bind_params_by_name",
    "build",
    "build_module",
    "collage",
    "const",
    "create_executor",
    "dataflow_pattern",
    "expr",
    "expr_functor",
    "fromtext",
    "frontend",
    "function",
    "image",
    "nn",
    "op",
    "optimize",
    "parse",
    "parse_expr",
    "qnn",
    "quantize",
    "random",
    "scalar_type",
    "scope_builder",
    "testing",
    "transform",
    "ty",
    "var",
    "vision",
]

RefType = RelayRefType


def Any() -> object:  # noqa: N802 - TVM's name
    """A dimension that is not known."""
    return ANY


def scalar_type(dtype: str) -> TensorType:
    """The type of a number."""
    return TensorType((), dtype)


def __getattr__(name: str) -> typing.Any:
    return getattr(op, name)
