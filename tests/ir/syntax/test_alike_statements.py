"""Statements that are read by their form say what they say when each is read as any other text is."""

from __future__ import annotations

import random

import numpy
import pytest

from relay_lsp.ir.expressions import Constant, Function, Tuple
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.syntax.lowering import AlikeLowering
from relay_lsp.ir.syntax.reading import Reading
from relay_lsp.ir.syntax.splitting import split, split_text
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.visitor import post_order
from tests.ir.semantic.editing.modules import texts

_VALUES = (
    *("add(%{0}, %{1})", "nn.relu(%{0})", "(%{0}, %{1})", "%{0}.0", "add(%{0}, %{0})", "%{0}", "multiply(%{0}, 2f)"),
    *("@f(%{0})", "%{0}(%{1})", "nn.relu", "%{0} + %{1}", "ref(%{0})", "clip(%{0}, a_min=0f, a_max=6f)", "Some(%{0})"),
    *(
        "nn.conv2d(%{0}, %{1}, padding=[1, 1])",
        "add(nn.relu(%{0}), %{1})",
        "nn.relux(%{0})",
        "-1",
        "()",
        "%{0}(%{1}, a=1)",
    ),
)
_BINDERS = ("%{0} = ", "%{0} = ", "%{0} = ", "let %{0} = ", "let %a{0}: Tensor[(8), float32] = ", "let %a{0}: _ = ", "")


def _statement(chance: random.Random, number: int) -> str:
    names = [
        chance.choice((str(chance.randrange(number + 1)), f"a{chance.randrange(number + 1)}", "x")) for _ in range(2)
    ]
    binder = chance.choice((number, number, number, number - 1))
    comment = chance.choice(("", " /* ty=int32 */", " /* %1 */"))
    return f"  {chance.choice(_BINDERS).format(binder)}{chance.choice(_VALUES).format(*names)}{comment};\n"


def _text(chance: random.Random) -> str:
    body = "".join(_statement(chance, number) for number in range(chance.choice((20, 60))))
    return (
        '#[version = "0.0.5"]\ntype Maybe { Some(int32), None }\n'
        f"def @f(%x: Tensor[(8), float32]) {{\n{body}  %x\n}}\ndef @g(%x: int32) {{\n{body}  %1\n}}\n"
    )


def _read(text: str, *, by_form: bool) -> Reading:
    segments = split_text(LineIndex(text)).segments if by_form else split(text)
    return Reading(text, "test", list(segments), with_spans=not by_form)


def _described(reading: Reading) -> list[object]:
    """All that a reading says but the expressions themselves, which are known by their numbers."""
    lowering = reading.lowering
    exprs = post_order(*reading.module.functions.values())
    numbers = {expr: number for number, expr in enumerate(exprs)}
    return [
        [(each.code, each.message, each.span, [fix.edits for fix in each.fixes]) for each in reading.diagnostics],
        [type(expr) for expr in exprs],
        [
            (
                numbers[expr],
                origin.unit.number,
                origin.node.rule,
                origin.node.first,
                origin.unit.range(origin.statement.token(origin.node.first), origin.statement.token(origin.node.first)),
            )
            for expr, origin in lowering.origins.items()
            if expr in numbers
        ],
        [(unit.number, token, use.name, use.unit and use.unit.number, use.token) for unit, token, use in lowering.uses],
        [(each.kind, each.name, each.unit and each.unit.number, each.token) for each in lowering.definitions],
        [(unit.number, token) for unit, token in lowering.unresolved],
    ]


def _assert_alike(text: str) -> None:
    by_form, each = _read(text, by_form=True), _read(text, by_form=False)
    assert _described(by_form) == _described(each)
    assert structural_equal(by_form.module, each.module, map_free_vars=True)


@pytest.mark.parametrize("seed", range(60))
def test_a_text_of_statements_that_repeat_says_the_same_read_by_forms(seed):
    _assert_alike(_text(random.Random(seed)))


@pytest.mark.parametrize("text", texts()[:40])
def test_a_module_says_the_same_read_by_forms(text):
    _assert_alike(text)


def test_what_statements_name_of_the_metadata_is_one_object():
    weights = Function((), Tuple([Constant(numpy.full((2, 2), 1.5, "float32"))]))
    section = to_text(weights).partition("#[metadata]")[2]
    body = "".join(f"  %{number + 1} = add(%{number}, meta[relay.Constant][0]);\n" for number in range(5))
    text = f'#[version = "0.0.5"]\ndef @f(%x: Tensor[(2, 2), float32]) {{\n  %0 = tanh(%x);\n{body}  %5\n}}\n'
    module = _read(f"{text}\n#[metadata]{section}", by_form=True).module
    named = [expr for expr in post_order(*module.functions.values()) if isinstance(expr, Constant)]
    assert len(named) == 1


def test_of_statements_that_differ_in_names_alone_two_are_read(monkeypatch):
    read: list[object] = []
    evaluate = AlikeLowering.read
    monkeypatch.setattr(
        AlikeLowering, "read", lambda self, statement: read.append(statement) or evaluate(self, statement)
    )
    body = "".join(f"  %{number + 1} = add(%{number}, %x);\n" for number in range(100))
    _read(f'#[version = "0.0.5"]\ndef @f(%x: int32) {{\n  %0 = negative(%x);\n{body}  %100\n}}\n', by_form=True)
    assert len(read) == 3, "the first of all, the first that adds, and the value; what the others are is known by then"
