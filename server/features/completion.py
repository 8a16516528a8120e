"""What can be written at the cursor: operators, attributes, values in scope, types, dtypes, constructors, functions;
in a comment that names the file's pipeline, passes and their options.

Items carry no documentation until one is looked at: :func:`documentation` gives it.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from relay_lsp.ir import ops
from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.ops import Op
from relay_lsp.ir.ops.documentation import signature, value_text
from relay_lsp.ir.semantic.snapshot import CallSite, Snapshot, SymbolKind, Token, TokenRole
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import DataType, FuncType, TupleType

from .completion_places import CompletionPlace, place_at
from .completion_snippets import DEFINITIONS, KEYWORDS, applied, attribute_snippet, operator_snippet, placeholder
from .markdown import markdown
from .matching import NEAREST, has_in_order, in_order, likeness
from .operator_documentation import attribute_documentation, operator_documentation
from .type_words import type_words

__all__ = ["Completion", "CompletionKind", "Completions", "completions", "documentation"]

_PROJECTION = re.compile(r"(?P<tuple>%[\w.]+)\.(?P<field>\d*)\Z")
_WORD = re.compile(r"[%@]?[\w.]*\Z")
_PIPELINE = re.compile(
    r"//\s*relay-lsp:(?:[^\[\]]|\[[^\[\]]*\])*?(?:(?P<open>\w+)\[(?:[^\[\]=]*=[^\[\],]*,)*\s*\w*)?\Z"
)
"""The pipeline's comment up to the cursor; ``open`` is the pass among whose options the cursor is."""

_OPTION_VALUE = re.compile(
    r"//\s*relay-lsp:.*?(?P<pass>\w+)\[(?:[^\[\]=]*=[^\[\],]*,)*\s*(?P<option>\w+)\s*=\s*[\"']?\w*\Z"
)
"""The pipeline's comment up to the cursor, where the value of an option is being written."""

_LONGEST_WORD = 200
_MOST = 400
_MOST_NAMED = 200
"""Of values, after the ``%`` that all begin with, so many are offered: each letter more brings others."""

_MOST_SCORED = 2 * _MOST_NAMED
"""So many of the values that have the letters are looked at for how well they fit; the nearest of them."""

_MOST_VALUES = 50
"""Of the values in scope, so many of the nearest are offered before one types the ``%`` that all begin with."""

_DTYPES = (
    *("float32", "float64", "float16", "bfloat16"),
    *("int32", "int64", "int16", "int8", "uint8", "uint16", "uint32", "uint64", "bool"),
)
_TYPE_WORDS = ("Tensor", "fn", "ref")


class CompletionKind(enum.Enum):
    """What is completed; decides the icon and the order."""

    ATTRIBUTE = "attribute"
    ATTRIBUTE_VALUE = "value"
    VALUE = "variable"
    FUNCTION = "function"
    CONSTRUCTOR = "constructor"
    OPERATOR = "operator"
    TYPE = "type"
    DTYPE = "dtype"
    KEYWORD = "keyword"
    PASS = "pass"
    OPTION = "option"


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that could be written in place of ``span``. A snippet has ``$1``, ``$0`` for the cursor's stops."""

    label: str
    kind: CompletionKind
    span: TextSpan
    detail: str = ""
    insert_text: str = ""
    snippet: str = ""
    subject: str = ""
    """What :func:`documentation` needs to know: ``op:nn.relu``, ``attribute:nn.conv2d:strides``, ``pass:FuseOps``."""


@dataclass(frozen=True)
class Completions:
    """What can be written. Where there is more than an editor should be sent, it asks again with the next letter."""

    items: list[Completion]
    is_incomplete: bool


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
            if word.startswith("%"):
                most = _MOST_NAMED
        rank = likeness(item.label, word)
        if rank is not None:
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
    projection = _PROJECTION.match(word)
    if projection is not None:
        yield from _fields(snapshot, projection["tuple"], TextSpan(offset - len(projection["field"]), offset))
    if word.startswith("%"):
        yield from islice(_values(snapshot, span, word), _MOST_SCORED)
        return
    if word.startswith("@"):
        yield from _functions(snapshot, span)
        return
    before = head[: len(head) - len(word)].rstrip()
    place = place_at(snapshot, offset, before)
    if place is CompletionPlace.TYPE:
        yield from _types(snapshot, span)
    elif place is CompletionPlace.TOP_LEVEL:
        yield from _snippets(DEFINITIONS, span)
    elif place is CompletionPlace.PATTERN:
        yield from _constructors(snapshot, span, as_patterns=not before.endswith("("))
        yield Completion("_", CompletionKind.KEYWORD, span, "any value", snippet="_ => $0,")
    elif place is CompletionPlace.EXPRESSION:
        yield from _expressions(snapshot, offset, before, span)


def _expressions(snapshot: Snapshot, offset: int, before: str, span: TextSpan) -> Iterator[Completion]:
    """What can stand where an expression is wanted, attributes of the call around it first."""
    call = snapshot.call_at(offset)
    field = _field_before(call, before)
    if field is not None:
        yield from _attribute_values(field, span)
        return
    if call is not None:
        yield from _attributes(call, span)
    yield from _functions(snapshot, span)
    yield from _constructors(snapshot, span)
    yield from islice(_values(snapshot, span, ""), _MOST_VALUES)
    yield from _operators(span)
    yield from _snippets(KEYWORDS, span)


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
        return list(_passes(snapshot.lines.part(token.span.start, offset), offset))
    if token is None or token.role is not TokenRole.STRING:
        return []
    before = snapshot.lines.part(token.span.start - _LONGEST_WORD, token.span.start).rstrip()
    field = _field_before(snapshot.call_at(token.span.start), before)
    if field is None:
        return []
    inner = TextSpan(token.span.start + 1, max(token.span.end - 1, token.span.start + 1))
    return [Completion(text, CompletionKind.ATTRIBUTE_VALUE, inner) for text in _strings(field)]


def _passes(before: str, offset: int) -> Iterator[Completion]:
    """The passes that can be named after ``// relay-lsp:``, or the options of the one whose bracket is open."""
    match, value = _PIPELINE.match(before), _OPTION_VALUE.match(before)
    if match is None and value is None:
        return
    from relay_lsp.passes import registered

    word = re.search(r"\w*\Z", before)
    span = TextSpan(offset - len(word[0] if word else ""), offset)
    if match is None:
        if value is not None:
            yield from _option_values(value["pass"], value["option"], span)
        return
    if match["open"]:
        pass_class = registered().get(match["open"])
        options = pass_class.declaration().options.values() if pass_class is not None else ()
        for option in options:
            detail = option.kind if option.required else f"{option.kind}, default {value_text(option.default)}"
            yield Completion(
                option.name,
                CompletionKind.OPTION,
                span,
                detail,
                insert_text=f"{option.name}=",
                snippet=f"{option.name}={placeholder(1, value_text(option.default))}",
                subject=f"option:{match['open']}:{option.name}",
            )
        return
    for name, kind in registered().items():
        declaration = kind.declaration()
        required = [option.name for option in declaration.options.values() if option.required]
        fields = ", ".join(f"{option}=${number}" for number, option in enumerate(required, 1))
        snippet = f"{name}[{fields}]" if fields else ""
        yield Completion(name, CompletionKind.PASS, span, declaration.summary, snippet=snippet, subject=f"pass:{name}")


def _option_values(pass_name: str, name: str, span: TextSpan) -> Iterator[Completion]:
    from relay_lsp.passes import registered

    pass_class = registered().get(pass_name)
    option = pass_class.declaration().options.get(name) if pass_class is not None else None
    if option is None:
        return
    values: dict[str, None] = {} if option.required else {value_text(option.default): None}
    values.update(dict.fromkeys(map(value_text, option.choices)))
    if isinstance(option.default, bool):
        values.update({"True": None, "False": None})
    for value in values:
        detail = "default" if not option.required and value == value_text(option.default) else ""
        yield Completion(value, CompletionKind.ATTRIBUTE_VALUE, span, detail)


def _field_before(call: CallSite | None, before: str) -> AttributeField | None:
    """The attribute whose value is being written: ``before`` ends in ``name=``."""
    match = re.search(r"(\w+)\s*=\Z", before)
    op = ops.find(call.op_name) if call is not None else None
    if match is None or op is None or op.attrs_type is None:
        return None
    return op.attrs_type.fields().get(match[1])


def _strings(field: AttributeField) -> tuple[str, ...]:
    if field.choices:
        return field.choices
    if "dtype" in field.kind:
        return _DTYPES
    if isinstance(field.default, str) and field.default:
        return (field.default,)
    return ()


def _attribute_values(field: AttributeField, span: TextSpan) -> Iterator[Completion]:
    values: dict[str, None] = {}
    if not field.required:
        values[value_text(field.default)] = None
    values.update(dict.fromkeys(f'"{text}"' for text in _strings(field)))
    if "True or False" in field.kind:
        values.update({"True": None, "False": None})
    for value in values:
        detail = "default" if not field.required and value == value_text(field.default) else ""
        yield Completion(value, CompletionKind.ATTRIBUTE_VALUE, span, detail)


def _attributes(call: CallSite, span: TextSpan) -> Iterator[Completion]:
    op = ops.find(call.op_name)
    if op is None or op.attrs_type is None:
        return
    for field in op.attrs_type.fields().values():
        if field.name in call.attributes:
            continue
        detail = field.kind if field.required else f"{field.kind}, default {value_text(field.default)}"
        yield Completion(
            field.name,
            CompletionKind.ATTRIBUTE,
            span,
            detail,
            insert_text=f"{field.name}=",
            snippet=attribute_snippet(field),
            subject=f"attribute:{op.name}:{field.name}",
        )


def _values(snapshot: Snapshot, span: TextSpan, word: str) -> Iterator[Completion]:
    """The values in scope, those bound last first. There may be thousands: items are made of matches only."""
    for name, type in snapshot.typed_values_at(span.start, in_order(word) if word.strip("%") else None):
        if has_in_order(name, word):
            yield Completion(name, CompletionKind.VALUE, span, type_words(type))


def _fields(snapshot: Snapshot, name: str, span: TextSpan) -> Iterator[Completion]:
    """The fields of the tuple that a name is bound to, by number."""
    type = next((type for other, type in snapshot.typed_values_at(span.start) if other == name), None)
    if isinstance(type, TupleType):
        for number, field in enumerate(type.fields):
            yield Completion(str(number), CompletionKind.VALUE, span, repr(field))


def _functions(snapshot: Snapshot, span: TextSpan) -> Iterator[Completion]:
    for symbol in snapshot.module_symbols:
        if symbol.kind is SymbolKind.FUNCTION:
            type = symbol.type
            arguments = type.arg_types if isinstance(type, FuncType) else ()
            snippet = applied(symbol.name, [repr(argument) for argument in arguments])
            yield Completion(symbol.name, CompletionKind.FUNCTION, span, type_words(type), snippet=snippet)


def _constructors(snapshot: Snapshot, span: TextSpan, as_patterns: bool = False) -> Iterator[Completion]:
    """The constructors, applied to what they take; as patterns, each as an arm that binds it."""
    for symbol in snapshot.module_symbols:
        if symbol.kind is SymbolKind.CONSTRUCTOR:
            detail = symbol.container.name if symbol.container is not None else ""
            type = symbol.type
            inputs = [repr(each) for each in type.arg_types] if isinstance(type, FuncType) else []
            if as_patterns:
                inputs = [f"%{letter}" for letter, _ in zip("xyzuvw", inputs, strict=False)]
            snippet = applied(symbol.name, inputs).removesuffix("$0") if inputs else symbol.name
            snippet += " => $0," if as_patterns else "$0" if inputs else ""
            yield Completion(symbol.name, CompletionKind.CONSTRUCTOR, span, detail, snippet=snippet)


def _operators(span: TextSpan) -> Iterator[Completion]:
    for op in ops.registered().values():
        detail, snippet = _words_of(op)
        yield Completion(op.name, CompletionKind.OPERATOR, span, detail, op.name, snippet, f"op:{op.name}")


@lru_cache(maxsize=4096)
def _words_of(op: Op) -> tuple[str, str]:
    """The arguments of an operator, and the snippet of a call of it."""
    names = [argument.name for argument in op.arguments]
    return f"({', '.join(names)}{', …' if op.variadic else ''})", operator_snippet(op)


def _types(snapshot: Snapshot, span: TextSpan) -> Iterator[Completion]:
    for name in _TYPE_WORDS:
        snippet = "Tensor[($1), ${2:float32}]" if name == "Tensor" else ""
        yield Completion(name, CompletionKind.TYPE, span, snippet=snippet)
    for name in _DTYPES:
        yield Completion(name, CompletionKind.DTYPE, span, f"{DataType(name).bits} bits")
    for symbol in (*snapshot.module_symbols, *snapshot.values_at(span.start)):
        if symbol.kind in (SymbolKind.TYPE, SymbolKind.TYPE_PARAMETER):
            yield Completion(symbol.name, CompletionKind.TYPE, span)


def documentation(subject: str) -> str:
    """The documentation of a completion, in Markdown; empty where it has none."""
    kind, _, rest = subject.partition(":")
    if kind in ("pass", "option"):
        return _pass_documentation(*rest.partition(":")[::2])
    op = ops.find(rest.partition(":")[0])
    if op is None:
        return ""
    if kind == "op":
        return f"```relay\n{signature(op)}\n```\n\n{operator_documentation(op)}"
    field = op.attrs_type.fields().get(rest.partition(":")[2]) if op.attrs_type is not None else None
    return attribute_documentation(field) if field is not None else ""


def _pass_documentation(name: str, option: str) -> str:
    from relay_lsp.passes import registered

    pass_class = registered().get(name)
    if pass_class is None:
        return ""
    declaration = pass_class.declaration()
    if not option:
        return markdown(declaration.doc)
    return markdown(declaration.options[option].doc) if option in declaration.options else ""
