"""The operators of Ethos-U: which types they give, what they refuse, and that nothing here computes them."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.evaluation import EvaluationError, evaluate
from relay_lsp.ir.expressions import Function
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.syntax import parse

SCALES = "ifm_scale=1f, ifm_zero_point=0, ofm_scale=1f, ofm_zero_point=0"
WINDOW = "ifm_scale=1f, ifm_zero_point=0, weight_zero_point=0, ofm_scale=1f, ofm_zero_point=0, kernel_shape=[3, 3]"
BINARY = (
    "ifm_scale=1f, ifm_zero_point=0, ifm2_scale=1f, ifm2_zero_point=0, ofm_scale=1f, ofm_zero_point=0, "
    "ifm_channels=20, ifm2_channels=20"
)


def checked(body: str, **params: str) -> tuple[Function, list[str]]:
    """The typed function with this body, and its errors."""
    declared = ", ".join(f"%{name}: {type}" for name, type in params.items())
    parsed = parse(f'#[version = "0.0.5"]\ndef @main({declared}) {{ contrib.ethosu.{body} }}')
    assert not parsed.diagnostics
    typed = infer_types(parsed.module)
    errors = [each.message for each in typed.diagnostics if each.severity is Severity.ERROR]
    return typed.module["main"], errors


MAP, BRICKS, LUT = "Tensor[(1, 8, 9, 20), int8]", "Tensor[(1, 8, 2, 9, 16), int8]", "Tensor[(0), int8]"
WEIGHT, PACKED = "Tensor[(20, 3, 3, 20), int8]", "Tensor[(20, 10), uint8]"


@pytest.mark.parametrize(
    ("body", "params", "result"),
    [
        (f"identity(%a, %lut, {SCALES})", {"a": MAP}, MAP),
        (f'unary_elementwise(%a, %lut, operator_type="ABS", {SCALES}, ofm_channels=20)', {"a": MAP}, MAP),
        (
            f'unary_elementwise(%a, %lut, operator_type="ABS", {SCALES}, ofm_channels=20, ofm_layout="NHCWB16")',
            {"a": MAP},
            BRICKS,
        ),
        (
            f'unary_elementwise(%a, %lut, operator_type="ABS", {SCALES}, ofm_channels=20, ifm_layout="NHCWB16")',
            {"a": BRICKS},
            MAP,
        ),
        (
            f'binary_elementwise(%a, %b, %lut, operator_type="ADD", {BINARY}, ofm_dtype="int32")',
            {"a": MAP, "b": MAP},
            MAP.replace("int8", "int32"),
        ),
        (
            f"conv2d(%a, %w, %s, %lut, {WINDOW}, ofm_channels=20, strides=[2, 2], padding=[1, 1, 1, 1])",
            {"a": MAP, "w": WEIGHT, "s": PACKED},
            "Tensor[(1, 4, 5, 20), int8]",
        ),
        (
            f'conv2d(%a, %w, %s, %lut, {WINDOW}, ofm_channels=20, upscale="NEAREST")',
            {"a": MAP, "w": WEIGHT, "s": PACKED},
            "Tensor[(1, 14, 16, 20), int8]",
        ),
        (
            f'depthwise_conv2d(%a, %w, %s, %lut, {WINDOW}, ofm_channels=20, dilation=[2, 2], ofm_dtype="int32")',
            {"a": MAP, "w": "Tensor[(20, 3, 3, 1), int8]", "s": PACKED},
            "Tensor[(1, 4, 5, 20), int32]",
        ),
        (
            f'pooling(%a, %lut, pooling_type="MAX", {SCALES}, pool_shape=[2, 2], ofm_channels=20, strides=[2, 2])',
            {"a": MAP},
            "Tensor[(1, 4, 4, 20), int8]",
        ),
        (
            f'pooling(%a, %lut, pooling_type="SUM", {SCALES}, pool_shape=[8, 9], ofm_channels=20)',
            {"a": MAP},
            "Tensor[(1, 1, 1, 20), int32]",
        ),
    ],
)
def test_types(body: str, params: dict[str, str], result: str) -> None:
    function, errors = checked(body, **params, lut=LUT)
    assert errors == []
    assert repr(function.body.checked_type) == result


@pytest.mark.parametrize(
    ("body", "params", "message"),
    [
        (f"identity(%a, %lut, {SCALES})", {"a": "Tensor[(4), float32]"}, "ifm must be of dtype uint8 or int8"),
        (f"identity(%a, %lut, {SCALES})", {"a": "Tensor[(1, 1, 1, 1, 1), int8]"}, "at most 4 dimensions"),
        (
            f'unary_elementwise(%a, %lut, operator_type="NEG", {SCALES}, ofm_channels=20)',
            {"a": MAP},
            "operator_type must be ABS or CLZ, not 'NEG'",
        ),
        (
            f'unary_elementwise(%a, %lut, operator_type="ABS", {SCALES}, ofm_channels=20)',
            {"a": BRICKS},
            "ifm must be 4-dimensional (NHWC)",
        ),
        (
            f'binary_elementwise(%a, %b, %lut, operator_type="MIN", {BINARY}, ofm_dtype="int32")',
            {"a": MAP, "b": MAP},
            "the result must be of dtype int8, not int32",
        ),
        (
            f'binary_elementwise(%a, %b, %lut, operator_type="ADD", {BINARY}, ofm_dtype="int8")',
            {"a": MAP, "b": MAP.replace("int8", "int16")},
            "ifm is of dtype int8, but ifm2 of int16",
        ),
        (
            f"conv2d(%a, %w, %s, %lut, {WINDOW}, ofm_channels=20)",
            {"a": MAP, "w": WEIGHT.replace("int8", "int16"), "s": PACKED},
            "weight must be of dtype uint8 or int8",
        ),
        (
            f'pooling(%a, %lut, {SCALES}, pooling_type="MIN", pool_shape=[2, 2], ofm_channels=20)',
            {"a": MAP},
            "pooling_type must be AVG, MAX or SUM, not 'MIN'",
        ),
        (
            f'pooling(%a, %lut, {SCALES}, pooling_type="MAX", ofm_channels=20)',
            {"a": MAP},
            "pool_shape must be given",
        ),
    ],
)
def test_what_is_refused(body: str, params: dict[str, str], message: str) -> None:
    _, errors = checked(body, **params, lut=LUT)
    assert len(errors) == 1
    assert message in errors[0]


def test_the_weight_takes_what_the_attributes_say() -> None:
    _, errors = checked(
        f"conv2d(%a, %w, %s, %lut, {WINDOW}, ofm_channels=20)",
        a=MAP,
        w=WEIGHT.replace("(20, 3", "(16, 3"),
        s=PACKED,
        lut=LUT,
    )
    assert errors


def test_evaluation_says_that_nothing_computes_it() -> None:
    text = f"""#[version = "0.0.5"]
    def @main(%a: Tensor[(4), int8], %lut: Tensor[(1), int8]) {{ contrib.ethosu.identity(%a, %lut, {SCALES}) }}"""
    with pytest.raises(EvaluationError, match=r"contrib\.ethosu\.identity"):
        evaluate(parse(text).module, np.zeros(4, "int8"), np.zeros(1, "int8"))
