"""Random edit scripts, and what must be the same after each edit as if the text had just been opened."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import lru_cache
from unittest import mock

from relay_lsp.ir.collections import block_list, layered_map
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.semantic import incremental, statement_typer
from relay_lsp.ir.semantic import module_analyzer as analyzer
from relay_lsp.ir.semantic.lints.stale_type_comments import stale_type_comments
from relay_lsp.ir.semantic.lints.unreachable import unreachable
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax import forms, splitting
from relay_lsp.ir.syntax.statements import Segment
from relay_lsp.ir.text import line_index as source
from relay_lsp.ir.text.text_span import TextSpan
from tests.conformance import records

__all__ = [
    "Inequality",
    "blocks_of",
    "cuts_of",
    "described",
    "difference",
    "edited",
    "only_in_one",
    "random_edit",
    "run_script",
    "small_blocks",
    "symbols_of",
    "texts",
    "tokens_of",
]

_CHAIN = '#[version = "0.0.5"]\n'
_CHAIN += "def @main(%x: Tensor[(1, 8), float32], %w: Tensor[(8, 8), float32]) -> Tensor[(1, 8), float32] {\n"
_CHAIN += "".join(
    f"  %{i} = {('nn.dense(%s, %%w, units=8)', 'nn.relu(%s)', 'add(%s, %%x)')[i % 3] % (f'%{i - 1}' if i else '%x')}"
    " /* ty=Tensor[(1, 8), float32] */;\n"
    for i in range(12)
)
_CHAIN += "  nn.softmax(%11)\n}\n"

_MODULE = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
// two functions that look alike, and one that calls them
def @f(%x: Tensor[(1, 64), float32]) -> Tensor[(1, 64), float32] {
  %0 = nn.relu(%x) /* ty=Tensor[(1, 64), float32] */;
  %1 = add(%0, %x);
  let %y = tanh(%1);
  multiply(%y, %0)
}

def @g(%x: Tensor[(1, 64), float32]) -> Tensor[(1, 64), float32] {
  %0 = sigmoid(%x);
  let %y = fn (%z: Tensor[(1, 64), float32]) { %2 = add(%z, %0); %2 };
  %y(%0)
}

def @main(%a: Tensor[(1, 64), float32], %l: List[int32]) {
  %0 = @f(%a);
  %1 = if (True) { @g(%0) } else { %2 = nn.relu(%0); %2 };
  let %n = match (%l) { Cons(%h, _) => %h, Nil => 0 };
  (%1, %n)
}
"""

_CALLS = """#[version = "0.0.5"]
def @first(%x: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {
  %0 = nn.relu(%x);
  %1 = add(%0, %x) /* ty=Tensor[(1, 8), float32] */;
  %1
}

def @second(%x: Tensor[(1, 8), float32], %n: int32) -> Tensor[(1, 8), float32] {
  %0 = @first(%x);
  let %y = @first(%0);
  %2 = less(%n, 3);
  %3 = subtract(%n, 1);
  %4 = if (%2) { @second(%y, %3) } else { %5 = tanh(%0); %5 };
  multiply(%4, %0)
}

def @third(%x: Tensor[(1, 8), float32]) {
  %0 = @second(%x, 3) /* ty=Tensor[(1, 8), float32] */;
  %1 = (%0, %x);
  concatenate(%1)
}

def @untyped(%x) {
  %0 = nn.relu(%x);
  %0
}

def @main(%a: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {
  %0 = @first(%a);
  %1 = @second(%0, 2);
  %2 = @first(%1);
  add(%2, %a)
}
"""

_PRELUDE = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
type Option[A] { Some(A), None_ }
type Tree[A] { Rose(A, List[Tree[A]]) }

def @hd[A](%xs: List[A]) -> A {
  match? (%xs) { Cons(%x, _) => %x }
}

def @map[A, B](%f: fn (A) -> B, %xs: List[A]) -> List[B] {
  match (%xs) {
    Cons(%x, %rest) => Cons(%f(%x), @map(%f, %rest)),
    Nil => Nil,
  }
}

def @sum(%xs: List[int32]) -> int32 {
  match (%xs) {
    Cons(%x, %rest) => {
      %0 = @sum(%rest);
      add(%x, %0)
    },
    Nil => 0,
  }
}

def @double(%x: int32) -> int32 {
  %0 = add(%x, %x);
  %0
}

def @main(%n: int32, %t: Tree[int32]) -> int32 {
  %0 = Cons(%n, Nil);
  %1 = @map(@double, %0) /* ty=List[int32] */;
  %2 = @sum(%1);
  let %o = Some(%2);
  %3 = match (%o) { Some(%v) => %v, None_ => @hd(%1) };
  %4 = match (%t) { Rose(%v, _) => %v };
  %5 = add(%3, %4);
  %6 = @double(%5);
  add(%6, @double(%n))
}
"""

_LETS = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8), float32], %c: bool) -> Tensor[(1, 8), float32] {
  let %x_0: Tensor[(1, 8), float32] /* ty=Tensor[(1, 8), float32] */ = nn.relu(%x) /* ty=Tensor[(1, 8), float32] */;
  let %x_1 = tanh(%x_0);
  let %x_2 = let %a = exp(%x_1); add(%a, %x_0);
  let %x_3: Tensor[(1, 8), float32] =
    let %b = sigmoid(%x_2);
    multiply(%b, %x_1);
  let %x_4 = (let %d = nn.relu(%x_3); %d);
  let %x_5 = if (%c) { let %e = tanh(%x_4); %e } else { %x_3 };
  let %x_6 = fn (%y: Tensor[(1, 8), float32]) { let %z = exp(%y); %z };
  let %x_7 = %x_6(%x_5);
  let %x_8 = (%x_7, %x_0);
  let %x_9 = %x_8.0;
  %x_9
}
"""


_GENERICS = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @pair[A, B](%a: A, %b: B) -> (A, B) {
  let %x: A = %a;
  let %id = fn [C](%c: C) -> C { %c };
  let %y: B /* ty=B */ = %id(%b);
  %0 = (%x, %y);
  %1 = %0.0;
  (%1, %y)
}

def @swap[A, B](%p: (A, B)) -> (B, A) {
  %0 = %p.1;
  %1 = %p.0;
  let %again = fn (%q: A) -> A { %q };
  %2 = %again(%1);
  (%0, %2)
}

def @fold[A, B](%f: fn (B, A) -> B, %start: B, %l: List[A]) -> B {
  match (%l) {
    Cons(%head, %rest) => {
      let %next = %f(%start, %head);
      @fold(%f, %next, %rest)
    },
    Nil => %start,
  }
}

def @main(%x: Tensor[(1, 8), float32], %n: int32, %l: List[int32]) -> int32 {
  %0 = @pair(%x, %n);
  %1 = @swap(%0);
  %2 = @pair(%1, %0.0);
  let %_second = %2.1;
  let %sum = fn (%a: int32, %b: int32) -> int32 { add(%a, %b) };
  %4 = @fold(%sum, %n, %l);
  add(%4, %1.0)
}
"""

_UNTYPED = """#[version = "0.0.5"]
def @scale(%x: Tensor[(1, 8), float32], %s) {
  %0 = multiply(%x, %s);
  %0
}

def @open(%a, %b) {
  %0 = nn.relu(%a);
  let %y = add(%0, %b);
  (%y, %0)
}

def @main(%x: Tensor[(1, 8), float32], %w0, %w1, %b1, %c) {
  %0 = tanh(%w1);
  %1 = nn.dense(%x, %w0, units=8);
  %2 = nn.dense(%1, %w1, units=8);
  %3 = nn.bias_add(%2, %b1);
  let %y: Tensor[(1, 8), float32] = nn.relu(%3);
  %4 = if (%c) { %y } else { %x };
  %5 = nn.dense(%4, %w0, units=8);
  %6 = add(%5, %y);
  (%6, %0)
}
"""

_REFERENCES = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8), float32], %c: bool) -> Tensor[(1, 8), float32] {
  let %r = ref(%x);
  let %add = fn (%y: Tensor[(1, 8), float32]) {
    let %old = ref_read(%r);
    let %new = add(%old, %y);
    ref_write(%r, %new)
  };
  let %_ = %add(%x);
  let %twice = fn (%f: fn (Tensor[(1, 8), float32]) -> (), %y: Tensor[(1, 8), float32]) { %f(%y); %f(%y) };
  let %u = %twice(%add, %x);
  let %v = if (%c) { ref_read(%r) } else { %x };
  multiply(%v, ref_read(%r))
}
"""


def _long_calls(functions: int, statements: int) -> str:
    """Functions that call the one before them."""
    type = "Tensor[(1, 8), float32]"
    lines = ['#[version = "0.0.5"]']
    for function in range(functions):
        lines.append(f"def @f{function}(%x: {type}) -> {type} {{")
        for number in range(statements):
            value = f"%{number - 1}" if number else "%x"
            operation = f"@f{function - 1}({value})" if number % 4 == 1 and function else f"add({value}, %x)"
            lines.append(f"  %{number} = {operation} /* ty={type} */;")
        lines += [f"  %{statements - 1}", "}"]
    return "\n".join([*lines, ""])


_PARTS: Sequence[str] = [
    *'%x;{}()[]\n"=,.$01/*',
    "/*",
    "*/",
    " ",
    "//",
    "nn.relu(%x)",
    "%99 = nn.relu(%x);\n",
    "%0 = nn.relu(%x);\n",
    "let %z = %x;\n",
    "let %y = %0;\n",
    "def @f() { 1 }\n",
    "def @h(%x: int32) -> int32 { %x }\n",
    "@f(%0)",
    "type A { B }\n",
    "axis=1",
    "\r\n",
    "fn (%q: int32) { %q }",
    "if (%c) { %0 } else {",
    "if (True) { %0 } else { %0 }",
    "_ => %0, ",
    "Tensor[(1, 9), float32]",
    '#[version = "0.0.5"]\n',
    "(let %x = 1; %x)",
    "-> int32",
    '"',
    "#",
    "meta[relay.Constant][0]",
    '%7 = cast(%x, dtype="%0;") /* ";%1" */;\n',
    "/* %0; ty=int32 */",
]

_TYPED = [
    "%new = nn.relu(%0);",
    "%1000 = nn.relu(%x); ",
    "let %new = nn.relu(%x_1);",
    "let %new: Tensor[(1, 8), float32] = add(%x, %x_0);",
    "%1001 = (%0,\n    %1);",
    "%1002 = if (%c) { %0 } else { %1 };",
    "%1003 = add(\n    %0,\n    %1\n  );",
]
"""Statements that the user is typing, up to some key."""

_SMALL = [
    (source, "_BLOCK", 60),
    (block_list, "_BLOCK", 3),
    (block_list, "_FEWEST", 2),
    (layered_map, "_FEWEST_RECENT", 2),
    (forms, "_LONGEST", 150),
    (splitting, "_LOOK_AHEAD", 1),
    (splitting, "_WINDOW", 20),
    (analyzer, "_AT_ONCE", 5),
    (incremental, "_RENUMBERED", 2),
    (incremental, "NEARBY", 3),
    (statement_typer, "NEARBY", 3),
]

_PIECE = re.compile(r"/\*[^*]*\*/|[%@]?\w[\w.]*|\s+|.", re.DOTALL)


class Inequality(AssertionError):
    """A snapshot differs from one of the text opened afresh."""


@lru_cache(maxsize=1)
def texts() -> Sequence[str]:
    """Modules to edit: some of our own, and those of the conformance records."""
    own = [
        _CHAIN,
        _MODULE,
        _CALLS,
        _PRELUDE,
        _LETS,
        _GENERICS,
        _UNTYPED,
        _REFERENCES,
        _long_calls(6, 12),
        _long_calls(20, 5),
    ]
    collected = list(own)
    for name in ("parse", "cross", "passes/InferType", "passes/FuseOps", "eval"):
        for record in records.load(name):
            collected.extend(text for _, text in records.texts(record) if 80 < len(text) < 3000)
    collected = list(dict.fromkeys(collected))
    return [*collected, *own * (len(collected) // 40)]  # modules of several functions are few among the records


@contextmanager
def small_blocks() -> Iterator[None]:
    """Keep texts in blocks of a few lines and statements, so that a short text has many."""
    with ExitStack() as stack:
        for module, name, value in _SMALL:
            stack.enter_context(mock.patch.object(module, name, value))
        yield


def blocks_of(seed: int) -> AbstractContextManager[None]:
    """Small blocks for every other script, those of whole texts for the rest."""
    return nullcontext() if seed % 2 else small_blocks()


def random_edit(chance: random.Random, text: str, history: Sequence[str]) -> tuple[TextSpan, str]:
    """A random edit: of the kinds that people make, and of those that no person does."""
    kind = chance.randrange(10)
    length = len(text)
    if kind == 0 and len(history) > 1:  # undo
        older = chance.choice(history)
        start = 0
        while start < min(length, len(older)) and text[start] == older[start]:
            start += 1
        end = 0
        while end < min(length, len(older)) - start and text[length - 1 - end] == older[len(older) - 1 - end]:
            end += 1
        return TextSpan(start, length - end), older[start : len(older) - end]
    if kind <= 4:  # a token: deleted, replaced, doubled, or something before it
        pieces = list(_PIECE.finditer(text)) or [re.match("", text)]
        piece = chance.choice(pieces)
        assert piece is not None
        other = chance.choice(pieces)
        assert other is not None
        new = chance.choice(["", other[0], chance.choice(_PARTS), piece[0][:-1], piece[0] + "x"])
        return TextSpan(piece.start(), chance.choice([piece.start(), piece.end()])), new
    if kind <= 6:  # lines: deleted, doubled, moved
        lines = text.splitlines(keepends=True) or [""]
        first = chance.randrange(len(lines))
        last = min(len(lines), first + chance.choice([1, 1, 2, 5]))
        start, end = len("".join(lines[:first])), len("".join(lines[:last]))
        other = chance.randrange(len(lines))
        block = "".join(lines[other : other + chance.choice([1, 1, 2, 5])])
        span = TextSpan(start, chance.choice([start, end]))
        return span, "" if span.end > start and chance.random() < 0.5 else block
    if kind == 9:  # a statement, up to one of its keys: on a line of its own, or in front of another
        starts = [match.end() for match in re.finditer(r"^ *", text, re.MULTILINE)]
        start = chance.choice(starts)
        statement = chance.choice(_TYPED)
        typed = statement[: chance.randint(1, len(statement))]
        return TextSpan(start, start), typed + chance.choice(["", "\n", "\n  "])
    start = chance.randint(0, length)
    end = min(length, start + chance.choice([0, chance.randint(1, 3), chance.randint(0, 120)]))
    return TextSpan(start, end), chance.choice([chance.choice(_PARTS), "", text[end : end + chance.randint(0, 120)]])


def edited(chance: random.Random, text: str, edits: int) -> Iterator[Snapshot]:
    """The snapshot of a text, and those after each of some random edits, each of the one before."""
    snapshot = Snapshot.open(text, "example.relay")
    history = [text]
    yield snapshot
    for _ in range(edits):
        snapshot = snapshot.edit(*random_edit(chance, snapshot.text, history))
        history.append(snapshot.text)
        yield snapshot


def described(diagnostics: Sequence[Diagnostic]) -> list[object]:
    """Everything that diagnostics say."""
    return [
        (
            diagnostic.code,
            diagnostic.message,
            diagnostic.span,
            diagnostic.fixes,
            [(other.message, other.span) for other in diagnostic.related],
        )
        for diagnostic in diagnostics
    ]


def tokens_of(snapshot: Snapshot) -> list[object]:
    """Every token with what it means."""
    return [(token.kind, token.span, token.text, token.role, token.declaration) for token in snapshot.tokens()]


def symbols_of(snapshot: Snapshot) -> list[object]:
    """Every definition with its type and uses, and the range of the one that it stands in."""
    return [
        (
            *(symbol.kind, symbol.name, symbol.span, symbol.full_span, list(symbol.uses), repr(symbol.type)),
            symbol.container and symbol.container.full_span,
        )
        for symbol in snapshot.symbols
    ]


def cuts_of(segments: Iterable[Segment]) -> list[object]:
    """Where segments end, and what is known of each: statements that are known by their form are no others."""
    return [(each.role, each.kinds, each.pieces, each.in_body, each.is_far_sighted, each.is_short) for each in segments]


def run_script(seed: int, edits: int = 4) -> None:
    """Edit a text at random, and compare after each edit.

    Raises:
        Inequality: what an edit gave is not what opening the text gives; it has the texts before and after.
    """
    chance = random.Random(seed)
    snapshot = Snapshot.open(chance.choice(texts()), "example.relay")
    if chance.random() < 0.9:
        _ = snapshot.diagnostics
    history = [snapshot.text]
    for number in range(edits):
        span, new_text = random_edit(chance, snapshot.text, history)
        edited = snapshot.edit(span, new_text)
        if chance.random() < 0.1:  # a burst: no caller has looked at the snapshot in between
            snapshot = edited
            continue
        afresh = Snapshot.open(edited.text, "example.relay")
        offset = chance.randint(0, len(edited.text))
        problem = difference(edited, afresh, offset, whole=number == edits - 1 or chance.random() < 0.3)
        if problem is not None:
            what = f"script {seed}, edit {number}: {span} became {new_text!r}\n{problem}"
            raise Inequality(f"{what}\n--- before\n{snapshot.text}\n--- after\n{edited.text}")
        snapshot = edited
        history.append(snapshot.text)


def only_in_one(edited: Sequence[object], afresh: Sequence[object]) -> list[str]:
    """What either of them has and the other has not, a line each."""
    lines = [f"  edited: {one}" for one in edited if one not in afresh]
    return lines + [f"  afresh: {one}" for one in afresh if one not in edited]


def difference(edited: Snapshot, afresh: Snapshot, offset: int, *, whole: bool) -> str | None:
    """In what a snapshot differs from one of its text opened afresh: in its faults, or with ``whole`` in anything."""
    pairs: list[tuple[str, object, object]] = [
        ("diagnostics", described(edited.diagnostics), described(afresh.diagnostics)),
        ("type comments", described(stale_type_comments(edited)), described(stale_type_comments(afresh))),
        ("unreachable code", described(unreachable(edited)), described(unreachable(afresh))),
    ]
    if whole:
        pairs += [
            ("segments", cuts_of(splitting.split_text(edited.lines).segments), cuts_of(splitting.split(edited.text))),
            ("tokens", tokens_of(edited), tokens_of(afresh)),
            ("symbols", symbols_of(edited), symbols_of(afresh)),
            (f"type at {offset}", repr(edited.type_at(offset)), repr(afresh.type_at(offset))),
            (
                f"scope at {offset}",
                [symbol.name for symbol in edited.scope_at(offset)],
                [symbol.name for symbol in afresh.scope_at(offset)],
            ),
        ]
    for what, ours, theirs in pairs:
        if ours == theirs:
            continue
        if isinstance(ours, list) and isinstance(theirs, list):
            return "\n".join([what, *only_in_one(ours, theirs)])
        return f"{what}\n  edited: {ours}\n  afresh: {theirs}"
    return None
