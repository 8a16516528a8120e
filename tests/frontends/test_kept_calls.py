"""Calls that are kept by their operator's name: whatever a model calls things, the text of it is read back."""

from __future__ import annotations

import math
from typing import Any

import pytest

from relay_lsp import ir
from relay_lsp.frontends.diagnostics import ImportDiagnostic, ModelPlace
from relay_lsp.frontends.kept_calls import kept_call
from relay_lsp.ir.builder import BuilderError, call, function, var
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.module import IRModule

X = var("x", (2,))


def kept_text(*parts: str, **values: Any) -> str:
    """The line of a call that is kept, which must be read back as one of an operator that Relay does not have."""
    text = ir.to_text(IRModule.from_expr(function(kept_call("ONNX", parts, [X], values))))
    assert {problem.code for problem in ir.parse(text).diagnostics} == {"undefined-operator"}
    return text.splitlines()[2].partition(" /*")[0].strip()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        *((word, f"{word}_") for word in ("type", "let", "if", "match", "True", "Tensor", "ref_write", "_")),
        *((word, f"{word}_") for word in ("self", "fields", "type_key", "__init__", "__slots__", "__class__")),
        ("ä b", "__b__"),
        ("3d", "_3d"),
        ("__hidden", "__hidden__"),
        ("alpha", "alpha"),
    ],
)
def test_an_attribute_whose_name_relay_or_python_has_a_use_for(name: str, shown: str) -> None:
    assert kept_text("onnx", "Foo", **{name: 3}) == f"onnx.Foo(%x, {shown}=3)"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (math.inf, ", a=inff"),
        (-math.inf, ", a=-inff"),
        (math.nan, ""),
        ((1.0, math.nan), ""),
        (1e300, ""),
        (2**63, ""),
        (-(2**63), ""),
        ((2**70,), ""),
        ("\ud800", ', a="?"'),
        (b"\xff\0", r', a="\xEF\xBF\xBD\x00"'),
    ],
)
def test_a_value_without_a_text_is_left_out(value: object, shown: str) -> None:
    assert kept_text("onnx", "Foo", a=value) == f"onnx.Foo(%x{shown})"


def test_an_operator_whose_name_is_none_in_relay_or_another_one() -> None:
    assert kept_text("onnx", "3D") == "onnx._3D(%x)"
    assert kept_text("1e5", "x y") == "_1e5.x_y(%x)"
    assert kept_text("nn", "relu") == "onnx.nn.relu(%x)"


def test_a_call_of_relay_s_own_gets_no_number_that_cannot_be_written() -> None:
    for number in (math.nan, 1e39):
        with pytest.raises(BuilderError, match=r"nn\.leaky_relu: attribute alpha takes a number of float32"):
            call("nn.leaky_relu", X, alpha=number)
        with pytest.raises(BuilderError, match=r"attribute variances takes a number of float32"):
            call("vision.multibox_transform_loc", X, X, X, variances=[0.1, 0.1, number, 0.2])


def test_a_finding_is_shown_on_one_line_without_what_commands_a_terminal() -> None:
    shown = ImportDiagnostic("odd", Severity.ERROR, "a\nb\x1b[2J" + "c" * 9_000, ModelPlace("n\0\u202e\ud800", "Op"))
    text = str(shown)
    assert text.startswith(r"node n\x00\u202e\ud800 (Op): a\nb\x1b[2Jccc")
    assert text.isprintable()
    assert len(text) < 3_000
