"""Functions written alike but for names of functions are read once, and each has its own findings and symbols."""

from __future__ import annotations

from unittest import mock

import pytest

from relay_lsp.ir.diagnostics import MOST_DIAGNOSTICS
from relay_lsp.ir.expressions import Var
from relay_lsp.ir.semantic.head_cache import HeadCache
from relay_lsp.ir.semantic.head_parts import HeadParts
from relay_lsp.ir.semantic.heads import Head
from relay_lsp.ir.semantic.module_analyzer import ModuleAnalyzer
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax.reading import Reading
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics

_VERSION = '#[version = "0.0.5"]\ntype L { A, B }\n'

_FUNCTIONS = (
    "def @fN(%x: int32) {\n  %x\n}\n",
    "def @fN(%x: int32, %unused: int32) {\n  %x\n}\n",
    "def @fN(%x: int32 {\n  %x\n}\n",
    "def @fN(%x: Tensor[(3, m), float32], Primitive=1) -> int32 {\n  %x\n}\n",
    "def @fN[T](%x: T, %y: Nothing) -> T {\n  %x\n}\n",
    "def @fN(%x) {\n  %x\n}\n",
    "def @fN(%x: int32)\n",
    "def @fN(%x: int32) {\n  let %a = %x;\n}\n",
    "def @fN(%x: int32) {\n  @fP(%x)\n}\n",
    "def @fN(%x: int32) {\n  @fN(%x, %x)\n}\n",
    "def @fN(%x: int32) {\n  let %idle = @fP(%x);\n  %0 = nn.rellu(%x);\n  %0\n}\n",
    "def @fN(%x: int32 {\n  @fP(%x)\n}\n",
    "def @fN(%x: L[]) {\n  match (%x) { A => @fP(%x) }\n}\n",
    'def @fN(%x: int32) {\n  /* not @fP */ add(@fP(%x), "@fP")\n}\n',
    "def @fN(%x: int32) {\n  %0 = @fP(%x);\n  %7\n}\n",
    "def @fN(%x: int32) {\n  %N = @fP(%x);\n  %P\n}\n",
    "def (%x: int32) {\n  @fP(%x)\n}\n",
    "def @gN(%x: int32) {\n  %x\n}\ndef @fN(%x: int32) {\n  let %a: int8 = @gP(%x);\n  @fP(%a)\n}\n",
    "def @fN(%x: int32) {\n  @call(@fP(%x))\n}\ndef @call(%y: int32) {\n  @fN(1f, %y)\n}\n",
    "def @fN(%x: int32, @fP) {\n  @fP(%x)\n}\n",
)


def _text(function: str, count: int) -> str:
    functions = (function.replace("N", str(number)).replace("P", str(max(number - 1, 0))) for number in range(count))
    return _VERSION + "".join(functions)


def _shown(snapshot: Snapshot) -> list[tuple[object, ...]]:
    return [
        (each.code, each.message, each.span, each.related, [(fix.title, fix.edits) for fix in each.fixes])
        for each in diagnostics(snapshot)
    ]


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_what_is_said_of_each_is_what_is_said_of_it_alone(function: str) -> None:
    text = _text(function, 12)  # the names of the last are longer than those of the first
    shared = Snapshot.open(text, "alike")
    with (
        mock.patch.object(HeadCache, "_head_alike", return_value=None),
        mock.patch.object(ModuleAnalyzer, "_whole_alike", return_value=None),
    ):
        alone = Snapshot.open(text, "alone")
        assert _shown(alone) == _shown(shared)
    assert [(each.name, each.span, str(each.type)) for each in alone.symbols] == [
        (each.name, each.span, str(each.type)) for each in shared.symbols
    ]


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_an_edit_of_one_is_followed(function: str) -> None:
    snapshot = Snapshot.open(_text(function, 12), "alike")
    assert _shown(snapshot) is not None
    for at in (snapshot.text.index("@f5"), snapshot.text.index("(", snapshot.text.index("@f7")) + 2):
        snapshot = snapshot.edit(TextSpan(at + 1, at + 1), "q")
        assert _shown(snapshot) == _shown(Snapshot.open(snapshot.text, "afresh"))


def test_each_has_parameters_of_its_own() -> None:
    text = _text("def @fN(%x: int32) {\n  add(%x, %x)\n}\n", 3)
    snapshot = Snapshot.open(text, "alike")
    ends = [text.index("%x", text.index(name)) + 1 for name in ("@f0", "@f1", "@f2")]
    found = [snapshot.expr_at(end) for end in ends]
    assert len({id(each) for each in found}) == 3
    for end, expr in zip(ends, found, strict=True):
        assert isinstance(expr, Var)
        span = snapshot.span_of(expr)
        assert span is not None
        assert span.start <= end < span.end


def test_ten_times_as_many_heads_are_read_once() -> None:
    with mock.patch.object(Head, "__init__", autospec=True, side_effect=Head.__init__) as made:
        assert not diagnostics(Snapshot.open(_text(_FUNCTIONS[0], 100), "many"))
    assert made.call_count == 1
    with mock.patch.object(HeadParts, "of", autospec=True, side_effect=HeadParts.of) as parts:
        assert not diagnostics(Snapshot.open(_text(_FUNCTIONS[0], 100), "many"))
    assert not parts.call_count


def test_functions_that_are_not_shown_are_not_read() -> None:
    with (
        mock.patch("relay_lsp.ir.semantic.module_findings.MOST_DIAGNOSTICS", 10),
        mock.patch.object(Reading, "__init__", autospec=True, side_effect=Reading.__init__) as made,
    ):
        snapshot = Snapshot.open(_text(_FUNCTIONS[8], 100), "many")
        assert len(snapshot.findings) + snapshot.unplaced_findings == 100
    assert made.call_count < 16


def test_functions_that_are_shown_are_read_once() -> None:
    with mock.patch.object(Reading, "__init__", autospec=True, side_effect=Reading.__init__) as made:
        assert len(Snapshot.open(_text(_FUNCTIONS[8], 100), "many").diagnostics) == 100
    assert made.call_count < 8


def test_of_more_findings_than_are_shown_the_first_are() -> None:
    text = _text(_FUNCTIONS[8], MOST_DIAGNOSTICS + 40)
    found = diagnostics(Snapshot.open(text, "many"))
    with mock.patch.object(ModuleAnalyzer, "_whole_alike", return_value=None):
        alone = diagnostics(Snapshot.open(text, "alone"))
    assert [each.span for each in found] == [each.span for each in alone]
    assert found[-1].message == alone[-1].message == "and 40 more: a document shows 1,000 at most"
