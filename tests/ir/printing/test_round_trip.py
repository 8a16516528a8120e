"""Text to module to text, and module to text to module."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops import get
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.structural import first_difference
from relay_lsp.ir.syntax import parse, parse_expr
from relay_lsp.ir.types import TensorType
from tests.conformance import records

COMMENT = re.compile(r" /\*.*?\*/")


def test_recorded_texts_print_as_they_are() -> None:
    different: list[str] = []
    for record in records.load("parse"):
        text = record["canonical"]
        parsed = parse(text)
        node: IRModule | Expr = parsed.module
        if parsed.diagnostics:
            single = parse_expr(text)
            if single.diagnostics:
                continue
            node = single.expr
        expected = COMMENT.sub("", text.partition("#[metadata]")[0])
        if to_text(node, show_types=False, show_spans=False).partition("#[metadata]")[0] != expected:
            different.append(text)
    assert different == []


class Generator:
    """Makes expressions at random, with sharing, over everything that nests."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def function(self, depth: int, outer: list[Var]) -> Function:
        params = tuple(Var(self.chance.choice("xyz"), TensorType((2,))) for _ in range(self.chance.randint(0, 2)))
        return Function(params, self.body(depth, [*outer, *params]))

    def body(self, depth: int, variables: list[Var]) -> Expr:
        """A scope: values that refer to values before them, which are so used in several places or in none."""
        values: list[Expr] = [*variables, Constant(np.array(self.chance.randint(0, 9), "int32"))]
        for _ in range(self.chance.randint(1, 6)):
            values.append(self.value(depth, variables, values))
        result = values[-1]
        for _ in range(self.chance.randint(0, 2)):
            bound = Var(self.chance.choice("ab"))
            result = Let(bound, self.chance.choice(values), Tuple((bound, result)))
        return result

    def value(self, depth: int, variables: list[Var], values: list[Expr]) -> Expr:
        pick = lambda: self.chance.choice(values[-4:])  # noqa: E731
        simple = [
            lambda: Call(get("nn.relu"), (pick(),)),
            lambda: Call(get("add"), (pick(), pick())),
            lambda: Call(get("nn.softmax"), (pick(),), get("nn.softmax").attrs_type(axis=self.chance.randint(-2, 1))),  # type: ignore[misc]
            lambda: Tuple(tuple(pick() for _ in range(self.chance.randint(0, 3)))),
            lambda: TupleGetItem(Tuple((pick(), pick())), self.chance.randint(0, 1)),
            lambda: RefRead(RefCreate(pick())),
            lambda: RefWrite(RefCreate(pick()), pick()),
        ]
        if depth == 0:
            return self.chance.choice(simple)()
        nested = [
            lambda: If(pick(), self.body(depth - 1, variables), self.body(depth - 1, variables)),
            lambda: self.function(depth - 1, variables),
            lambda: Call(self.function(depth - 1, variables), (pick(),)),
            lambda: self.let(depth, variables),
        ]
        return self.chance.choice([*simple, *nested])()

    def let(self, depth: int, variables: list[Var]) -> Expr:
        bound = Var("l")
        return Let(bound, self.body(depth - 1, variables), self.body(depth - 1, [*variables, bound]))


@pytest.mark.parametrize("seed", range(200))
def test_random_modules_come_back(seed: int) -> None:
    module = IRModule.from_expr(Generator(seed).function(3, []))
    text = to_text(module)
    parsed = parse(text)
    assert parsed.diagnostics == ()
    assert first_difference(parsed.module, module) is None
    assert to_text(parsed.module, show_spans=False) == text
