"""Fixes that follow from the rest of the text, as a user gets the text after each."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity, apply_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.features.diagnostics.code_actions import edits_of_all, kinds_to_fix, quick_fixes
from relay_lsp.server.features.diagnostics.repairs import with_repairs

PARAMETERS = (
    "%x: Tensor[(1, 3, 8, 9), float32], %w: Tensor[(4, 3, 3, 5), float32], %b: Tensor[(4), float32], "
    "%d: Tensor[(1, 8), float32], %m: Tensor[(5, 8), float32]"
)


def opened(body: str) -> Snapshot:
    text = f'#[version = "0.0.5"]\ndef @main({PARAMETERS}) {{\n  {body}\n}}\n'
    return Snapshot.open(text, "model.relay")


def repaired(body: str) -> dict[str, str]:
    """The body after each fix of an error or warning, by its title."""
    snapshot = opened(body)
    findings = [item for item in with_repairs(snapshot, snapshot.diagnostics) if item.severity <= Severity.WARNING]
    texts = {fix.title: apply_edits(snapshot.text, fix.edits) for item in findings for fix in item.fixes}
    return {title: text.partition("{\n  ")[2].removesuffix("\n}\n") for title, text in texts.items()}


@pytest.mark.parametrize(
    ("body", "mended"),
    [
        ("nn.conv2d(%x, %w, kernel_size=[5, 5])", "nn.conv2d(%x, %w, kernel_size=[3, 5])"),
        ("nn.conv2d(%x, %w, channels=16)", "nn.conv2d(%x, %w, channels=4)"),
        ("nn.conv2d(%x, %w, groups=3)", "nn.conv2d(%x, %w, groups=1)"),
        ("nn.dense(%d, %m, units=7)", "nn.dense(%d, %m, units=5)"),
        ("nn.dense(%d, %m)", "nn.dense(%d, %m, units=5)"),
        ("nn.bias_add(nn.conv2d(%x, %w), %b, axis=2)", "nn.bias_add(nn.conv2d(%x, %w), %b, axis=1)"),
    ],
)
def test_an_attribute_is_read_from_the_shapes(body: str, mended: str) -> None:
    assert list(repaired(body).values()) == [mended]
    assert all(item.severity > Severity.WARNING for item in opened(mended).diagnostics)


def test_an_axis_that_is_left_out_is_written() -> None:
    body = '%0 = layout_transform(nn.conv2d(%x, %w), src_layout="NCHW", dst_layout="NHWC");\n  nn.bias_add(%0, %b)'
    assert [text.splitlines()[-1] for text in repaired(body).values()] == ["  nn.bias_add(%0, %b, axis=3)"]


def test_two_attributes_at_fault_are_mended_one_after_the_other() -> None:
    body = "nn.conv2d(%x, %w, channels=16, kernel_size=[5, 5])"
    assert repaired(body) == {"Write `channels=4`": "nn.conv2d(%x, %w, channels=4, kernel_size=[5, 5])"}


def test_operands_in_the_wrong_order_are_swapped() -> None:
    body = "%0 = nn.conv2d(%x, %w);\n  nn.bias_add(%b, %0)"
    assert "%0 = nn.conv2d(%x, %w);\n  nn.bias_add(%0, %b)" in repaired(body).values()


def test_what_no_value_mends_gets_no_fix() -> None:
    assert repaired("nn.bias_add(%x, %b)") == {}


def test_signs_that_are_missing_before_names() -> None:
    assert repaired("nn.relu(x)") == {"Change to `%x`": "nn.relu(%x)"}
    assert repaired("main(%x, %w, %b, %d, %m)") == {"Change to `@main`": "@main(%x, %w, %b, %d, %m)"}
    assert repaired("0 = nn.relu(%x);\n  nn.relu(%x)") == {"Change to `%0`": "%0 = nn.relu(%x);\n  nn.relu(%x)"}


def test_a_value_that_is_bound_twice_gets_another_name_alone_or_with_all_below() -> None:
    body = "%0 = nn.relu(%x);\n  %0 = nn.relu(%0);\n  %1 = nn.relu(%0);\n  %1"
    assert repaired(body) == {
        "Rename this value to %2": body.replace("%0 = nn.relu(%0)", "%2 = nn.relu(%0)"),
        "Rename this value to %2, and all below": body.replace("%0 = nn.relu(%0)", "%2 = nn.relu(%0)").replace(
            "%1 = nn.relu(%0)", "%1 = nn.relu(%2)"
        ),
    }


def test_all_of_a_kind_are_mended_at_once() -> None:
    snapshot = opened("%0 = nn.dense(%d, %m, units=7);\n  %1 = nn.dense(%0, %d, units=9);\n  nn.dense(%d, %m, units=8)")
    findings = with_repairs(snapshot, snapshot.diagnostics)
    where = next(item.span for item in findings if item.code == "type-mismatch" and item.span is not None)
    ((code, _),) = kinds_to_fix(findings, quick_fixes(findings, where))
    everything = edits_of_all(findings, code)
    assert "units=5" in apply_edits(snapshot.text, everything)
    assert "units=8" not in apply_edits(snapshot.text, everything)
