"""A long head is read as a short one is: the same parameters, faults, roles and nodes, wherever it is broken."""

from __future__ import annotations

import random

import pytest

from relay_lsp.ir import parse
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax import parameter_lists
from relay_lsp.ir.syntax.cuts import Role
from relay_lsp.ir.syntax.splitting import split
from relay_lsp.ir.syntax.statements import Segment
from relay_lsp.ir.syntax.tree import nodes_at, roles_of
from relay_lsp.ir.text.text_span import TextSpan

_TYPES = (
    "Tensor[(8, 8), float32]",
    "int32",
    "(Tensor[(1), int8], bool)",
    "fn (int32) -> int32",
    "Tensor[(?, 3), int64]",
)
_MARKS = (*"()[],:{}=?$a5", "->", "%y", "Inline=1", '"', "/*", "*/", "fn", "@f")


def _head(count: int, listed: str = "", after: str = "") -> str:
    parameters = ", ".join(f"%p{number}: {_TYPES[number % len(_TYPES)]}" for number in range(count))
    return f"def @main{listed}({parameters}{after}) -> Tensor[(8, 8), float32] {{\n  %p0\n}}\n"


def _said_of(text: str) -> object:
    """What the reading of a text gives that begins with a head: its faults, and all the rest where it can be mended.

    Where it cannot, more is known of the parameters of a long head, since those that are whole are read.
    """
    segment = next(each for each in split(text) if each.role is Role.HEADER)
    segment.parse()
    faults = [(each.code, each.message, each.span, each.fixes) for each in segment.diagnostics]
    if not segment.statements or segment.statements[0].root is None:
        return faults
    snapshot = Snapshot.open(text, "heads")
    functions = parse(text, name="heads").module.functions.values()
    return (
        faults,
        roles_of(segment),
        [_path(segment, at) for at in range(0, segment.length + 1, 3)],
        [(each.code, each.message, each.span) for each in snapshot.diagnostics],
        [(symbol.kind, symbol.name, symbol.span, symbol.full_span, repr(symbol.type)) for symbol in snapshot.symbols],
        [[(var.name_hint, repr(var.type_annotation)) for var in function.params] for function in functions],
        [sorted(map(repr, function.attrs.items())) for function in functions],
    )


def _path(segment: Segment, at: int) -> list[tuple[str, TextSpan]]:
    return [(node.kind, node.span) for node in nodes_at(segment, at, 0)]


def _assert_same_however_long(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parameter_lists, "_FEWEST", 10_000)
    at_once = _said_of(text)
    monkeypatch.setattr(parameter_lists, "_FEWEST", 1)
    assert _said_of(text) == at_once, text


@pytest.mark.parametrize("seed", range(120))
def test_a_long_head_is_read_as_it_would_be_at_once(seed: int, monkeypatch: pytest.MonkeyPatch):
    chosen = random.Random(seed)
    listed = chosen.choice(("", "", "[A]", "[int32, B]"))
    text = _head(chosen.randint(3, 9), listed, chosen.choice(("", "", ",", ", Inline=1")))
    for _ in range(chosen.randint(0, 2)):
        end = text.index("\n") + 1
        at = chosen.randrange(4, end)
        if chosen.random() < 0.5:
            text = text[:at] + text[at + chosen.choice((1, 1, 2, 8)) :]
        else:
            text = text[:at] + chosen.choice(_MARKS) + text[at:]
    _assert_same_however_long(text, monkeypatch)


@pytest.mark.parametrize(
    "text",
    [
        _head(6, after=", Inline=1, %late: int32, %later: int32"),
        _head(6).replace("%p3", "%p2"),
        _head(6).replace("%p3:", "%p3"),
        _head(6).replace(", %p3", " %p3"),
        _head(6).replace("%p3: ", "%p3: Wrong, %q: "),
        _head(6).replace("%p4: ", "%p4{virtual_device=meta[VirtualDevice][0]}: "),
        _head(6).replace(", %p5", ", , %p5"),
        _head(6).replace(") ->", " ->"),
        _head(6).replace("main(", "main"),
        _head(6).replace(", %p1", " %p1"),
        _head(6).replace("(%p0", "(/ %p0"),
        _head(6).replace("(%p0", "(/* x %p0"),
        _head(6).replace("(%p0", "(a: int32, %p0"),
        _head(6).replace("(%p0", "((%p0"),
        _head(6).replace("(%p0", "()%p0"),
        _head(6).replace("(%p0", "(Inline=1, %p0"),
    ],
)
def test_a_fault_in_a_long_head_is_where_it_would_be_at_once(text: str, monkeypatch: pytest.MonkeyPatch):
    _assert_same_however_long(text, monkeypatch)


def test_a_missing_mark_in_the_head_of_a_network_is_the_one_error():
    text = '#[version = "0.0.5"]\n' + _head(800).replace("%p400: Tensor[(8, 8)", "%p400: Tensor[(8, 8")
    errors = [each for each in Snapshot.open(text, "network").diagnostics if each.severity is Severity.ERROR]
    assert [(each.code, each.message) for each in errors] == [("missing-token", "expected `)`, found `,`")]
