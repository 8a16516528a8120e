"""Parameters without types: a statement tells them, or none does; the others are typed one by one either way."""

from __future__ import annotations

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference

_TYPE = "Tensor[(1, 8), float32]"
_VERSION = '#[version = "0.0.5"]\n'


def _function(parameters: str, first: str) -> str:
    lines = "".join(f"  %{i} = nn.relu(%{i - 1});\n" for i in range(1, 20))
    return f"{_VERSION}def @main({parameters}) {{\n  %0 = {first};\n{lines}  %19\n}}\n"


_WEIGHT = _function(f"%x: {_TYPE}, %w", "nn.dense(%x, %w, units=8)")
_OPEN = _function("%x", "nn.relu(%x)")


def _open(text: str) -> Snapshot:
    return Snapshot.open(text, "example.relay")


def _errors(snapshot: Snapshot) -> list[str]:
    return [found.message for found in snapshot.diagnostics if found.severity is Severity.ERROR]


def _checked(snapshot: Snapshot, at: int) -> Snapshot:
    assert difference(snapshot, _open(snapshot.text), at, whole=True) is None
    return snapshot


def test_an_operator_tells_the_type_of_its_weight():
    snapshot = _open(_WEIGHT)
    assert not _errors(snapshot)
    assert described(snapshot.diagnostics) == described(Snapshot.open_whole(_WEIGHT, "example.relay").diagnostics)
    assert repr(snapshot.type_at(_WEIGHT.index("%w"))) == "Tensor[(8, 8), float32]"


def test_a_parameter_that_nothing_tells_is_the_only_error():
    assert _errors(_open(_OPEN)) == ["the type of %x cannot be inferred from its uses; annotate it"]
    broken = _open(_OPEN.replace("nn.relu(%7)", "nn.rel(%7)"))
    assert _errors(broken) == ["unknown operator nn.rel; did you mean nn.relu?"]


def test_a_letter_anywhere_leaves_the_other_statements_alone():
    for text in (_WEIGHT, _OPEN):
        at = text.index("relu(%9)") + 3
        snapshot = _open(text)
        memos = [snapshot.statement_memo(index) for index in range(14, 20)]
        broken = _checked(snapshot.edit(TextSpan(at, at + 1), "x"), at)
        mended = _checked(broken.edit(TextSpan(at, at + 1), "u"), at)
        assert [mended.statement_memo(index) for index in range(14, 20)] == memos


def test_the_statement_that_tells_a_type_goes_and_comes_back():
    at = _WEIGHT.index("units=8")
    lost = _checked(_open(_WEIGHT).edit(TextSpan(at - 2, at + 7), ""), at)
    assert _errors(lost) == ["nn.dense needs the attribute units (a dimension or None)"]
    assert not _errors(_checked(lost.edit(TextSpan(at - 2, at - 2), ", units=8"), at))


def test_a_use_before_the_statement_that_tells_the_type():
    at = _WEIGHT.index("  %0 =")
    used = _checked(_open(_WEIGHT).edit(TextSpan(at, at), "  let %t = tanh(%w);\n"), at)
    assert not _errors(used)
    assert repr(used.type_at(used.text.index("%t"))) == "Tensor[(8, 8), float32]"


def test_a_type_is_typed_and_deleted_again():
    at = _WEIGHT.index("%w") + 2
    snapshot = _open(_WEIGHT)
    annotation = ": Tensor[(8, 8), float32]"
    for number, key in enumerate(annotation):
        snapshot = _checked(snapshot.edit(TextSpan(at + number, at + number), key), at)
    assert not _errors(snapshot)
    for number in range(len(annotation) - 1, -1, -1):
        snapshot = _checked(snapshot.edit(TextSpan(at + number, at + number + 1), ""), at)
    assert not _errors(snapshot)


def test_a_parameter_without_a_type_is_added_where_others_have_types():
    text = _WEIGHT.replace("%w)", "%w: Tensor[(8, 8), float32])")
    at = text.index(") {")
    snapshot = _open(text)
    memos = [snapshot.statement_memo(index) for index in range(2, 20)]
    for number, key in enumerate(", %new"):
        snapshot = _checked(snapshot.edit(TextSpan(at + number, at + number), key), at)
    assert _errors(snapshot) == ["the type of %new cannot be inferred from its uses; annotate it"]
    assert [snapshot.statement_memo(index) for index in range(2, 20)] == memos
