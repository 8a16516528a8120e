"""The type that a text says, read without a module around it, is the one that it says inside of one."""

from __future__ import annotations

import random

import pytest

from relay_lsp.ir.expressions import Var
from relay_lsp.ir.syntax.parsing import parse_expr, parse_type
from relay_lsp.ir.types import Type

_WORDS = ("Tensor", "[", "]", "(", ")", ",", "int32", "fn", "->", "3", "?", "_", "ref", " ", "A", "flaot32", "; ", "{")


def _inside(text: str) -> Type | None:
    parsed = parse_expr(f"free_var %x: {text}; %x")
    return parsed.expr.type_annotation if isinstance(parsed.expr, Var) and not parsed.diagnostics else None


@pytest.mark.parametrize(
    "text",
    [
        "Tensor[(1, 64), float32]",
        "Tensor[(?, 3i64), int8]",
        "Tensor[(99999999999999999999), int8]",
        "Tensor[(meta[tir.Any][0]), int8]",
        "(int32, (bool,))",
        "fn (int32, A[B]) -> ref(bool)",
        "fn [A](A) -> A",
        "_",
        "",
        "int32 int32",
        "int32; %y",
        "\0",
        '"a',
    ],
)
def test_a_type_is_read_as_in_a_module(text: str) -> None:
    assert str(parse_type(text)) == str(_inside(text))


def test_words_in_any_order_are_a_type_where_they_are_one_in_a_module() -> None:
    choose = random.Random(21)
    texts = ["".join(choose.choices(_WORDS, k=choose.randint(1, 12))) for _ in range(2_000)]
    assert [str(parse_type(text)) for text in texts] == [str(_inside(text)) for text in texts]
    assert sum(parse_type(text) is not None for text in texts) > 20
