"""Random scripts of edits, passes, undoing and doing again: what is known of each statement follows it through all."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial

import pytest

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.layers.indexing import layer_index
from relay_lsp.server.history.followed_buffer import FollowedBuffer, KnownText
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses
from relay_lsp.server.worker.pass_changes import SpanLayers

VERSION = '#[version = "0.0.5"]\n'
SEEDS = range(25)
STEPS = 12
OPERATORS = ("exp", "tanh", "nn.relu", "sqrt", "negative")
PASSES = ("EliminateCommonSubexpr", "FastMath", "InferType")


@dataclass(frozen=True)
class Statement:
    """A binding of the model, with what must be known of it."""

    name: str
    operator: str
    operand: str
    layers: frozenset[str]

    @property
    def value(self) -> str:
        return f"{self.operator}({self.operand})"


@dataclass(frozen=True)
class Model:
    """A function whose statements each bind one variable, and the layout that it is written in."""

    statements: tuple[Statement, ...]
    indent: str = "  "
    comment: str = ""

    @property
    def text(self) -> str:
        lines = [f"{self.indent}let {each.name} = {each.value};{self.comment}\n" for each in self.statements]
        result = self.statements[-1].name
        return f"{VERSION}def @main(%x: Tensor[(4), float32]) {{\n{''.join(lines)}{self.indent}{result}\n}}\n"

    def place(self, statement: Statement) -> TextSpan:
        start = self.text.index(f"let {statement.name} = ") + len(f"let {statement.name} = ")
        return TextSpan(start, start + len(statement.value))


def first_model() -> Model:
    names = [f"%v{index}" for index in range(8)]
    operands = ["%x", *names]
    return Model(
        tuple(
            Statement(name, OPERATORS[index % 5], operands[index], frozenset((f"layer.{index}",)))
            for index, name in enumerate(names)
        )
    )


def edited(model: Model, choose: random.Random) -> Model:
    """The model after an edit at random."""
    statements = list(model.statements)
    at = choose.randrange(len(statements))
    kind = choose.choice(("operator", "insert", "delete", "rename", "layout", "comment"))
    if kind == "operator":
        others = [each for each in OPERATORS if each != statements[at].operator]
        statements[at] = replace(statements[at], operator=choose.choice(others))
    elif kind == "insert":
        operand = statements[at].name
        new = Statement(f"%n{choose.randrange(10**9)}", choose.choice(("log", "sigmoid")), operand, frozenset())
        statements.insert(at + 1, new)
    elif kind == "delete" and len(statements) > 3 and at < len(statements) - 1:
        gone = statements.pop(at)
        statements = [replace(each, operand=gone.operand) if each.operand == gone.name else each for each in statements]
    elif kind == "rename":
        old, new_name = statements[at].name, f"%r{choose.randrange(10**9)}"
        statements = [
            replace(
                each,
                name=new_name if each.name == old else each.name,
                operand=new_name if each.operand == old else each.operand,
            )
            for each in statements
        ]
    elif kind == "layout":
        return replace(model, indent=choose.choice(("  ", "\t", "      ")))
    elif kind == "comment":
        return replace(model, comment=choose.choice(("", " // why", " /* ty=Tensor[(4), float32] */")))
    return replace(model, statements=tuple(statements))


def after_pass(text: str, layers: SpanLayers, name: str) -> tuple[str, SpanLayers] | None:
    """What a pass makes of a text; nothing where it changes nothing."""
    outcome = RunPasses(text, "a.relay", (PassCall(name),), layers=layers).run(lambda _: None)
    assert outcome.failed is None, outcome.failed
    if not outcome.changed:
        return None
    (step,) = [step for step in outcome.steps if step.changed]
    return outcome.text, step.layers


def read_back(text: str, layers: SpanLayers) -> Model | None:
    """The model of a text that a pass wrote; nothing where it is none."""
    statements: list[Statement] = []
    lines = [line for line in text.splitlines() if line.lstrip().startswith("let ")]
    by_span = {(start, end): frozenset(name for name, _, _ in sources) for start, end, sources in layers}
    for line in lines:
        name, _, value = line.strip().removeprefix("let ").partition(" = ")
        value = value.partition(";")[0]
        operator, _, operand = value.removesuffix(")").partition("(")
        start = text.index(f"let {name} = ") + len(f"let {name} = ")
        statements.append(Statement(name, operator, operand, by_span.get((start, start + len(value)), frozenset())))
    model = Model(tuple(statements)) if statements else None
    return model if model is not None and model.text == text else None


@pytest.mark.parametrize("seed", SEEDS)
def test_layers_follow_statements_through_scripts(seed: int):
    choose = random.Random(seed)
    model = first_model()
    known = KnownText(LineIndex(model.text), read_layers=partial(_layers_of, model))
    buffer, texts = FollowedBuffer(known), [known]
    states = [model]
    for _ in range(STEPS):
        action = choose.random()
        if action < 0.15 and len(states) > 1:
            model = choose.choice(states)
        elif action < 0.35:
            made = after_pass(model.text, buffer.at(LineIndex(model.text)).span_layers, choose.choice(PASSES))
            next_model = read_back(*made) if made is not None else None
            if made is not None and next_model is not None:
                model = next_model
                known = KnownText(LineIndex(model.text), read_layers=partial(tuple, made[1]))
                texts.append(known)
                buffer = FollowedBuffer(known, texts[:-1])
                states = [model]
        else:
            model = edited(model, choose)
            states.append(model)
        check(buffer, model)


def _layers_of(model: Model) -> SpanLayers:
    places = [(model.place(each), tuple((name, 0, 0) for name in sorted(each.layers))) for each in model.statements]
    return tuple((place.start, place.end, sources) for place, sources in places)


def check(buffer: FollowedBuffer, model: Model) -> None:
    """Every statement has its layers and no others.

    One that was renamed and edited at once may have none, or count as what another one became that is gone or was
    renamed and edited, too; of two that say the same, either may count as the one that was renamed.
    """
    text = buffer.at(LineIndex(model.text))
    assert text.index.values == layer_index(LineIndex(model.text), text.layers).values
    bound_before = text.known.lines.text
    layers_before = {name for _, _, sources in text.known.stored for name, _, _ in sources}
    # Of these, the texts have neither the name nor the value in common.
    unlike = [
        each
        for each in model.statements
        if f"let {each.name} " not in bound_before and f" = {each.value};" not in bound_before
    ]
    gone = layers_before.difference(*[each.layers for each in model.statements if each not in unlike])
    for each in model.statements:
        actual = {source.source_name.name for source in text.layers_of(model.place(each))}
        is_renamed = f"let {each.name} " not in bound_before
        twins = frozenset[str]().union(*[other.layers for other in model.statements if other.value == each.value])
        assert actual == each.layers or (actual <= gone | twins and is_renamed), (each, actual, model.text)
