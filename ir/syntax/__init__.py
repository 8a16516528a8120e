"""Text to expressions: lexer, grammar, segments, and what they mean."""

from .parsing import Parsed, ParsedExpr, parse, parse_expr

__all__ = ["Parsed", "ParsedExpr", "parse", "parse_expr"]
