"""Random edits of texts that are torn to pieces: they must be cut into the segments of the text opened afresh.

Nothing is analysed, so that ten times as many edits are tried in the same time as with :mod:`.scripts`, and the texts
are denser in what may go on beyond a statement.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from relay_lsp.ir.syntax import splitting
from relay_lsp.ir.syntax.statements import Segment
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import Inequality, cuts_of, only_in_one
from tests.ir.semantic.editing.scripts import random_edit

__all__ = ["run_cuts"]

_FRAGMENTS: Sequence[str] = [
    *'{}()[];,="#/*0w\n\t%@',
    "%0 = add(%1, %x);\n  ",
    "%0 = add(%1, %x)\n  ",
    "%2 = nn.relu(%x) /* ty=int32 */;\n  ",
    "%3 = f(%1);",
    "%4 = if (%c) {\n    ",
    "} else {\n",
    "};\n  ",
    "}\n",
    "let %y = ",
    "let %y = %x;\n  ",
    "(let %q = 1; %q)",
    "(%a, let %b = 1; ",
    "fn (%z: int32) {",
    "match (%l) { Cons(%h, _) => %h, Nil => 0 };\n  ",
    "def @f(%x: int32) {\n  ",
    "def ",
    "@g",
    "intdef @h(%y) {",
    "type A[B] { C }\n",
    "extern type B\n",
    "type ",
    "/*",
    "*/",
    "/* c */",
    "// note\n",
    "  ",
    "\r\n",
    "=>",
    "->",
    "meta[relay.Constant][0]",
    "meta[relay.Constant][",
    "meta[",
    "][0]",
    '"a;b"',
    '#[version = "0.0.5"]\n',
    "#[metadata]\n",
    "#[meta",
    "data]",
    "#[",
    "%x {virtual_device=meta[VirtualDevice][0]}: int32",
    "%x{a=",
    "%5 =",
    "%5",
    "%x",
    "Tensor[(1, 2), float32]",
    "\\",
]

_HEAD = '#[version = "0.0.5"]\ndef @main(%x: int32) {\n  '
_LONG_HEAD = f"def @long({', '.join(f'%p{number}: Tensor[(1, 2), float32]' for number in range(40))}) {{\n"
"""On one line, and of more pieces than are cut again where they are known."""


def run_cuts(seed: int, edits: int = 12) -> None:
    """Edit a text of fragments at random, and compare its segments after each edit.

    Raises:
        Inequality: where segments end, or what is known of them, is not what splitting the text afresh gives.
    """
    chance = random.Random(seed)
    text = chance.choice(["", _HEAD]) + _fragments(chance, chance.choice([10, 30, 60]))
    if chance.random() < 0.3:
        text += chance.choice(["", "}\n"]) + _LONG_HEAD + _fragments(chance, 10)
    split = splitting.split_text(LineIndex(text))
    history = [text]
    for number in range(edits):
        span, new_text = _edit(chance, text, history)
        before, text = text, text[: span.start] + new_text + text[span.end :]
        split = split.edited(split.lines.edited(span, new_text), span, len(new_text))[0]
        _compare(split, splitting.split(text), f"cuts {seed}, edit {number}: {span} became {new_text!r}", before)
        history.append(text)


def _fragments(chance: random.Random, count: int) -> str:
    return "".join([chance.choice(_FRAGMENTS) for _ in range(count)])


def _edit(chance: random.Random, text: str, history: Sequence[str]) -> tuple[TextSpan, str]:
    if chance.random() < 0.1:
        return random_edit(chance, text, history)
    start = chance.randint(0, len(text))
    if chance.random() < 0.3:
        start = max(text.find("def @long"), 0)
    elif chance.random() < 0.6:
        start = text.find(chance.choice("\n;}{ "), start) + 1 or start
    end = min(len(text), start + chance.choice([0, 0, 0, 1, 2, 10, 40]))
    return TextSpan(start, end), _fragments(chance, chance.choice([0, 1, 1, 3]))


def _compare(split: splitting.Split, afresh: Sequence[Segment], what: str, before: str) -> None:
    ours, theirs = cuts_of(split.segments), cuts_of(afresh)
    far_sighted = [index for index, segment in enumerate(afresh) if segment.is_far_sighted]
    if ours == theirs and list(split.far_sighted) == far_sighted:
        tokens = [segment.tokens for segment in split.segments]
        if tokens != [segment.tokens for segment in afresh]:
            raise Inequality("\n".join([what, "  the tokens of a segment", "--- before", before]))
        return
    lines = only_in_one(ours, theirs)
    lines += [f"  far-sighted, edited: {split.far_sighted}", f"  far-sighted, afresh: {far_sighted}"]
    raise Inequality("\n".join([what, *lines, "--- before", before, "--- after", split.lines.text]))
