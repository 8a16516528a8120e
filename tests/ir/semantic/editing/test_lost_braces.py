"""A brace of a function that is lost and put back: its statements mean what they did, and are not analyzed again."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax import splitting
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference

_TYPE = "Tensor[(1, 8), float32]"


def _function(name: str, statements: int = 20) -> str:
    lines = [f"  %{i} = nn.relu({f'%{i - 1}' if i else '%x'});\n" for i in range(statements)]
    return f"def {name}(%x: {_TYPE}) -> {_TYPE} {{\n{''.join(lines)}  %{statements - 1}\n}}\n"


_TEXT = f'#[version = "0.0.5"]\n{_function("@first")}{_function("@main")}'
_BRACES = [at for at, letter in enumerate(_TEXT) if letter in "{}"]


def _errors(snapshot: Snapshot) -> list[tuple[str, str]]:
    errors = [diagnostic for diagnostic in snapshot.diagnostics if diagnostic.severity is Severity.ERROR]
    return [(diagnostic.code, diagnostic.message) for diagnostic in errors]


@pytest.mark.parametrize("at", _BRACES)
@pytest.mark.parametrize("after", ["", "// what follows\n", '#[metadata]\n{"nodes": []}\n'])
def test_a_brace_lost_is_the_only_error(at: int, after: str):
    opened = Snapshot.open(_TEXT + after, "example.relay")
    before = [error for error in _errors(opened) if error[0] == "invalid-metadata"]
    lost = opened.edit(TextSpan(at, at + 1), "")
    assert len(_errors(lost)) == 1 + len(before)
    assert difference(lost, Snapshot.open(lost.text, "example.relay"), at, whole=True) is None
    assert described(lost.diagnostics) == described(Snapshot.open_whole(lost.text, "example.relay").diagnostics)
    back = lost.edit(TextSpan(at, at), _TEXT[at])
    assert _errors(back) == before
    assert difference(back, Snapshot.open(back.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("at", _BRACES)
def test_statements_are_remembered_while_a_brace_is_lost(at: int):
    opened = Snapshot.open(_TEXT, "example.relay")
    known = [opened.statement_memo(index) for index in range(1, 44)]
    lost = opened.edit(TextSpan(at, at + 1), "")
    kept = [lost.statement_memo(index) for index in range(1, 44)]
    assert sum(any(memo is other for other in known) for memo in kept) >= 38


def test_a_statement_typed_while_the_closing_brace_is_lost():
    at = _TEXT.rindex("}")
    snapshot = Snapshot.open(_TEXT[:at], "example.relay")
    assert [code for code, _ in _errors(snapshot)] == ["unclosed-brace"]
    start = _TEXT.rindex("  %10 =")
    for number, key in enumerate("  %99 = nn.relu(%x);\n"):
        snapshot = snapshot.edit(TextSpan(start + number, start + number), key)
        assert difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), start, whole=True) is None
    assert [code for code, _ in _errors(snapshot)] == ["unclosed-brace"]


_STATEMENTS = "".join(f"  %{number} = add(%x, %x);\n" for number in range(9))

_NESTED = """#[version = "0.0.5"]
type Maybe { Some(int32), None }
def @main(%x: Tensor[(1, 8), float32], %c: bool, %m: Maybe) -> Tensor[(1, 8), float32] {
  let %f = fn (%p: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {
    let %a = nn.relu(%p);
    %70 = add(%p, %a);
    let %d = if (%c) {
      let %e = tanh(%70);
      add(%e, %a)
    } else {
      nn.relu(%a)
    };
    tanh(%d)
  };
  let %z = match (%m) {
    Some(%v) => {
      let %h = exp(%x);
      %h
    },
    None => %x,
  };
  let %g = %f(%z);
  nn.relu(%g)
}
def @other(%x: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {
  @main(%x, True, None)
}
"""
_PLACES = ("let %a", ");\n    let %d", "let %e", ", %a)\n", "nn.relu(%a)", "tanh(%d)", "let %h", "%h\n", "None =>")


@pytest.mark.parametrize("typed", ["}", "};", "}\n    ", "}\n      ", "\n}\n    ", " } "])
@pytest.mark.parametrize("before", _PLACES)
def test_a_brace_too_many_inside_a_value_is_the_only_error(before: str, typed: str):
    at = _NESTED.index(before)
    edited = Snapshot.open(_NESTED, "example.relay").edit(TextSpan(at, at), typed)
    errors = [each for each in edited.diagnostics if each.severity is Severity.ERROR]
    lines = {edited.text.count("\n", at, each.span.start) for each in errors if each.span is not None}
    assert errors
    assert lines <= set(range(typed.count("\n") + 1)) if ";" in typed else len(errors) == 1
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize(("line", "bound"), [("    let %d = if (%c) {\n", "%d"), ("    Some(%v) => {\n", "")])
def test_a_line_with_a_brace_that_is_lost_leaves_what_is_in_the_braces_around(line: str, bound: str):
    at = _NESTED.index(line)
    edited = Snapshot.open(_NESTED, "example.relay").edit(TextSpan(at, at + len(line)), "")
    errors = [each for each in edited.diagnostics if each.severity is Severity.ERROR]
    undefined = {each.message for each in errors if each.code == "undefined-variable"}
    assert undefined <= {f"undefined variable {bound}"}
    ends = edited.text.index("  let %g")
    assert all(each.span is not None and each.span.start < ends for each in errors)
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


def test_braces_that_match_may_stand_anywhere():
    text = _NESTED.replace("\n    };\n    tanh(%d)\n  };", "};\n  tanh(%d)\n     };").replace("{\n      nn", "{\n  nn")
    text = text.replace("    } else", "  } else").replace("      %h\n    },", "      %h},")
    assert not [each for each in Snapshot.open(text, "example.relay").diagnostics if each.severity is Severity.ERROR]


def test_a_brace_that_becomes_a_statement_leaves_the_function_open():
    text = '#[version = "0.0.5"]\ndef @main(%x: int32) {\n  %0 = add(%x, 1);\n  %0\n}\n}\n'
    at = text.index("}\n}")
    snapshot = Snapshot.open(text, "example.relay")
    _ = snapshot.diagnostics
    edited = snapshot.edit(TextSpan(at, at + len("}\n}\n")), '#[version = "0.0.5"]\n')
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


def test_where_a_statement_ends_is_told_by_its_own_lines_and_not_by_those_of_one_with_the_same_words():
    """A brace closes on its line; below that, it may be one too many, typed inside of the value."""
    head, end = '#[version = "0.0.5"]\ndef @main(%x: int32) -> int32 {\n', f"    %p\n  }};\n{_STATEMENTS}  %f(%x)\n}}\n"
    inside = head + "  let %f = fn (%p: int32) {\n    %p };\n" + end
    on_its_line = head + "  let %f = fn (%p: int32) { %p };\n" + end
    for text, value in ((inside, "{\n    %p };\n    %p\n  };"), (on_its_line, "{ %p };")) * 2:
        (statement,) = (each.text for each in splitting.split(text) if "let %f" in each.text)
        assert statement.rstrip().endswith(value)


def test_statements_in_braces_too_many_are_read_for_themselves():
    text = (
        '#[version = "0.0.5"]\ndef @main(%x: int32)}{\n'
        '  %0 = zeros(shape=[0, 4], dtype="float32");\n  %1 = nn.relu(%0)};\n  %x\n}\n'
    )
    opened = Snapshot.open(text, "example.relay")
    assert "invalid-attribute-value" not in [code for code, _ in _errors(opened)]
    at = text.index("float32")
    misspelled = opened.edit(TextSpan(at, at + len("float32")), "flo t32")
    assert ("invalid-attribute-value", "attribute dtype takes a dtype (in zeros)") in _errors(misspelled)
    assert difference(misspelled, Snapshot.open(misspelled.text, "example.relay"), at, whole=True) is None
