"""Texts of every shape that Relay has, and what is typed in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from .. import inputs

__all__ = ["FAR_REACHING", "SHAPES", "Key", "Script", "Shape", "scripts_of"]


_DTYPE: Final = "the dtype of a parameter, letter by letter"
_NAME_AND_TYPE: Final = "the name and type of parameters, letter by letter"
FAR_REACHING: Final = _DTYPE, _NAME_AND_TYPE
"""How the names of scripts end that mean something else for every use of a parameter, which all statements may be."""


@dataclass(frozen=True)
class Shape:
    """Texts of so many statements, and a statement that is typed in them."""

    name: str
    text: Callable[[int], str]
    statement: str = "%99999999 = nn.relu(%x);"
    inside: Mapping[str, str] = field(default_factory=dict[str, str])
    """Places besides those of every text, each by what is on the line before, which is searched from the middle."""


SHAPES: Final = (
    Shape("graph form", inputs.chain),
    Shape("graph form, one statement of ten at fault", inputs.with_errors),
    Shape("let form", inputs.lets, "let %new = nn.relu(%x);"),
    Shape("without type comments", inputs.plain),
    Shape("fused", inputs.fused),
    Shape("type parameters", inputs.generic),
    Shape("untyped parameters", inputs.untyped_parameters),
    Shape(
        "nested",
        inputs.nested,
        inside={
            "inside `if`": "let %a",
            "inside `match`": "Some(%v",
            "inside a nested `fn`": " = exp(%p",
            "in a tuple": " = (\n",
            "in a call": " = add(\n",
        },
    ),
    Shape("data types", inputs.data_types),
    Shape("many functions", inputs.calling),
    Shape("ResNet-18, many times", inputs.dump, "%99999999 = nn.relu(%data);"),
    Shape("record dumps", inputs.record_dumps, "%99999999 = nn.relu(%data);"),
)


@dataclass(frozen=True)
class Key:
    """One edit: what takes the place of the characters from ``start`` to ``end``, and by which name it is reported."""

    start: int
    end: int
    text: str
    label: str


@dataclass(frozen=True)
class Script:
    """Keys after which the text is what it was. ``before`` and ``after`` make and take away the place for them."""

    what: str
    keys: Sequence[Key]
    before: Key | None = None
    after: Key | None = None


_INSIDE: Final = {
    "inside `match`": "Some(%w) => %w,",
    "in a tuple": "%x,",
    "in a call": "%x,",
}
"""What is typed where no statement may stand."""

_BINDING: Final = re.compile(r"^  (?:%\w+|let %\w+)[^\n]*=[^\n]*;$", re.MULTILINE)
_NESTED_END: Final = re.compile(r"^  \}[^\n{]*;$", re.MULTILINE)
_DEFINITION: Final = re.compile(r"^def (@\w+)", re.MULTILINE)
_MARKS: Final = '(){}[];=,"'


@dataclass(frozen=True)
class _Function:
    """Where a function's ``def`` and the braces of its body stand, and its bindings on lines of their own."""

    head: int
    opened: int
    closed: int
    bindings: Sequence[tuple[int, int]]

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """The lines of statements at and between its ends."""
        bindings = self.bindings
        return {"beginning": bindings[0], "middle": bindings[len(bindings) // 2], "end": bindings[-1]}


def scripts_of(shape: Shape, text: str) -> Iterator[Script]:
    """Everything that is typed in a text of a shape: all of it in the last function, and where there are others, what
    costs more the more text follows in the first and in one in the middle, too."""
    heads = [match.start() for match in _DEFINITION.finditer(text)]
    ends = [*heads[1:], len(text)]
    last = _function(text, heads[-1], len(text))
    yield from _everything(shape, text, last)
    if len(heads) > 1:
        functions = list(zip(heads, ends, strict=True))[:-1]
        following = functions[len(functions) // 2 :]
        for name, candidates in (("first", functions), ("middle", following)):
            yield from _far_above(shape, text, name, _with_bindings(text, candidates))


def _function(text: str, head: int, end: int) -> _Function:
    opened, closed = text.index("{\n", head), text.rindex("\n}", head, end) + 1
    return _Function(head, opened, closed, [match.span() for match in _BINDING.finditer(text, opened, closed)])


def _with_bindings(text: str, candidates: Sequence[tuple[int, int]]) -> _Function:
    """The first of some functions in which a statement stands between others."""
    functions = (_function(text, head, end) for head, end in candidates)
    return next(function for function in functions if len(function.bindings) > 2)


def _everything(shape: Shape, text: str, function: _Function) -> Iterator[Script]:
    head, opened, closed, places = function.head, function.opened, function.closed, function.places
    for place, (start, _) in places.items():
        yield _on_new_line(start, shape.statement, place, "  ")
    for place in ("middle", "end"):  # all that is above may be evaluated as a part of its value
        above, start = function.bindings[function.bindings.index(places[place]) - 1], places[place][0]
        (name,) = re.findall(r"%\w+", text[slice(*above)])[:1]
        yield _on_new_line(start, f"let %new = ({name}, {name});", f"{place}, a let", "  ")
    inside = {place: _line_after(text, before, places["middle"][0]) for place, before in shape.inside.items()}
    for place, (start, _) in inside.items():
        yield _on_new_line(start, _INSIDE.get(place, shape.statement), place, "    ")
    start = places["middle"][0] + 2
    yield Script("a statement typed in front of another", _typed(start, shape.statement, "in front"))
    for place, (start, end) in places.items():
        yield Script("brackets, quotes, comment marks lost and put back", [*_lost_marks(text, start, end, place)])
    for place, (start, end) in inside.items():
        yield Script("marks of nested lines lost and put back", [*_lost_marks_of_line(text, start, end, place)])
    nested = _NESTED_END.search(text, places["middle"][0], closed)
    if nested is not None:
        brace, semicolon = nested.start() + 2, nested.end() - 1
        keys = [*_lost(brace, "}", "the brace"), *_lost(semicolon, ";", "the semicolon behind it")]
        yield Script("the end of a value in braces lost and put back", keys)
    yield Script("braces of the function lost and put back", _braces(function))
    for place, (start, end) in places.items():
        yield Script("lines joined and split, names doubled and used early", [*_of_lines(text, start, end, place)])
    comments = [key for place, line in places.items() for key in _comment(text, *line, place)]
    if comments:
        yield Script("the comment of a statement deleted and typed", comments)
    yield Script("the result of the body deleted and typed", [*_result(text, function)])
    yield Script("the head, letter by letter", [*_head(text, head, opened)])
    yield from _parameters(text, function)
    yield Script("names of parameters bound and repeated", [*_of_parameters(text, function, places["middle"][0])])
    yield from _definitions(text, head, closed)
    yield from _dtype(_DTYPE, text, function)


def _far_above(shape: Shape, text: str, name: str, function: _Function) -> Iterator[Script]:
    """The same once each, in a function that others follow: all places of a function would take thrice as long."""
    row = f"in the {name} function, {{}}".format
    head, opened = function.head, function.opened
    start, end = function.places["middle"]
    typed = _on_new_line(start, shape.statement, name, "  ")
    yield Script(row("a statement typed and deleted"), typed.keys, typed.before, typed.after)
    yield Script(row("brackets, quotes, comment marks lost and put back"), [*_lost_marks(text, start, end, name)])
    yield Script(row("braces of the function lost and put back"), _braces(function))
    lines = [*_of_lines(text, start, end, name)]
    yield Script(row("lines joined and split, names doubled and used early"), lines)
    yield Script(row("the head, letter by letter"), [*_head(text, head, opened)])
    line = Key(head, head, "\n", "")
    above = _typed(head, _FUNCTION.rstrip(), "above")
    yield Script(row("a function typed above"), above, line, Key(head, head + 1, "", ""))
    yield Script(row("a data type typed above"), _typed(head, _TYPE_BELOW, "above"))
    yield from _dtype(row(_DTYPE), text, function)


def _braces(function: _Function) -> Sequence[Key]:
    return [
        *_lost(function.opened, "{", "the opening brace"),
        *_lost(function.closed, "}", "the closing brace"),
    ]


def _dtype(what: str, text: str, function: _Function) -> Iterator[Script]:
    dtype = text.find("float32", function.head, function.opened)
    if dtype >= 0:
        retyped = [Key(dtype + 5, dtype + 7, "16", "float16"), Key(dtype + 5, dtype + 7, "32", "float32")]
        yield Script(what, [*_typed_over(dtype, "float32", "int8"), *retyped])


def _line_after(text: str, before: str, middle: int) -> tuple[int, int]:
    """The line after that of ``before``, in the second half of a text."""
    start = text.index("\n", text.index(before, middle)) + 1
    return start, text.index("\n", start)


def _on_new_line(start: int, statement: str, place: str, indent: str) -> Script:
    line = Key(start, start, f"{indent}\n", "")
    keys = _typed(start + len(indent), statement, place)
    return Script("a statement typed and deleted", keys, line, Key(start, start + len(indent) + 1, "", ""))


def _typed_over(start: int, old: str, new: str) -> Iterator[Key]:
    """A word deleted letter by letter, another typed, and back."""
    for before, after in ((old, new), (new, old)):
        yield from (Key(start + n, start + n + 1, "", f"dtype `{before[:n]}`") for n in reversed(range(len(before))))
        yield from (Key(start + n, start + n, after[n], f"dtype `{after[: n + 1]}`") for n in range(len(after)))


def _of_lines(text: str, start: int, end: int, place: str) -> Iterator[Key]:
    """A line joined with the next and split again; a name that is bound twice, used before it is bound, undefined."""
    yield Key(end, end + 1, "", f"{place}: joined with the next line")
    yield Key(end, end, "\n", f"{place}: split again")
    line = text[start : end + 1]
    yield Key(end + 1, end + 1, line, f"{place}: the line doubled")
    yield Key(end + 1, end + 1 + len(line), "", f"{place}: the second taken away")
    early = f"  %98765432 = nn.relu({_bound(line)});\n"
    yield Key(start, start, early, f"{place}: a name used before it is bound")
    yield Key(start, start + len(early), "", f"{place}: its use taken away")
    at = start + line.index(_bound(line)) + 1
    yield Key(at, at, "zz", f"{place}: a name becomes undefined")
    yield Key(at, at + 2, "", f"{place}: it is defined again")


def _bound(line: str) -> str:
    match = re.search(r"%\w+", line)
    assert match is not None
    return match[0]


_FUNCTION: Final = "def @typed(%x: int32) -> int32 {\n  %x\n}\n"
_TYPE_BELOW: Final = "type Below[A] {\n  Pair(A, A),\n}\n"
_METADATA: Final = """#[metadata]
{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map"}]}
"""
"""As short as it can be with each kind of mark in it: a key like the one before it tells nothing, and all keys of all
texts are to be pressed in a quarter of an hour."""


def _definitions(text: str, head: int, closed: int) -> Iterator[Script]:
    """Definitions typed above and below the last function, under a new name and under its own; a metadata section."""
    below = closed + 2
    line = Key(head, head, "\n", "")
    above = _typed(head, _FUNCTION.rstrip(), "above")
    yield Script("a function typed and deleted", above, line, Key(head, head + 1, "", ""))
    yield Script("a function typed and deleted", _typed(below, _FUNCTION, "below"))
    yield Script("a function typed in front of another on its line", _typed(head, _FUNCTION, "in front"))
    yield Script("a data type below a function, typed and deleted", _typed(below, _TYPE_BELOW, "below"))
    match = _DEFINITION.match(text, head)
    assert match is not None
    twice = _FUNCTION.replace("@typed", match[1])
    yield Script("a function of the same name, typed and deleted", _typed(below, twice, "below"))
    if "#[metadata]" in text:
        at = text.index("#[metadata]")
        keys = [
            *_lost(at, "#", "the `#` of the metadata"),
            *_lost(len(text.rstrip()) - 1, "}", "the brace that ends it"),
        ]
        yield Script("marks of the metadata section lost and put back", keys)
    else:
        yield Script("a metadata section typed and deleted", _typed(len(text), _METADATA, "metadata"))


def _typed(start: int, statement: str, place: str) -> list[Key]:
    """Each key that types a statement, and each that deletes it again."""
    typed = range(1, len(statement) + 1)
    keys = [Key(start + n - 1, start + n - 1, statement[n - 1], f"{place}: {statement[:n]}") for n in typed]
    deleted = reversed(range(len(statement)))
    return keys + [Key(start + n, start + n + 1, "", f"{place}, deleted: {statement[:n]}") for n in deleted]


def _retyped(start: int, word: str, place: str) -> Iterator[Key]:
    """Each key that deletes a word, beginning at its end, and each that types it again."""
    reverse = range(len(word) - 1, -1, -1)
    yield from (Key(start + n, start + n + 1, "", f"{place} {word[:n]}") for n in reverse)
    yield from (Key(start + n, start + n, word[n], f"{place} {word[: n + 1]}") for n in range(len(word)))


def _lost(at: int, mark: str, label: str) -> Iterator[Key]:
    yield Key(at, at + len(mark), "", f"{label} lost")
    yield Key(at, at, mark, f"{label} put back")


def _lost_marks(text: str, start: int, end: int, place: str) -> Iterator[Key]:
    """Each mark of a statement that is lost and put back, the first of its kind; and marks that open something."""
    for mark in _MARKS:
        at = text.find(mark, start, end)
        if at >= 0:
            yield from _lost(at, mark, f"{place}: {mark}")
    comment = text.find("*/", start, end)
    if comment >= 0:
        yield from _lost(comment, "*/", f"{place}: */")
    for mark in ('"', "/*", "(", "{"):
        at = start + 2 if mark in "/*{" else text.index("=", start, end) + 2
        yield Key(at, at, mark, f"{place}: {mark} opened")
        yield Key(at, at + len(mark), "", f"{place}: {mark} taken away")


def _lost_marks_of_line(text: str, start: int, end: int, place: str) -> Iterator[Key]:
    """The same of a line that need not be a statement."""
    for mark in "(){}[],=%":
        at = text.find(mark, start, end)
        if at >= 0:
            yield from _lost(at, mark, f"{place}: {mark}")
    at = start + 4
    for mark in ('"', "/*", "(", "{", "}", ")"):
        yield Key(at, at, mark, f"{place}: {mark} opened")
        yield Key(at, at + len(mark), "", f"{place}: {mark} taken away")


def _of_parameters(text: str, function: _Function, start: int) -> Iterator[Key]:
    """What means a parameter for a key, or hides it: a ``let`` of its name, a name that begins with it, a comment."""
    name = _bound(text[function.head :])
    yield from _typed(start, f"  let {name} = nn.relu({name});\n", "its name bound")
    yield from _typed(start + 2, "let %typed = (", "a parenthesis in front of a binding")
    yield from _typed(text.index("(", function.head) + 1, "/* x */", "a comment in the head")
    yield from _typed(text.rindex(")", function.head, function.opened), f", {name}2", "its name repeated")


def _comment(text: str, start: int, end: int, place: str) -> Iterator[Key]:
    """The begin of the comment behind a statement: its mark, the name of what it says, a part of its type or span."""
    at = text.find("/*", start, end)
    if at >= 0:
        yield from _retyped(at, text[at : min(at + 24, end)], f"{place}:")


def _result(text: str, function: _Function) -> Iterator[Key]:
    """What a body is worth: its last line, or as much of it as a name has."""
    end = len(text[: function.closed].rstrip())
    start = text.rindex("\n", 0, end) + 1
    line = text[start:end]
    at = start + len(line) - len(line.lstrip())
    yield from _retyped(at, text[at : min(at + 24, end)], "result:")


def _parameters(text: str, function: _Function) -> Iterator[Script]:
    """A comment and a parameter in front of the middle and the last one, and the name and type of these."""
    names = [match.span() for match in re.finditer(r"%\w+", text[function.head : function.opened])]
    in_front: list[Key] = []
    retyped: list[Key] = []
    for place, (start, end) in (("middle", names[len(names) // 2]), ("last", names[-1])):
        start, end = function.head + start, function.head + end
        in_front += _typed(start, "/* x */", f"{place}, a comment")
        in_front += _typed(start, "%typed: Tensor[(8, 8), float32], ", f"{place}, another in front")
        retyped += _retyped(start, text[start : min(end + 24, function.opened)], f"{place}:")
    yield Script("in front of parameters, letter by letter", in_front)
    yield Script(_NAME_AND_TYPE, retyped)


def _head(text: str, head: int, opened: int) -> Iterator[Key]:
    """A parameter, an attribute and the name of a function typed and deleted, its result deleted and typed."""
    arrow = text.find("->", head, opened)
    end = text.rindex(")", head, opened if arrow < 0 else arrow)
    yield from _typed(end, ", %new: Tensor[(8, 8), float32]", "head")
    yield from _typed(end, ", Inline=1", "head")
    name = text.index("(", head) if text.find("[", head, text.index("(", head)) < 0 else text.index("[", head)
    yield from _typed(name, "_new", "head")
    if arrow >= 0:
        result = text[arrow:opened].rstrip()
        yield from _retyped(arrow, result, "head:")
