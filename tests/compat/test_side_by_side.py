"""``./dev tutorials``: what the samples of TVM's pages print there and here."""

from __future__ import annotations

import pytest

from tests.compat.side_by_side import columns, main


def test_columns_mark_the_lines_that_differ() -> None:
    same, other = columns(f"{'a' * 60} {'b' * 10}", f"{'a' * 60} {'c' * 10}")
    assert same.split() == ["a" * 60, "|", "a" * 60]
    assert other.split() == ["b" * 10, "≠", "c" * 10]


def test_every_output_of_a_page_stands_beside_ours(capsys: pytest.CaptureFixture[str]) -> None:
    main(["pass_infra"])
    shown = capsys.readouterr().out
    assert shown.endswith("pass_infra: 8 outputs are the same but for times, 0 differ as test_tutorials.py says\n")
    assert "from relay_lsp.compat import tvm" in shown
    with pytest.raises(SystemExit):
        main(["another"])
    assert "there is no page another: pass_infra, pass_instrument" in capsys.readouterr().err
