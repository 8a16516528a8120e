"""TVM's dataflow pattern language: say what a piece of a graph looks like, then match, rewrite or partition."""

from .language import (
    DFPattern,
    FunctionPattern,
    dominates,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    wildcard,
)
from .matcher import Matches, PatternMatcher, match
from .rewriting import DFPatternCallback, partition, rewrite

__all__ = [
    "DFPattern",
    "DFPatternCallback",
    "FunctionPattern",
    "Matches",
    "PatternMatcher",
    "dominates",
    "has_attr",
    "has_dtype",
    "has_shape",
    "has_type",
    "is_constant",
    "is_expr",
    "is_if",
    "is_let",
    "is_op",
    "is_tuple",
    "is_tuple_get_item",
    "is_var",
    "match",
    "partition",
    "rewrite",
    "wildcard",
]
