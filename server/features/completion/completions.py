"""What can be written at the cursor: operators, attributes, values in scope, types, dtypes, constructors, functions;
in a comment that names the file's pipeline, passes and their options.

Items carry no documentation until one is selected: :func:`documentation` gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from relay_lsp.ir import ops
from relay_lsp.ir.ops.documentation import signature
from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind, Token, TokenRole
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import DataType, FuncType, Type

from ..documentation.operator_documentation import attribute_documentation, operator_documentation
from ..documentation.type_words import type_words
from ..matching import NEAREST, likeness
from .attributes import (
    DTYPES,
    attribute_completions,
    field_before,
    list_completions,
    string_values,
    value_completions,
)
from .items import Completion, CompletionKind, Completions
from .operators import is_internal, operator_completions
from .pipelines import pass_documentation, pipeline_completions
from .places import CompletionPlace, is_pattern, place_at
from .snippets import DEFINITIONS, KEYWORDS, applied
from .statement import StatementPlace, place_in_statement
from .values import field_completions, next_name, value_completions_at

__all__ = ["Completion", "CompletionKind", "Completions", "completions", "documentation"]

_PROJECTION = re.compile(r"(?P<tuple>%[\w.]+)\.(?P<field>\d*)\Z")
_WORD = re.compile(r"[%@]?[\w.]*\Z")

_LONGEST_WORD = 200
_LONGEST_DETAIL = 80
_MOST_PLACES = 12
"""A call of a function with more parameters has no place for each of them to jump to: the main function of a model has
a hundred, and one line would hold them all."""

_MOST = 400
_MOST_NAMED = 100
"""Of values and functions, after the ``%`` or ``@`` that all begin with, so many are offered: each letter more brings
others."""

_MOST_VALUES = 50
"""Of the values in scope and of the functions, so many of the best are offered before one types the ``%`` or ``@`` that
all begin with."""

_BEHIND = 10
"""Further than any likeness: so far behind plain operators are internal ones, until the dot in their names is typed."""

_TYPE_WORDS = ("Tensor", "fn", "ref")


def completions(snapshot: Snapshot, offset: int) -> Completions:
    """What can stand at ``offset`` and has the letters of the word that is begun, likeliest first."""
    begun: dict[int, str] = {}
    likenesses: dict[int, list[Completion]] = {}
    count, most = 0, _MOST
    for item in _candidates(snapshot, offset):
        start = item.span.start
        word = begun.get(start)
        if word is None:
            word = begun[start] = snapshot.lines.part(start, offset)
            if word.startswith(("%", "@")):
                most = _MOST_NAMED
        rank = likeness(item.label, word)
        if rank is not None:
            if item.kind is CompletionKind.OPERATOR and "." not in word and is_internal(item.label):
                rank += _BEHIND
            likenesses.setdefault(rank, []).append(item)
            count += 1
            if rank == NEAREST and len(likenesses[rank]) > most:
                break  # nothing can come before these
    ranked = [item for rank in sorted(likenesses) for item in likenesses[rank]]
    return Completions(ranked[:most], is_incomplete=count > most)


def _candidates(snapshot: Snapshot, offset: int) -> Iterator[Completion]:
    """Everything that can stand at ``offset``, likeliest first."""
    if _in_comment_or_string(snapshot, offset):
        yield from _string_completions(snapshot, offset)
        return
    head = snapshot.lines.part(offset - _LONGEST_WORD, offset)
    match = _WORD.search(head)
    word = match[0] if match else ""
    span = TextSpan(offset - len(word), offset)
    before = head[: len(head) - len(word)].rstrip()
    place = place_in_statement(snapshot, span.start)
    projection = _PROJECTION.match(word)
    if projection is not None:
        fields = TextSpan(offset - len(projection["field"]), offset)
        yield from field_completions(snapshot, place, projection["tuple"], fields)
    if word.startswith(("%", "@")) and (place.is_naming or is_pattern(snapshot, offset, before)):
        return
    if word.startswith("%"):
        if place.is_start:
            yield from _new_value(snapshot, span)
        yield from value_completions_at(snapshot, place, span, word)
        return
    if word.startswith("@"):
        yield from _functions(snapshot, span, word, _MOST_NAMED + 1)
        return
    wanted = place_at(snapshot, offset, before)
    if wanted is CompletionPlace.TYPE:
        yield from _types(snapshot, span)
    elif wanted is CompletionPlace.TOP_LEVEL:
        yield from _snippets(DEFINITIONS, span)
    elif wanted is CompletionPlace.PATTERN:
        yield from _constructors(snapshot, span, as_patterns=not before.endswith("("))
        yield Completion("_", CompletionKind.KEYWORD, span, "any value", snippet="_ => $0,")
    elif wanted is CompletionPlace.DTYPE:
        yield from _dtypes(span)
    elif wanted is CompletionPlace.EXPRESSION and not place.is_naming:
        yield from _expressions(snapshot, place, before, span, word)


def _expressions(
    snapshot: Snapshot, place: StatementPlace, before: str, span: TextSpan, word: str
) -> Iterator[Completion]:
    """What can stand where an expression is wanted: what the place most likely wants first.

    At the start of a statement that is its name, behind ``=`` an operator, in a call an argument, or where it has
    them all, an attribute.
    """
    call = snapshot.call_at(span.start)
    field = field_before(call, before)
    if field is not None:
        values = value_completions if before.endswith("=") else list_completions
        yield from values(snapshot, field, span)
        return
    if place.is_start:
        yield from _new_value(snapshot, span)
    if place.is_value_start:
        yield from operator_completions(snapshot, place, span, word)
    op = ops.find(call.op_name) if call is not None else None
    has_all = call is not None and op is not None and not op.variadic and call.argument_index >= len(op.arguments)
    if call is not None and has_all:
        yield from attribute_completions(call, span)
    yield from islice(value_completions_at(snapshot, place, span, ""), _MOST_VALUES)
    if call is not None and not has_all:
        yield from attribute_completions(call, span)
    yield from _functions(snapshot, span, word, _MOST_VALUES)
    yield from _constructors(snapshot, span)
    if not place.is_value_start:
        yield from operator_completions(snapshot, place, span, word)
    yield from _snippets(KEYWORDS, span)


def _new_value(snapshot: Snapshot, span: TextSpan) -> Iterator[Completion]:
    """The next free name, with the ``=`` and the ``;`` that the line does not have yet."""
    name = next_name(snapshot, span.start)
    if name is None:
        return
    line, column = snapshot.lines.line_and_column(span.end)
    rest = snapshot.lines.line(line)[column:].strip()
    if rest.startswith("="):
        yield Completion(name, CompletionKind.VALUE, span, "new value")
    else:
        plain = f"{name} = "
        snippet = "" if rest and rest != "}" else f"{plain}$0;"
        yield Completion(name, CompletionKind.VALUE, span, "new value", insert_text=plain, snippet=snippet)


def _snippets(words: Mapping[str, str], span: TextSpan) -> Iterator[Completion]:
    for word, snippet in words.items():
        plain = snippet.partition("$0")[0] if word.startswith("#") else ""
        yield Completion(word, CompletionKind.KEYWORD, span, insert_text=plain, snippet=snippet)


def _in_comment_or_string(snapshot: Snapshot, offset: int) -> bool:
    token = _written_at(snapshot, offset)
    inside = token is not None and token.span.start < offset < token.span.end
    at_end = token is not None and token.span.end <= offset and token.text.startswith("//")
    return token is not None and token.role in (TokenRole.COMMENT, TokenRole.STRING) and (inside or at_end)


def _written_at(snapshot: Snapshot, offset: int) -> Token | None:
    """The token at ``offset``; among the blanks behind a comment that ends with its line, the comment."""
    token = snapshot.token_at(offset)
    lines = snapshot.lines
    line_start = lines.line_start(lines.line_and_column(offset)[0])
    written = lines.part(line_start, offset).rstrip()
    if token is None and written:
        token = snapshot.token_at(line_start + len(written) - 1)
        return token if token is not None and token.text.startswith("//") else None
    return token


def _string_completions(snapshot: Snapshot, offset: int) -> list[Completion]:
    """Inside an attribute's string: the strings that it takes. Inside the pipeline's comment: passes."""
    token = _written_at(snapshot, offset)
    if token is not None and token.role is TokenRole.COMMENT:
        return list(pipeline_completions(snapshot.lines.part(token.span.start, offset), offset))
    if token is None or token.role is not TokenRole.STRING:
        return []
    before = snapshot.lines.part(token.span.start - _LONGEST_WORD, token.span.start).rstrip()
    field = field_before(snapshot.call_at(token.span.start), before)
    if field is None:
        return []
    inner = TextSpan(token.span.start + 1, max(token.span.end - 1, token.span.start + 1))
    return [Completion(text, CompletionKind.ATTRIBUTE_VALUE, inner) for text in string_values(field)]


def _functions(snapshot: Snapshot, span: TextSpan, word: str, most: int) -> Iterator[Completion]:
    """The functions whose names are likest a word, as many as are wanted: a module may have thousands."""
    ranks = {name: rank for name, _ in snapshot.calls if (rank := likeness(name, word)) is not None}
    for symbol in snapshot.functions_named(set(sorted(ranks, key=ranks.__getitem__)[:most])):
        type = symbol.type
        arguments = type.arg_types if isinstance(type, FuncType) else ()
        places = [repr(argument) for argument in arguments] if len(arguments) <= _MOST_PLACES else []
        snippet = applied(symbol.name, places)
        yield Completion(symbol.name, CompletionKind.FUNCTION, span, _one_line(type), snippet=snippet)


def _one_line(type: Type | None) -> str:
    """A function's type beside its name: where it is long, how many parameters there are, and the result."""
    if not isinstance(type, FuncType):
        return type_words(type)
    if len(type.arg_types) <= _MOST_PLACES and len(words := type_words(type)) <= _LONGEST_DETAIL:
        return words
    return f"fn ({len(type.arg_types)} parameters) -> {type_words(type.ret_type)}"


def _constructors(snapshot: Snapshot, span: TextSpan, as_patterns: bool = False) -> Iterator[Completion]:
    """The constructors, applied to what they take; as patterns, each as an arm that binds it."""
    for symbol in snapshot.type_symbols:
        if symbol.kind is SymbolKind.CONSTRUCTOR:
            detail = symbol.container.name if symbol.container is not None else ""
            type = symbol.type
            inputs = [repr(each) for each in type.arg_types] if isinstance(type, FuncType) else []
            if as_patterns:
                inputs = [f"%{letter}" for letter, _ in zip("xyzuvw", inputs, strict=False)]
            snippet = applied(symbol.name, inputs).removesuffix("$0") if inputs else symbol.name
            snippet += " => $0," if as_patterns else "$0" if inputs else ""
            yield Completion(symbol.name, CompletionKind.CONSTRUCTOR, span, detail, snippet=snippet)


def _types(snapshot: Snapshot, span: TextSpan) -> Iterator[Completion]:
    for name in _TYPE_WORDS:
        snippet = "Tensor[($1), ${2:float32}]" if name == "Tensor" else ""
        yield Completion(name, CompletionKind.TYPE, span, snippet=snippet)
    yield from _dtypes(span)
    types = [symbol for symbol in snapshot.type_symbols if symbol.kind is SymbolKind.TYPE]
    for symbol in (*types, *snapshot.type_parameters_at(span.start)):
        yield Completion(symbol.name, CompletionKind.TYPE, span)


def _dtypes(span: TextSpan) -> Iterator[Completion]:
    for name in DTYPES:
        yield Completion(name, CompletionKind.DTYPE, span, f"{DataType(name).bits} bits")


def documentation(subject: str) -> str:
    """The documentation of a completion, in Markdown; empty where it has none."""
    kind, _, rest = subject.partition(":")
    if kind in ("pass", "option"):
        return pass_documentation(*rest.partition(":")[::2])
    op = ops.find(rest.partition(":")[0])
    if op is None:
        return ""
    if kind == "op":
        return f"```relay\n{signature(op)}\n```\n\n{operator_documentation(op)}"
    field = op.attrs_type.fields().get(rest.partition(":")[2]) if op.attrs_type is not None else None
    return attribute_documentation(field) if field is not None else ""
