"""The formatter: white space as the canonical text has it, and nothing else changed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from relay_lsp.ir.diagnostics import apply_edits
from relay_lsp.ir.formatting import format_edits, format_range, format_text
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.structural import first_difference
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.text.text_span import TextSpan

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def check(before: str, after: str) -> None:
    assert format_text(before) == after
    assert format_text(after) == after


def test_statements_get_lines_of_their_own() -> None:
    check(
        "def @main(%x:int32){%0=add(%x,%x);let %a:int32=%0;  add( %a , %0 )\n}",
        "def @main(%x: int32) {\n  %0 = add(%x, %x);\n  let %a: int32 = %0;\n  add(%a, %0)\n}\n",
    )


def test_spaces_are_those_of_the_canonical_text() -> None:
    check(
        "def @f [A] ( %x:fn(A)->A , %y{ virtual_device = meta[VirtualDevice][0] }:List[A] ) "
        "->  Tensor[( 1,? ),int8] {\n"
        "%0 = nn.conv2d(%x.0 ,%y, padding = [ 1,1 ] ,groups=1) /* ty=int8 */ ;\n"
        "if(%a==1){fn ( %z ){%z}} else{(%0,)}\n}",
        "def @f[A](%x: fn (A) -> A, %y {virtual_device=meta[VirtualDevice][0]}: List[A]) -> Tensor[(1, ?), int8] {\n"
        "  %0 = nn.conv2d(%x.0, %y, padding=[1, 1], groups=1) /* ty=int8 */;\n"
        "  if (%a == 1) { fn (%z) { %z } } else { (%0,) }\n"
        "}\n",
    )


def test_comments_stay_with_what_they_are_about() -> None:
    check(
        "// about the module\n"
        "type T{A,B,} // trailing\n"
        "/* about f */\n"
        "def @f() { // first\n"
        "      // its own line\n"
        "  /* layer */ %0 = add(1, 2); // why\n"
        "      /* two\n"
        "   lines */\n"
        "  %0 }\n"
        "// the end",
        "// about the module\n"
        "type T { A, B, } // trailing\n"
        "\n"
        "/* about f */\n"
        "def @f() { // first\n"
        "  // its own line\n"
        "  /* layer */ %0 = add(1, 2); // why\n"
        "  /* two\n"
        "   lines */\n"
        "  %0\n"
        "}\n"
        "\n"
        "// the end\n",
    )


def test_line_breaks_inside_a_statement_are_the_authors() -> None:
    check(
        "def @f(\n%x: int32,\n      %y: int32\n) {\n  let %z =\n add(%x,\n%y);\n  %z\n}\n",
        "def @f(\n  %x: int32,\n  %y: int32\n) {\n  let %z =\n    add(%x,\n      %y);\n  %z\n}\n",
    )


def test_at_most_one_blank_line_stays() -> None:
    check(
        "\n\n\ndef @f() {\n\n\n  %0 = 1;\n\n\n\n  %0\n\n}\ndef @g() { 1 }\n",
        "def @f() {\n  %0 = 1;\n\n  %0\n}\n\ndef @g() { 1 }\n",
    )


def test_arms_and_constructors_stand_on_lines_where_their_braces_do() -> None:
    check(
        "type List[A]{\nCons(A,List[A]),Nil,}\n\ndef @f(%x) {\nmatch?(%x){\nCons(%y,_)=>{%y}, Nil=>0,}\n}\n",
        "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n\n"
        "def @f(%x) {\n  match? (%x) {\n    Cons(%y, _) => { %y },\n    Nil => 0,\n  }\n}\n",
    )


def test_the_metadata_section_is_left_alone() -> None:
    text = '#[version = "0.0.5"]\ndef @f() {\n  1\n}\n\n#[metadata]\n{\n  "root":   1\n}\n\n'
    check(text, text)


def test_line_ends_of_windows_stay() -> None:
    check("def @f(){\r\n1}\r\n", "def @f() {\r\n  1\r\n}\r\n")


@pytest.mark.parametrize(
    "text",
    ['def @f() {"open\n}', "def   @f() {1} /* open\n", "def @f(  %x {\n1}", "def @f() {  1}}", "def @f() {  (1]}"],
)
def test_text_in_which_something_is_never_closed_is_left_alone(text: str) -> None:
    assert format_text(text) == text


def test_other_faults_do_not_matter() -> None:
    check("def @f(%x) {\n%0=add(%x,);nn.relu($%x)}\n", ("def @f(%x) {\n  %0 = add(%x,);\n  nn.relu($%x)\n}\n"))


def test_a_range_changes_only_its_lines() -> None:
    text = "def @f() {\n     %0=1;\n     %1=2;\n     %1\n}\n"
    start = text.index("%1=2")
    edits = format_edits(text, TextSpan(start, start + 4))
    assert apply_edits(text, edits) == "def @f() {\n     %0=1;\n  %1 = 2;\n     %1\n}\n"
    again = apply_edits(text, edits)
    place = again.index("%1 = 2")
    assert format_edits(again, TextSpan(place, place + 4)) == ()


def test_a_range_of_a_snapshot_is_formatted_by_what_stands_around_it() -> None:
    text = "def @f() {\n     %0=1;\n     %1=2;\n     %1\n}\ndef @g(%x) {%x}\n"
    snapshot = Snapshot.open(text, "model.relay")
    for start in range(len(text)):
        span = TextSpan(start, min(start + 4, len(text)))
        assert format_range(snapshot, span) == format_edits(text, span)


def test_a_range_is_formatted_though_a_bracket_is_open_elsewhere() -> None:
    text = "def @f() {\n     %0=1;\n     %1=2;\n     %2=3;\n     %1\n}\ndef @g() {\n  (1]\n}\n"
    start = text.index("%1=2")
    edits = format_range(Snapshot.open(text, "model.relay"), TextSpan(start, start + 4))
    assert apply_edits(text, edits) == text.replace("     %1=2;", "  %1 = 2;")


@pytest.mark.parametrize("seed", range(20))
def test_any_range_of_a_scrambled_text_is_formatted_as_in_the_whole(seed: int) -> None:
    text = scramble(code_of("collections.relay"), seed)
    snapshot, chance = Snapshot.open(text, "model.relay"), random.Random(seed)
    for _ in range(10):
        start = chance.randrange(len(text))
        span = TextSpan(start, min(len(text), start + chance.choice((0, 1, 10, 100, 1000))))
        assert format_range(snapshot, span) == format_edits(text, span)


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.relay")))
def test_examples_are_formatted(name: str) -> None:
    text = (EXAMPLES / name).read_text()
    assert format_text(text) == text


SPACES = (" ", " ", "  ", "\n", "\n\n\n", "\t", " /* c */ ", " // c\n", "\n/* d\n */\n")


def code_of(example: str) -> str:
    """An example without its lines of comments, whose words would be code on lines of their own."""
    lines = (EXAMPLES / example).read_text().split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("//"))


def scramble(text: str, seed: int) -> str:
    """``text`` with other white space where there is white space, and comments strewn in, behind its first line."""
    chance = random.Random(seed)
    first, *lines = text.split("\n")
    pieces = [first, "\n"]
    for line in lines:
        for word in line.split(" "):
            pieces.append(word)
            pieces.append(chance.choice(SPACES))
    return "".join(pieces)


@pytest.mark.parametrize("seed", range(20))
def test_no_meaning_changes_and_twice_is_once(seed: int) -> None:
    code = code_of("collections.relay")
    scrambled = scramble(code, seed)
    formatted = format_text(scrambled)
    assert format_text(formatted) == formatted
    assert formatted.count("/* c */") == scrambled.count("/* c */")
    parsed, reference = parse(formatted), parse(code)
    assert not parsed.diagnostics
    typed, expected = infer_types(parsed.module).module, infer_types(reference.module).module
    assert first_difference(typed, expected, map_free_vars=True) is None
