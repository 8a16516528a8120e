"""Parameters without types: a statement tells them, or none does; the others are typed one by one either way."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.inputs import untyped_parameters
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.inference import CANNOT_INFER, unannotated
from relay_lsp.ir.semantic.snapshot import PartialSnapshot, Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference, early_difference

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


def test_weights_that_a_far_reaching_edit_tells_anew_are_told_in_order():
    text = untyped_parameters(700)
    at = text.index("tanh(%0)")
    snapshot = _open(text)
    assert not _errors(snapshot)
    for span, new, errors in ((TextSpan(at, at), '"', True), (TextSpan(at, at + 1), "", False)):
        parts: list[PartialSnapshot] = []

        def keep(part: Callable[[], PartialSnapshot | None], parts: list[PartialSnapshot] = parts) -> None:
            parts.extend(made for made in (part(),) if made is not None)

        edited = snapshot.edit(span, new)
        edited.analyse(keep)
        assert parts
        head = text.index("def @")
        assert all(part.unsettled[0].contains(head) and part.unsettled[1].start > at for part in parts)
        assert [early_difference(part, edited) for part in parts] == [None] * len(parts)
        assert bool(_errors(edited)) is errors
        snapshot = _checked(edited, at)


def test_the_next_use_tells_a_type_where_the_first_is_taken_away():
    line = "  %0 = nn.dense(%x, %w, units=8);\n"
    text = _WEIGHT.replace(line, line + "  %100 = nn.dense(%x, %w, units=8);\n")
    at = text.index(line)
    gone = _checked(_open(text).edit(TextSpan(at, at + len(line)), "  %0 = nn.relu(%x);\n"), at)
    assert not _errors(gone)
    assert repr(gone.type_at(gone.text.index("%w"))) == "Tensor[(8, 8), float32]"
    back = _checked(gone.edit(TextSpan(at, at), "  %101 = nn.dense(%x, %w, units=4);\n"), at)
    assert repr(back.type_at(back.text.index("%w"))) == "Tensor[(4, 8), float32]"
    assert len(_errors(back)) == 1


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


def test_each_key_in_a_long_list_of_parameters_without_types():
    """More than are parsed with their head; some have no use that tells their types."""
    weights = [f"%w{number}" for number in range(24)]
    uses = "".join(f"  %{i + 1} = nn.dense(%{i}, %w{2 * i}, units=8);\n" for i in range(12))
    text = f"{_VERSION}def @main(%x: {_TYPE}, {', '.join(weights)}) {{\n  %0 = nn.relu(%x);\n{uses}  %12\n}}\n"
    snapshot = _open(text)
    unknown = [f"the type of %w{number} cannot be inferred from its uses; annotate it" for number in range(1, 24, 2)]
    assert _errors(snapshot) == unknown
    assert described(snapshot.diagnostics) == described(Snapshot.open_whole(text, "example.relay").diagnostics)
    for place in ("%w3,", "%w10,", "%w22,"):
        at = text.index(place) + len(place)
        for number, key in enumerate(" %new: int8,"):
            snapshot = _checked(snapshot.edit(TextSpan(at + number, at + number), key), at)
        for number in range(len(" %new: int8,") - 1, -1, -1):
            snapshot = _checked(snapshot.edit(TextSpan(at + number, at + number + 1), ""), at)
    at = text.index("float32")
    misspelled = _checked(snapshot.edit(TextSpan(at, at + 7), "float3"), at)
    assert len(_errors(misspelled)) == len(unknown)
    assert _errors(_checked(misspelled.edit(TextSpan(at, at + 6), "float32"), at)) == unknown


_LINES = "".join(f"  %{i} = nn.relu(%{i - 1});\n" for i in range(2, 20))
_CALLED = f"""{_VERSION}def @called(%x: {_TYPE}, %y: {_TYPE}) -> {_TYPE} {{
  add(%x, %y)
}}

def @main(%x: {_TYPE}) -> {_TYPE} {{
  %0 = nn.relu(%x);
  %1 = @called(%0, %x);
{_LINES}  add(%19, @called(%x, %19))
}}
"""


def test_the_callers_of_a_function_that_gets_a_parameter_without_a_type_keep_their_statements():
    at = _CALLED.index(") ->")
    snapshot = _open(_CALLED).edit(TextSpan(at, at), ", %n")
    memos = [snapshot.statement_memo(index) for index in range(7, 24)]
    for number, key in enumerate("ew", at + len(", %n")):
        snapshot = _checked(snapshot.edit(TextSpan(number, number), key), number)
    wrong = "@called takes 3 arguments, but 2 are given"
    assert _errors(snapshot) == [unannotated("%new"), wrong, wrong]
    assert all(snapshot.statement_memo(index) is memo for index, memo in zip(range(7, 24), memos, strict=True))
    assert repr(snapshot.type_at(snapshot.text.index("%19)"))) == _TYPE


def test_all_calls_of_a_function_give_its_parameter_without_a_type_the_same():
    first, second = _CALLED.index("%0, %x)"), _CALLED.rindex("%x, %19)")
    untyped = _CALLED[:first].replace(f"%y: {_TYPE}", "%y").replace("add(%x, %y)", "nn.dense(%x, %y, units=8)")
    text = untyped + _CALLED[first:second] + _CALLED[second:].replace("%x, %19", "%x")
    snapshot = _open(text)
    assert _errors(snapshot) == ["@called takes 2 arguments, but 1 is given"]
    at = text.rindex("@called(%x") + len("@called(%x")
    for given, wrong in ((", %19", []), (", 1", ["@called takes Tensor[(1, 8), float32] as argument 2, not int32"])):
        edited = _checked(snapshot.edit(TextSpan(at, at), given), at)
        assert [message.partition(":")[0] for message in _errors(edited)] == wrong


def test_what_is_said_of_parameters_is_made_anew_only_where_their_head_moves():
    text = _function("%x, %y", "add(%x, %y)")
    snapshot = _open(text)
    untold = snapshot.findings
    assert [found.code for found in untold] == [CANNOT_INFER, CANNOT_INFER]
    at = text.rindex("nn.relu(")
    edited = _checked(snapshot.edit(TextSpan(at, at), " "), at)
    assert all(one is other for one, other in zip(untold, edited.findings, strict=True))
    moved = _checked(edited.edit(TextSpan(0, 0), "\n"), 0)
    assert [found.span for found in moved.findings] == [found.span and found.span.shifted(1) for found in untold]
