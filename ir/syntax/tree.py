"""The syntax of a segment as editors ask for it: nodes with ranges, and the role of each token."""

from __future__ import annotations

import enum
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import cast

import msgspec

from ..text.text_span import TextSpan
from .blocks import Block, Statement
from .shapes import ShapeNode
from .statements import Segment
from .tokens import BLOCK, CLAUSES, GRAPH_BINDING, KEYWORDS, LOCAL, NAME

__all__ = [
    "SyntaxNode",
    "TokenRole",
    "definition_tokens",
    "nested_calls",
    "nodes_at",
    "roles_of",
    "scope_range",
    "token_index_at",
    "token_range",
]


class TokenRole(enum.Enum):
    """What a token is for."""

    NONE = "none"
    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    KEYWORD = "keyword"
    OPERATOR = "operator"
    OP_NAME = "op name"
    CONSTRUCTOR = "constructor"
    TYPE = "type"
    TYPE_PARAMETER = "type parameter"
    DTYPE = "dtype"
    LOCAL = "local"
    PARAMETER = "parameter"
    GRAPH = "graph"
    FUNCTION = "function"
    ATTRIBUTE = "attribute"
    META = "meta"
    DIRECTIVE = "directive"
    UNRESOLVED = "unresolved"


class SyntaxNode(msgspec.Struct, frozen=True):
    """A rule of the grammar over a range of the text; ``kind`` is the rule's name in ``relay.lark``."""

    kind: str
    span: TextSpan
    statement: Statement
    node: ShapeNode | None = None

    @property
    def is_block(self) -> bool:
        """Whether this is a block of statements between braces."""
        return self.node is None


_BY_KIND = {
    "s": TokenRole.STRING,
    "U": TokenRole.STRING,
    "N": TokenRole.NUMBER,
    "F": TokenRole.NUMBER,
    "b": TokenRole.KEYWORD,
    "L": TokenRole.LOCAL,
    "G": TokenRole.GRAPH,
    "@": TokenRole.FUNCTION,
    "I": TokenRole.OP_NAME,
    "T": TokenRole.TYPE,
    "M": TokenRole.META,
    "V": TokenRole.DIRECTIVE,
    "X": TokenRole.DIRECTIVE,
    "D": TokenRole.DIRECTIVE,
    "u": TokenRole.UNRESOLVED,
    "C": TokenRole.COMMENT,
    "K": TokenRole.COMMENT,
    "_": TokenRole.KEYWORD,
}

_BY_RULE = {
    "attribute": TokenRole.ATTRIBUTE,
    "named_type": TokenRole.TYPE,
    "type_definition": TokenRole.TYPE,
    "constructor": TokenRole.CONSTRUCTOR,
    "constructor_pattern": TokenRole.CONSTRUCTOR,
    "type_parameters": TokenRole.TYPE_PARAMETER,
    "tensor_type": TokenRole.DTYPE,
    "parameter": TokenRole.PARAMETER,
}


def roles_of(segment: Segment) -> list[TokenRole]:
    """The role of each token of a segment (comments left out), as far as its own syntax tells."""
    known = segment.memo.get("roles")
    if isinstance(known, list):
        return known  # pyright: ignore[reportUnknownVariableType]
    kinds, texts, _ = segment.tokens
    roles = [_BY_KIND.get(kind) or (TokenRole.KEYWORD if kind in KEYWORDS else TokenRole.OPERATOR) for kind in kinds]
    if "None" in texts:  # An identifier to the grammar, since it is one as an attribute's value alone.
        roles = [TokenRole.KEYWORD if text == "None" else role for role, text in zip(roles, texts, strict=True)]
    for statement in segment.every_statement():
        if statement.root is None:
            continue
        for node in statement.root.post_order():
            role = _BY_RULE.get(node.rule)
            if role is None:
                continue
            for child in node.children:
                if isinstance(child, int) and statement.kinds[child] in NAME + LOCAL:
                    token = statement.token(child)
                    roles[token] = role
                    if role is TokenRole.TYPE and texts[token].startswith(("int", "uint", "float", "bool", "bfloat")):
                        roles[token] = TokenRole.DTYPE
    segment.memo["roles"] = roles
    return roles


def token_index_at(segment: Segment, offset: int) -> int | None:
    """The token (comments left out) that contains ``offset``, or ends there where none begins."""
    _, texts, starts = segment.tokens
    token: int | None = None
    low, high = 0, len(starts)
    while low < high:
        middle = (low + high) // 2
        if starts[middle] <= offset:
            low = middle + 1
        else:
            high = middle
    index = low - 1
    if index >= 0 and offset <= starts[index] + len(texts[index]):
        token = index
    if token is not None and token > 0 and starts[token] == offset and not _is_word(texts[token]):
        previous = token - 1
        if starts[previous] + len(texts[previous]) == offset and _is_word(texts[previous]):
            return previous  # the cursor between a name and a bracket belongs to the name
    return token


def _is_word(text: str) -> bool:
    return text[:1].isalnum() or text[:1] in '%@_"'


def nodes_at(segment: Segment, offset: int, base: int) -> Iterator[SyntaxNode]:
    """The nodes around ``offset``, counted from the segment's start at ``base``; the innermost first."""
    path: list[SyntaxNode] = []
    segment.parse()
    statements: Sequence[Statement] = segment.statements
    while statements:
        chosen = _statement_at(segment, statements, offset)
        if chosen is None:
            break
        span = segment.range(chosen.first, _last_token(chosen, len(chosen.kinds) - 1))
        path.append(SyntaxNode("statement", span.shifted(base), chosen, chosen.root))
        block: Block | None = None
        if chosen.root is not None:
            for node in _path_in(segment, chosen, offset):
                path.append(SyntaxNode(node.rule, _node_range(segment, chosen, node).shifted(base), chosen, node))
        parameter = _statement_at(segment, chosen.listed, offset)
        if parameter is not None:
            for node in _path_in(segment, parameter, offset):
                path.append(SyntaxNode(node.rule, _node_range(segment, parameter, node).shifted(base), parameter, node))
        for candidate in chosen.blocks.values():
            start = segment.span(candidate.open).start
            close = candidate.close
            if start <= offset <= segment.span(close).end:
                block = candidate
                span = segment.range(candidate.open, close).shifted(base)
                path.append(SyntaxNode("block", span, chosen))
        statements = block.parts() if block is not None else ()
    return reversed(path)


def _last_token(statement: Statement, position: int) -> int:
    if statement.kinds[position] in (BLOCK, CLAUSES):
        return statement.blocks[position].close
    return statement.token(position)


def token_range(statement: Statement, node: ShapeNode) -> tuple[int, int]:
    """The first and the last token of a node of a statement."""
    first = statement.token(node.first)
    return first, max(first, _last_token(statement, node.last))


def _node_range(segment: Segment, statement: Statement, node: ShapeNode) -> TextSpan:
    return segment.range(*token_range(statement, node))


def _statement_at(segment: Segment, statements: Sequence[Statement], offset: int) -> Statement | None:
    def range_of(statement: Statement) -> TextSpan:
        last = _last_token(statement, len(statement.kinds) - 1)
        return segment.range(statement.first, max(statement.first, last))

    at = bisect_left(statements, offset, key=lambda statement: range_of(statement).end)
    return statements[at] if at < len(statements) and range_of(statements[at]).start <= offset else None


def _path_in(segment: Segment, statement: Statement, offset: int) -> Iterator[ShapeNode]:
    node = statement.root
    while node is not None:
        yield node
        inner: ShapeNode | None = None
        children = node.children
        at = bisect_left(children, offset, key=lambda child: _child_range(segment, statement, child).end)
        while at < len(children):
            child = children[at]
            span = _child_range(segment, statement, child)
            if span.start > offset:
                break
            if isinstance(child, ShapeNode):
                inner = child
                if offset < span.end:
                    break
            at += 1
        node = inner


def _child_range(segment: Segment, statement: Statement, child: ShapeNode | int) -> TextSpan:
    if isinstance(child, ShapeNode):
        return _node_range(segment, statement, child)
    first = statement.token(child)
    return segment.range(first, max(first, _last_token(statement, child)))


_BINDINGS = frozenset(("graph_binding", "let_binding"))


def nested_calls(segment: Segment) -> Iterator[tuple[Statement, ShapeNode, TextSpan]]:
    """The calls of what has a plain name that are inside of other expressions, or the value of braces.

    Each with its statement and its range, counted from the segment's start. Every node is visited once.
    """
    segment.parse()
    outermost = {id(statement) for statement in segment.statements}
    for statement in segment.every_statement():
        root = statement.root
        if root is None:
            continue
        # Each node, and the nearest node around it that has another range: none binds what is inside of another.
        stack: list[tuple[ShapeNode, str | None]] = [(root, None if id(statement) in outermost else "block")]
        while stack:
            node, around = stack.pop()
            first = node.children[0] if node.rule == "call" else None
            is_named = isinstance(first, ShapeNode) and first.rule == "name"
            if is_named and around is not None and around not in _BINDINGS:
                yield statement, node, _node_range(segment, statement, node)
            for child in reversed(node.children):
                if isinstance(child, ShapeNode):
                    is_same = child.first == node.first and child.last == node.last
                    stack.append((child, around if is_same else node.rule))


def _binds_first(statement: Statement, token: int) -> bool:
    """Whether a graph variable at ``token`` is what a statement begins with."""
    return token == statement.first and statement.kinds.startswith(GRAPH_BINDING)


def definition_tokens(segment: Segment, token: int) -> tuple[int, int]:
    """The first and the last token of the statement, parameter or pattern that the name at ``token`` is defined by."""
    segment.parse()
    statements = segment.statements
    if len(statements) == 1:
        statement = statements[0]
        if _binds_first(statement, token):
            return token, _last_token(statement, len(statement.kinds) - 1)
        # Of a long head, the parameters are a row: ten thousand of them are not gone through for each other.
        at = bisect_right(statement.listed, token, key=lambda each: each.first) - 1
        root = statement.listed[at].root if at >= 0 else None
        if root is not None and root.rule == "parameter":
            first, last = token_range(statement.listed[at], root)
            if first <= token <= last:
                return first, last
    return _innermost(segment, "definitions", _definitions_in, token) or (token, token)


def scope_range(segment: Segment, token: int, base: int) -> TextSpan | None:
    """The range of the innermost block or function of a segment that the token is in; ``None`` outside of them."""
    segment.parse()
    around = _innermost(segment, "scopes", _scopes_in, token)
    return None if around is None else segment.range(*around).shifted(base)


def _definitions_in(statement: Statement) -> Iterator[tuple[int, int]]:
    """The first and last tokens of a statement, and of the parameters, patterns and constructors in it."""
    yield statement.first, max(statement.first, _last_token(statement, len(statement.kinds) - 1))
    for node in _nodes_of(statement, _DEFINING):
        yield statement.token(node.first), _last_token(statement, node.last)


def _scopes_in(statement: Statement) -> Iterator[tuple[int, int]]:
    """The first and last tokens of the blocks and functions in a statement."""
    for block in statement.blocks.values():
        yield block.open, max(block.open, block.close)
    for node in _nodes_of(statement, ("function",)):
        yield statement.token(node.first), _last_token(statement, node.last)


_DEFINING = ("parameter", "variable_pattern", "constructor")


def _nodes_of(statement: Statement, rules: Sequence[str]) -> Iterator[ShapeNode]:
    if statement.root is not None:
        yield from (node for node in statement.root.post_order() if node.rule in rules)


def _innermost(
    segment: Segment, key: str, ranges_in: Callable[[Statement], Iterable[tuple[int, int]]], token: int
) -> tuple[int, int] | None:
    """The innermost of the ranges of tokens that a segment's statements have which is around a token.

    What begins and ends where is kept: a name in a thousand blocks would else be looked for through all of them.
    """
    kept = cast("tuple[list[int], list[tuple[int, int] | None]] | None", segment.memo.get(key))
    if kept is None:
        segment.memo[key] = kept = _changes(each for one in segment.every_statement() for each in ranges_in(one))
    places, around = kept
    at = bisect_right(places, token) - 1
    return around[at] if at >= 0 else None


def _changes(ranges: Iterable[tuple[int, int]]) -> tuple[list[int], list[tuple[int, int] | None]]:
    """The tokens from which on another range than before is the innermost, and which one is."""
    places: list[int] = []
    around: list[tuple[int, int] | None] = []
    opened: list[tuple[int, int]] = []

    def close_before(token: float) -> None:
        while opened and opened[-1][1] < token:
            places.append(opened.pop()[1] + 1)
            around.append(opened[-1] if opened else None)

    for range in sorted(ranges, key=lambda range: (range[0], -range[1])):
        close_before(range[0])
        opened.append(range)
        places.append(range[0])
        around.append(range)
    close_before(inf)
    return places, around
