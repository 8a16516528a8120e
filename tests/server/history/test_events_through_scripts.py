"""Random scripts of edits, passes, undoing, saving and opening again: what happened to each statement is told of it."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.history.followed_buffer import FollowedBuffer
from relay_lsp.server.history.recording import look_up, record_run
from relay_lsp.server.history.store import HistoryStore
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses

VERSION = '#[version = "0.0.5"]\n'
EDIT = "edit"
FAST = {"exp": "fast_exp", "tanh": "fast_tanh", "erf": "fast_erf"}
"""What FastMath makes of operators, and what users write in their place."""
PLAIN = ("nn.relu", "sqrt", "negative", "log")


@dataclass(frozen=True)
class Statement:
    """A binding, the names of what happened to its value, and whether it was edited since the last of that.

    ``is_new``: it was written since the last text that is known.
    """

    name: str
    operator: str
    events: tuple[str, ...] = ()
    is_edited: bool = False
    is_new: bool = False

    @property
    def value(self) -> str:
        return f"{self.operator}(%x)"

    @property
    def expected(self) -> tuple[str, ...]:
        return (*self.events, EDIT) if self.is_edited else self.events


@dataclass(frozen=True)
class Model:
    """A function of independent values, and how it is written."""

    statements: tuple[Statement, ...]
    comment: str = ""

    @property
    def text(self) -> str:
        lines = "".join(f"  let {each.name} = {each.value};{self.comment}\n" for each in self.statements)
        names = ", ".join(each.name for each in self.statements)
        return f"{VERSION}def @main(%x: Tensor[(4), float32]) {{\n{lines}  ({names})\n}}\n"

    def place(self, statement: Statement) -> TextSpan:
        start = self.text.index(f"let {statement.name} = ") + len(f"let {statement.name} = ")
        return TextSpan(start, start + len(statement.value))

    def after_fast_math(self) -> Model:
        """What the pass makes of it; an edit that was made before it stands before it."""

        def passed(each: Statement) -> Statement:
            events = (*each.expected, "FastMath") if each.operator in FAST else each.expected
            return Statement(each.name, FAST.get(each.operator, each.operator), events)

        return replace(self, statements=tuple(map(passed, self.statements)))


def first_model() -> Model:
    operators = [*FAST, *PLAIN]
    return Model(tuple(Statement(f"%v{number}", operators[number % len(operators)]) for number in range(9)))


def edited(model: Model, choose: random.Random) -> Model:
    """The model after an edit by hand."""
    statements = list(model.statements)
    at = choose.randrange(len(statements))
    kind = choose.choice(("operator", "insert", "delete", "rename", "move", "comment"))
    if kind == "operator":
        others = [each for each in (*FAST, *PLAIN) if each != statements[at].operator]
        # What has no history yet has been edited all the same: the text that was opened is known.
        statements[at] = replace(statements[at], operator=choose.choice(others), is_edited=not statements[at].is_new)
    elif kind == "insert":
        statements.insert(at, Statement(f"%n{choose.randrange(10**9)}", "sigmoid", is_new=True))
    elif kind == "delete" and len(statements) > 4:
        del statements[at]
    elif kind == "rename":
        statements[at] = replace(statements[at], name=f"%r{choose.randrange(10**9)}")
    elif kind == "move":
        statements.insert(choose.randrange(len(statements)), statements.pop(at))
    elif kind == "comment":
        return replace(model, comment=choose.choice(("", " // why", " // because")))
    return replace(model, statements=tuple(statements))


@pytest.mark.parametrize("seed", [*range(12), 53, 118, 594])
def test_what_happened_to_each_statement_is_told_of_it(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    store = HistoryStore(tmp_path)
    model = first_model()
    buffer = look_up(store, LineIndex(model.text))
    since_pass = [model]
    has_passed = False
    known: dict[str, Model] = {}
    """Texts that passes ran over or made."""
    for _ in range(10):
        action = choose.random()
        if action < 0.2:
            model = choose.choice(since_pass)
        elif action < 0.4 and any(each.operator in FAST for each in model.statements):
            lines = LineIndex(model.text)
            model = with_history_of(buffer, model) if has_passed else model
            outcome = RunPasses(model.text, "a.relay", (PassCall("FastMath"),)).run(lambda _: None)
            assert outcome.failed is None
            record_run(store, buffer.at(lines), model.text, outcome, 3)
            # Before the first pass nothing is recorded: what was edited until then is how the text begins.
            before = (
                model
                if has_passed
                else replace(model, statements=tuple(replace(each, is_edited=False) for each in model.statements))
            )
            known[model.text] = before
            model = known[outcome.text] = before.after_fast_math()
            assert model.text == outcome.text
            buffer, since_pass, has_passed = look_up(store, LineIndex(model.text)), [model], True
        elif action < 0.5 and has_passed:
            store.keep_base(model.text, buffer.at(LineIndex(model.text)).known.lines.text)
            buffer = look_up(store, LineIndex(model.text))
        else:
            model = edited(model, choose)
            # What was written by hand and is a text of the history has the history of that.
            model = known.get(model.text, model)
            since_pass.append(model)
        check(buffer, model, has_passed)
    store.close()


def events_of(buffer: FollowedBuffer, model: Model, statement: Statement) -> tuple[str, ...]:
    """What the buffer says happened to a statement."""
    events = buffer.at(LineIndex(model.text)).events(model.place(statement))
    return tuple(EDIT if event.by_hand else event.pass_name for event in events)


def may_be_another(buffer: FollowedBuffer, model: Model, statement: Statement) -> bool:
    """Whether texts alone do not say what a statement was made of, if of anything.

    One that was renamed and edited may count as new, and a new one as what one became that was deleted. One that was
    moved and renamed is followed by its value, if none but it had that.
    """
    before = buffer.at(LineIndex(model.text)).known.lines.text
    is_one_of_several = before.count(f" = {statement.value};") > 1
    return f"let {statement.name} " not in before and (statement.is_edited or statement.is_new or is_one_of_several)


def with_history_of(buffer: FollowedBuffer, model: Model) -> Model:
    """The model in which such statements have the history that they count with, which passes go on with."""

    def counted(each: Statement) -> Statement:
        events = events_of(buffer, model, each)
        if not may_be_another(buffer, model, each) or events == each.expected:
            return each
        return replace(each, events=events, is_edited=False)

    return replace(model, statements=tuple(map(counted, model.statements)))


def check(buffer: FollowedBuffer, model: Model, has_passed: bool) -> None:
    """Each statement tells its events in order."""
    text = buffer.at(LineIndex(model.text))
    for each in model.statements:
        actual = events_of(buffer, model, each)
        if not has_passed:
            assert not actual
        elif may_be_another(buffer, model, each):
            is_what_one_became = each.is_new and actual[-1:] == (EDIT,)
            assert actual in (each.expected, each.events, ()) or is_what_one_became, (each, actual, model.text)
        else:
            assert actual == each.expected, (each, actual, model.text)
        last = text.last_event(model.place(each))
        assert (last is None) == (not actual)
