"""Operators that only the worker has the code of, standing in the server's process by what they declare."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from relay_lsp.ir.attributes import AttributeValueError
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.ops import operator
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.session.extension_operators import AnswerCalls, ExtensionOperators
from relay_lsp.server.session.extensions import LoadExtension, WithExtensions
from relay_lsp.server.worker.worker import Worker

OPERATORS = '''
import enum

from relay_lsp.ir.attributes import Attrs, attribute, attributes
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.operator import Argument, Op
from relay_lsp.ir.types import FuncType, IncompleteType, TensorType, TupleType


class Mode(enum.Enum):
    FAST = 1


@attributes("user.attrs.ScaleAttrs")
class ScaleAttrs(Attrs):
    factor: float = attribute(1.0, doc="By how much.")
    mode: Mode = attribute(Mode.FAST, doc="Of a kind that only this file knows.")
    axes: tuple[int, ...] = attribute((0,), doc="Along which axes.")


def weighted(context):
    """The weight takes its type from the data."""
    data, weight = context.types
    context.assign(1, TensorType(data.shape[-1:], data.dtype))
    return TupleType((data, TensorType((*data.shape, 2), data.dtype)))


def by_constant(context):
    data, count = context.arguments
    return TensorType((int(count.data),), context.types[0].dtype)


operator.register(Op("user.weighted", doc="", arguments=(Argument("data"), Argument("weight")), relation=weighted))
operator.register(Op("user.scale", doc="", arguments=(Argument("x"),), attrs=ScaleAttrs, relation=lambda c: c.types[0]))
operator.register(Op("user.any", doc="", variadic=True, relation=lambda c: TensorType((len(c.types),), "int64")))
operator.register(Op("user.repeat", doc="", arguments=(Argument("x"), Argument("n")), relation=by_constant))
operator.register(Op("user.function", doc="", arguments=(Argument("x"),), relation=lambda c: FuncType((), c.types[0])))
operator.register(Op("user.later", doc="", arguments=(Argument("x"),), relation=lambda c: None))
operator.register(Op("user.untyped", doc="", arguments=(Argument("x"),)))
'''
X = "%x: Tensor[(2i64, 3), float32]"


@pytest_asyncio.fixture
async def worker() -> AsyncIterator[Worker]:
    made = Worker()
    yield made
    await made.close()


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(OPERATORS)
    return str(path)


@pytest.fixture
def operators() -> Iterator[ExtensionOperators]:
    made = ExtensionOperators()
    yield made
    made.withdraw()
    assert operator.find("user.scale") is None


async def typed(operators: ExtensionOperators, worker: Worker, file: str, body: str, params: str = X) -> Snapshot:
    """The snapshot of a function once every question has been answered; before that, nothing may be wrong in it."""
    loaded = await worker.run(LoadExtension(file))
    assert loaded.faults == []
    operators.install(loaded.operators)
    text = f'#[version = "0.0.5"]\ndef @main({params}) {{\n  {body}\n}}\n'
    first = Snapshot.open(text, "first.relay")
    assert errors(first) == [], "what is not known yet is no error"
    for _ in range(5):
        questions = operators.questions()
        if not questions:
            break
        answers = await worker.run(WithExtensions(AnswerCalls(questions), ((file, None),)))
        operators.learn(dict(zip(questions, answers, strict=True)))
        first = Snapshot.open(text, "model.relay")
        errors(first)  # what is asked next depends on the answers
    return first


def errors(snapshot: Snapshot) -> list[str]:
    return [diagnostic.message for diagnostic in snapshot.diagnostics if diagnostic.severity is Severity.ERROR]


def type_of(snapshot: Snapshot, words: str) -> str:
    return repr(snapshot.type_at(snapshot.text.index(words)))


async def test_a_relation_gives_arguments_their_types(operators: ExtensionOperators, worker: Worker, file: str) -> None:
    snapshot = await typed(operators, worker, file, "%0 = user.weighted(%x, %w);\n  %0.1", f"{X}, %w")
    assert errors(snapshot) == []
    assert type_of(snapshot, "%0 =") == "(Tensor[(2, 3), float32], Tensor[(2, 3, 2), float32])"
    assert type_of(snapshot, "%w") == "Tensor[(3), float32]"


async def test_attributes_keep_their_kinds(operators: ExtensionOperators, worker: Worker, file: str) -> None:
    snapshot = await typed(operators, worker, file, "user.scale(%x, factor=2f, axes=[0, 1])")
    assert errors(snapshot) == []
    assert type_of(snapshot, "user.scale") == "Tensor[(2, 3), float32]"
    op = operator.get("user.scale")
    assert op.attrs_type is not None
    fields = op.attrs_type.fields()
    assert (fields["factor"].kind, fields["factor"].default, fields["factor"].doc) == ("a number", 1.0, "By how much.")
    assert fields["axes"].kind == "a list of integers"
    assert not fields["mode"].required
    with pytest.raises(AttributeValueError):
        fields["factor"].convert("fast")


async def test_any_number_of_arguments_and_constants(operators: ExtensionOperators, worker: Worker, file: str) -> None:
    snapshot = await typed(operators, worker, file, "%0 = user.any(%x, %x, %x);\n  (%0, user.repeat(%x, 7))")
    assert errors(snapshot) == []
    assert type_of(snapshot, "user.any") == "Tensor[(3), int64]"
    assert type_of(snapshot, "user.repeat") == "Tensor[(7), float32]"


async def test_what_cannot_be_asked_is_unknown_and_silent(
    operators: ExtensionOperators, worker: Worker, file: str
) -> None:
    body = "%0 = user.function(%x);\n  %1 = fn (%y: int32) { %y };\n  add(user.scale(%1), %0)"
    snapshot = await typed(operators, worker, file, body)
    assert errors(snapshot) == []


async def test_what_a_relation_cannot_tell_is_said_as_for_any_operator(
    operators: ExtensionOperators, worker: Worker, file: str
) -> None:
    snapshot = await typed(operators, worker, file, "user.later(%x)")
    (message,) = errors(snapshot)
    assert "cannot be inferred" in message


async def test_an_operator_without_a_relation_says_so(operators: ExtensionOperators, worker: Worker, file: str) -> None:
    operators.install((await worker.run(LoadExtension(file))).operators)
    text = f'#[version = "0.0.5"]\ndef @main({X}) {{ user.untyped(%x) }}\n'
    assert errors(Snapshot.open(text, "model.relay")) == [
        "user.untyped has no type relation here: the type of its result is not known"
    ]


async def test_a_declaration_is_plain_data(worker: Worker, file: str) -> None:
    for declared in (await worker.run(LoadExtension(file))).operators:
        json.dumps([declared.name, declared.doc, declared.arguments, declared.pattern])
        for each in declared.attributes or ():
            assert each.default is None or isinstance(each.default, (bool, int, float, str, tuple))


@pytest.mark.parametrize("nest", ["(%{before}, %{before})", "(%{before},)"], ids=["doubled", "deep"])
async def test_of_types_that_are_too_large_to_be_sent_no_question_is_asked(
    operators: ExtensionOperators, worker: Worker, file: str, nest: str
) -> None:
    lines = "".join(f"%{n} = {nest.replace('{before}', str(n - 1))};\n  " for n in range(1, 1_500))
    snapshot = await typed(operators, worker, file, f"%0 = (%x,);\n  {lines}user.any(%1499, %x)")
    assert errors(snapshot) == []
    assert operators.questions() == ()
