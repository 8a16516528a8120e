"""From a part of an expression to its range in the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..diagnostics import Place
from ..expressions import Expr
from ..text.text_span import TextSpan
from .shapes import ShapeNode
from .tokens import BLOCK, CLAUSES, GLOBAL, LOCAL
from .units import SyntaxOrigin

__all__ = ["argument_nodes", "attribute_node", "node_span", "place_span"]


_WRITTEN_TYPES: Final = {"ret_type": "result_type", "type_annotation": "annotation"}
"""The fields of functions and variables that are types, with the parts of the syntax that they are written in."""
_KNOWN_BY_NAME: Final = ("header", "let_binding", "parameter", "free_variable")
"""What a whole function of the module, or a variable, has of the syntax: its name is its place."""
_PATTERNS: Final = ("wildcard", "variable_pattern", "constructor_pattern", "tuple_pattern")


def place_span(origins: Mapping[Expr, SyntaxOrigin], place: Place) -> TextSpan | None:
    """The range of ``place``, as near as the text has it."""
    origin = origins.get(place.expr)
    if origin is None:
        return None
    if place.branch is not None and place.pattern is not None:
        origin = _pattern_origin(origin, place.branch, place.pattern)
    elif place.branch is not None:
        origin = _branch_origin(origin, place.branch)
    node: ShapeNode | None = None
    if place.argument is not None:
        arguments = argument_nodes(origin.node)
        if place.argument < len(arguments):
            node = arguments[place.argument]
    elif place.attribute in _WRITTEN_TYPES:
        written = origin.node.child(_WRITTEN_TYPES[place.attribute])
        node = written.nodes()[-1] if written is not None else None
    elif place.attribute is not None:
        attribute = attribute_node(origin, place.attribute)
        if attribute is not None:
            value = attribute.children[-1]
            node = value if isinstance(value, ShapeNode) else attribute
        elif origin.node.rule == "call":
            node = origin.node.nodes()[0]
    elif place.callee and origin.node.rule == "call":
        node = origin.node.nodes()[0]
    if node is None and origin.node.rule in _KNOWN_BY_NAME:
        kinds = origin.statement.kinds
        name = next(
            child for child in origin.node.children if isinstance(child, int) and kinds[child] in (LOCAL, GLOBAL)
        )
        token = origin.statement.token(name)
        return origin.unit.range(token, token)
    return node_span(origin, node if node is not None else origin.node)


def _pattern_origin(origin: SyntaxOrigin, arm: int, number: int) -> SyntaxOrigin:
    """A pattern in the head of an arm of a ``match``: the outer ones before those in them."""
    clauses = origin.statement.blocks[origin.node.last].clauses or ()
    head = [clause.head for clause in clauses if clause.is_readable][arm]
    assert head is not None
    assert head.root is not None
    node = head.root.nodes()[0]
    stack = [node]
    for _ in range(number + 1):
        node = stack.pop() if stack else node
        stack.extend(part for part in reversed(node.nodes()) if part.rule in _PATTERNS)
    return SyntaxOrigin(origin.unit, head, node)


def _branch_origin(origin: SyntaxOrigin, branch: int) -> SyntaxOrigin:
    """The last statement of a branch of an ``if``, or of an arm of a ``match``: its value; else what has these."""
    outer = origin.statement
    blocks = [outer.blocks[child] for child in origin.node.children if isinstance(child, int) and child in outer.blocks]
    if origin.node.rule == "match":
        arms = [clause.body for block in blocks for clause in block.clauses or () if clause.is_readable]
    else:
        arms = [block.statements for block in blocks]
    statements = arms[branch] if branch < len(arms) else ()
    while statements and (root := statements[-1].root) is not None:
        last = statements[-1]
        if last.kinds != BLOCK:
            return SyntaxOrigin(origin.unit, last, root)
        statements = last.blocks[0].statements
    return origin


def argument_nodes(node: ShapeNode) -> list[ShapeNode]:
    """The parts of a node that are counted: arguments, operands, fields, an ``if``'s condition, a ``let``'s value."""
    if node.rule == "call":
        node = node.nodes()[-1]
        return [child for child in node.nodes() if child.rule != "attributes"]
    if node.rule == "conditional":
        return node.nodes()[:1]
    if node.rule == "let_binding":
        return node.nodes()[-1:]
    if node.rule in ("infix", "tuple", "ref_create", "ref_read", "ref_write"):
        return node.nodes()
    return []


def attribute_node(origin: SyntaxOrigin, name: str) -> ShapeNode | None:
    """The attribute of a call by its name."""
    node = origin.node
    if node.rule != "call":
        return None
    given = node.nodes()[-1].child("attributes")
    texts = origin.unit.segment.tokens[1]
    for attribute in given.nodes() if given is not None else ():
        if texts[origin.statement.token(attribute.first)] == name:
            return attribute
    return None


def node_span(origin: SyntaxOrigin, node: ShapeNode) -> TextSpan:
    """The range of a node of the same statement."""
    statement, unit = origin.statement, origin.unit
    last = statement.token(node.last)
    if statement.kinds[node.last] in (BLOCK, CLAUSES):
        last = statement.blocks[node.last].close
    return unit.range(statement.token(node.first), max(last, statement.token(node.first)))
