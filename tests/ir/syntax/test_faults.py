"""What is wrong, exactly where, and what would mend it."""

import re
from pathlib import Path

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax import parse, parse_expr
from tests.fixture import read_selection

VERSION = '#[version = "0.0.5"]\n'
ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs" / "diagnostics"
METADATA = """#[metadata]
{"root": 1, "nodes": [
  {"type_key": ""},
  {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]},
  {"type_key": "Array", "data": [3]},
  {"type_key": "runtime.String", "repr_str": "no constant"}
], "b64ndarrays": [], "attrs": {"tvm_version": "0.12.0"}}
"""
CODE = re.compile(r'"([a-z]+(?:-[a-z]+)+)"')


def codes() -> list[str]:
    written: set[str] = set()
    for file in (ROOT / "ir" / "syntax").rglob("*.py"):
        written.update(CODE.findall(file.read_text(encoding="utf-8")))
    return sorted(written)


@pytest.mark.parametrize("code", codes())
def test_every_code_has_a_page_whose_example_shows_it(code: str):
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    example = page.split("```relay\n", 1)[1].split("```", 1)[0].replace("\\0", "\0")
    if code not in ("missing-version-line", "unsupported-version"):
        example = VERSION + example
    assert code in {diagnostic.code for diagnostic in Snapshot.open(example, "example").diagnostics}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("undefined-variable", "def @main(%data: int32) { add(«%dta», 1) }"),
        ("undefined-variable", "def @main(%x: int32) { %0 = add(%x, 1); add(«%1», 1) }"),
        ("undefined-operator", "def @main(%x: int32) { «nn.rellu»(%x) }"),
        ("undefined-global", "def @main(%x: int32) { «@mian»(%x) }"),
        ("undefined-type", "def @main(%x: «Lisst»[int32]) { %x }"),
        ("unknown-dtype", "def @main(%x: Tensor[(1), «flaot32»]) { %x }"),
        ("unknown-attribute", "def @main(%x: Tensor[(1, 2), float32]) { nn.softmax(%x, «axes»=1) }"),
        ("invalid-attribute-value", 'def @main(%x: Tensor[(1, 2), float32]) { nn.softmax(%x, axis=«"zz"») }'),
        ("number-out-of-range", "def @main() { «32768i16» }"),
        ("invalid-number", "def @main() { add(«1.5», 2f) }"),
        ("invalid-metadata", f"def @main() {{ add(«meta[relay.Constant][0]», 1) }}\n{METADATA}"),
        ("invalid-metadata", f"def @main() {{ «meta[relay.Constant][0]» }}\n{METADATA}"),
        ("unknown-character", "def @main(%x: int32) { add(%x, «$» 1) }"),
        ("unclosed-string", 'def @main(%x: int32) { cast(%x, dtype=«"int8)»\n }'),
        ("missing-token", "def @main(%x: int32) {\n  %0 = add(%x, 1)«»\n  %0\n}"),
        ("missing-token", "def @main(%x: int32) {\n  %0 = add(%x, 1«»;\n  %0\n}"),
        ("missing-token", "def @main(%x: int32) {\n  %0« »add(%x, 1);\n  %0\n}"),
        ("missing-token", "def @main(%x« »int32) {\n  %x\n}"),
        ("missing-token", "def @main(%x: int32) {\n  «»%a: int32 = add(%x, 1);\n  %a\n}"),
        ("missing-token", "def @main(%x: int32) {\n  add«»%x, 1)\n}"),
        ("missing-token", "def @main(%x: (int32,)) { match (%x) {\n    (%a,) => 0«»\n    _ => 1\n  } }"),
        ("missing-value", "def @main(%x: (int32,)) { match (%x) { (%a,) => let %y = %a«;», _ => 1 } }"),
        ("unexpected-token", "def @main(%x: int32) { add(%x, «,» 1) }"),
        ("unexpected-token", "def @main(%x: int32) { «lte» %y = 1; %y }"),
        ("expected-token", "def @main(%x: int32) { let «@y» = 1; %x }"),
        ("tuple-index-out-of-range", "def @main(%x: (int32, int32)) { «%x.5» }"),
    ],
)
def test_the_first_error_is_exactly_at_the_fault(code: str, text: str):
    source, span = read_selection(VERSION + text)
    diagnostics = Snapshot.open(source, "example").diagnostics
    first = next(diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR)
    assert first.code == code
    assert first.span == span


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("def @main(%data: int32) { add(%dta, 1) }", "def @main(%data: int32) { add(%data, 1) }"),
        ("def @main(%x: int32) { nn.rellu(%x) }", "def @main(%x: int32) { nn.relu(%x) }"),
        (
            "def @main(%x: Tensor[(1, 2), float32]) { nn.softmax(%x, axis=1, zz=2) }",
            "def @main(%x: Tensor[(1, 2), float32]) { nn.softmax(%x, axis=1) }",
        ),
        (
            "def @main(%x: Tensor[(1, 2), float32], %w: Tensor[(3, 2), float32]) { nn.dense(%x, %w) }",
            "def @main(%x: Tensor[(1, 2), float32], %w: Tensor[(3, 2), float32]) { nn.dense(%x, %w, units=None) }",
        ),
        ("def @main(%x: int32) { cast(%x, dtype=float16) }", 'def @main(%x: int32) { cast(%x, dtype="float16") }'),
        ("def @main(%x: int32) { cast(%x) }", 'def @main(%x: int32) { cast(%x, dtype="float32") }'),
        ("def @main(%x: flaot32) { %x }", "def @main(%x: float32) { %x }"),
        ("def @main(%x: int32) {\n  %0 = add(%x, 1)\n  %0\n}", "def @main(%x: int32) {\n  %0 = add(%x, 1);\n  %0\n}"),
        ("def @main(%x: int32) { add(%x, 1 }", "def @main(%x: int32) { add(%x, 1) }"),
    ],
)
def test_the_quick_fix_mends_it(broken: str, mended: str):
    text = VERSION + broken
    fix = Snapshot.open(text, "example").diagnostics[0].fixes[0]
    for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    assert text.replace(" )", ")").replace("  }", " }") == (VERSION + mended).replace("  }", " }")


def test_only_the_first_arm_of_a_match_needs_its_comma():
    """So it is in every list, and none has to end with one (``ParseSequence`` in ``src/relay/parser/parser.cc``)."""
    read = "def @main(%x: (bool,)) { match (%x) { ARMS } }"

    def errors(arms: str) -> list[str]:
        diagnostics = Snapshot.open(VERSION + read.replace("ARMS", arms), "example").diagnostics
        return [each.message for each in diagnostics if each.severity is Severity.ERROR]

    assert errors("(%a,) => %a") == []
    assert errors("(%a,) => %a, (%b,) => { %b } (_,) => True") == []
    assert errors("(%a,) => { %a } (%b,) => { %b }, (_,) => True") == ["expected `,`, found `(`"]
    assert errors("(%a,) => %a _ => True") == ["expected `,`, found `_`"]


def test_the_version_line_can_be_inserted():
    diagnostic = parse("def @main(%x: int32) { %x }").diagnostics[0]
    assert diagnostic.code == "missing-version-line"
    assert diagnostic.fixes[0].edits[0].new_text == VERSION


def test_all_errors_are_reported_and_none_that_follows():
    text = (
        VERSION
        + "def @main(%x: int32) {\n  %0 = ad(%x, 1);\n  %1 = add(%0, 1;\n  %2 = add(%1, %y);\n  add(%2, %0)\n}\n"
    )
    reported = [
        (diagnostic.code, text[diagnostic.span.start : diagnostic.span.end])
        for diagnostic in parse(text).diagnostics
        if diagnostic.span is not None
    ]
    assert reported == [("undefined-operator", "ad"), ("missing-token", ""), ("undefined-variable", "%y")]


def test_an_open_brace_does_not_swallow_what_follows():
    text = (
        VERSION
        + "def @f(%x: int32) {\n  %0 = fn (%y: int32) {\n    %y\n  %1 = add(%x, %z);\n  %1\n}\ndef @g() { %q }\n"
    )
    assert [diagnostic.code for diagnostic in parse(text).diagnostics] == [
        "unclosed-brace",
        "undefined-variable",
        "undefined-variable",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "\0" * 50,
        "{" * 3000,
        "}" * 3000,
        "(" * 3000,
        "/*" * 3000,
        '"' * 3000,
        "\x01\x02\ud800",
        "#[",
        "%",
        "@",
    ],
)
def test_nothing_makes_the_parser_raise(text: str):
    assert parse(text).diagnostics
    assert parse(VERSION + "def @main() {" + text).diagnostics
    parse_expr(text)


TYPED = """#[version = "0.0.5"]
type List[A] {
  Cons(A, List[A]),
  Nil,
}

def @main[A](%x: Tensor[(1, ?), float32], %list: List[A], %f: fn (A) -> (A, ref(A))) -> Tensor[(1, ?), float32] {
  %0 = nn.dense(%x, meta[relay.Constant][0], units=None, out_dtype="float32") /* ty=float32 */;
  let %y: float32 = if (less(%0, -1f64) == True) {
    (match? (%list) {
      Cons(%head, (_, Nil)) => { fn (%a) { (%a, %head).0 } },
      _ => @main(%x, Nil, %f)[int8],
    })
  } else {
    add(if (False) { 1 } else { ref_read(ref(%y)) }, fn (%b: int32, Primitive=1) -> int32 { %b })
  };
  ref_write(%y, "😀");
  %x * %y + 2
}
"""


BEGUN = ("", " {", "(", ");", "}", " if (True) {", " match (%x) {")


def test_a_text_can_be_opened_after_every_key():
    for end in range(len(TYPED) + 1):
        text = TYPED[:end] + BEGUN[end % len(BEGUN)]
        diagnostics = Snapshot.open(text, "typed").diagnostics
        assert all(item.span is not None and item.span.end <= len(text) for item in diagnostics)


def test_an_unknown_character_alone_on_its_line_is_reported():
    text = VERSION + "def @main(%x: int32) {\n  $\n  %0 = add(%x, %x);\n  %0\n}\n"
    diagnostics = Snapshot.open(text, "example").diagnostics
    assert ("unknown-character", "`$` means nothing in Relay") in [(each.code, each.message) for each in diagnostics]


def test_a_device_that_is_none_is_reported_in_the_head_however_long_the_body_is():
    head = "def @main(%x: float32, virtual_device=meta[relay.Constant][0])"
    text = f"{VERSION}{head} {{\n  %0 = add(%x, %x);\n  %0\n}}\n{METADATA}"
    spans = {item.code: item.span for item in Snapshot.open(text, "example").diagnostics}
    span = spans["invalid-attribute-value"]
    assert span is not None
    assert text[span.start : span.end] == "virtual_device=meta[relay.Constant][0]"
