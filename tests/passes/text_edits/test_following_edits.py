"""Edits of what edits have made are put together as edits of the text before both."""

from __future__ import annotations

import random

from relay_lsp.ir.diagnostics import TextEdit, apply_edits
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.passes.text_edits import followed_by, kept_pieces, moved_by, written_spans


def random_edits(text: str, chance: random.Random) -> list[TextEdit]:
    """Some edits of single characters, and insertions, in order."""
    places = sorted(chance.sample(range(len(text)), 4))
    return [TextEdit(TextSpan(place, place + chance.randrange(2)), chance.choice(["", "x", "yz"])) for place in places]


def test_both_together_give_what_one_after_the_other_gives() -> None:
    chance = random.Random(7)
    for _ in range(200):
        text = "abcdefghijklmnopqrstuvwxyz"
        edits = random_edits(text, chance)
        between = apply_edits(text, edits)
        later = [edit for edit in random_edits(between, chance) if edit.span.start < edit.span.end]
        assert apply_edits(text, followed_by(edits, later)) == apply_edits(between, later)


def test_an_edit_half_of_which_was_written_by_one_before_is_left_out() -> None:
    edits = [TextEdit(TextSpan(2, 3), "XYZ")]
    assert followed_by(edits, [TextEdit(TextSpan(1, 3), "no")]) == tuple(edits)


def test_what_edits_keep_and_what_they_write_make_up_the_new_text() -> None:
    chance = random.Random(8)
    for _ in range(200):
        text = "abcdefghijklmnopqrstuvwxyz"
        edits = random_edits(text, chance)
        after = apply_edits(text, edits)
        written = written_spans(edits)
        assert [after[span.start : span.end] for span in written] == [edit.new_text for edit in edits]
        pieces = list(kept_pieces(text, edits))
        together = [piece for pair in zip(pieces, [edit.new_text for edit in edits], strict=False) for piece in pair]
        assert "".join([*together, pieces[-1]]) == after


def test_no_edits_keep_no_pieces() -> None:
    assert list(kept_pieces("abc", [])) == []


def test_a_range_moves_with_comments_beside_inside_and_behind_it() -> None:
    text = "%0 = (exp(%x) /* a */, 2f) /* b */;"
    edits = [
        TextEdit(TextSpan(14, 21), "/* c, d */"),
        TextEdit(TextSpan(26, 26), " /* e */"),
        TextEdit(TextSpan(34, 34), " /* f */"),
    ]
    after = apply_edits(text, edits)
    moved = moved_by(edits)
    for old, new in (
        ("(exp(%x) /* a */, 2f)", "(exp(%x) /* c, d */, 2f)"),
        ("exp(%x)", "exp(%x)"),
        ("2f", "2f"),
        (";", ";"),
    ):
        start = text.index(old)
        span = moved(TextSpan(start, start + len(old)))
        assert after[span.start : span.end] == new
