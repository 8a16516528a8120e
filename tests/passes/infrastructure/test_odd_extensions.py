"""Extensions that declare, raise and give what they must not: each is refused with the reason, and blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from relay_lsp import ir
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.passes.infrastructure.extensions import load_file, unload
from relay_lsp.server.features.diagnostics.repairs import with_repairs
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.pass_outcomes import PassesOutcome
from relay_lsp.server.worker.pass_runs import PassRun, run_passes
from relay_lsp.server.worker.verification import VerifyPasses

HEAD = """
import sys
import numpy as np
from relay_lsp.ir.ops.operator import Argument, Op, register
from relay_lsp.ir.types import TensorType, TupleType
from relay_lsp.passes import ModulePass, PassError, declare_pass, option
"""
PASS = "@declare_pass(opt_level=0)\nclass Odd(ModulePass):\n    'Odd.'\n"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("@declare_pass(opt_level=0)\nclass Odd:\n    'Odd.'", "Odd is no pass"),
        ("declare_pass(opt_level=0)(type('a\\nb', (ModulePass,), {}))", "is no name of a pass"),
        ("@declare_pass(opt_level='high')\nclass Odd(ModulePass):\n    'Odd.'", "opt_level of Odd must be an integer"),
        ("@declare_pass(opt_level=0, required=(7,))\nclass Odd(ModulePass):\n    'Odd.'", "named by strings"),
        (PASS + "    size: 'int[' = option(3, doc='d')", "the options of Odd cannot be read"),
        ("register(Op('a b', doc='d'))", "is no name of an operator"),
        ("register(Op(7, doc='d'))", "is no name of an operator"),
        ("register(Op('my.x', doc='d', arguments=('x',)))", "must be made by Argument"),
        ("register(Op('my.x', doc='d', attrs=7))", "must be a class derived from Attrs"),
        ("register(Op('my.x', doc='d', pattern='z'))", "must be one of OpPattern"),
        ("register(Op('my.x', doc='d', relation=7))", "the relation of my.x must be a function"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "cannot be told"),
        ("raise ValueError('a' * 10**6)", "…"),
    ],
)
def test_what_is_declared_wrongly_is_refused_when_it_is_loaded(tmp_path: Path, body: str, words: str) -> None:
    file = tmp_path / "odd.py"
    file.write_text(HEAD + body)
    fault = load_file(file).fault
    assert fault is not None
    assert words in fault.message
    assert len(fault.message) < 3_000


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.exit(0)", "SystemExit: 0 (odd.py, line 11)"),
        ("raise GeneratorExit", "GeneratorExit (odd.py, line 11)"),
        ("raise type('E', (BaseException,), {})('why')", "E: why (odd.py, line 11)"),
        ("raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})", "E: what it says cannot be told"),
        ("raise type('E', (Exception,), {'__str__': lambda self: sys.exit(0)})", "E: what it says cannot be told"),
        ("raise type('E', (Exception,), {'__traceback__': 5})", "failed with E (odd.py, line 11)"),
        (
            "raise type('M', (type,), {'__name__': property(lambda kind: 1 / 0)})('E', (Exception,), {})",
            "failed with E",
        ),
        ("raise PassError('why', place=7)", "why"),
        ("return None", "Odd"),
    ],
)
def test_whatever_a_pass_raises_is_its_failure(tmp_path: Path, body: str, words: str) -> None:
    file = tmp_path / "odd.py"
    file.write_text(f"{HEAD}{PASS}    def transform_module(self, module, context):\n        {body}\n")
    extension = load_file(file)
    assert extension.fault is None
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) { %x }\n'
    outcome = run_passes(text, "model.relay", [PassCall("Odd")], 3, lambda _: None)
    unload(extension.origin)
    assert isinstance(outcome, PassesOutcome)
    assert outcome.failed is not None
    assert words in outcome.failed
    assert [diagnostic.severity for diagnostic in outcome.diagnostics] == [Severity.ERROR]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("7", "gave 7 (int), which is no type"),
        ("[TensorType((4,), 'float32')]", "which is no type"),
        ("TupleType((7,))", "gave 7 (int), which is no type"),
        ("TensorType((-4,), 'float32')", "the dimension -4 (int)"),
        ("TensorType(('n',), 'float32')", "the dimension 'n' (str)"),
        ("TensorType((np.int64(4),), 'float32')", "the dimension"),
        ("TensorType((10**30,), 'float32')", "the dimension 1000"),
        ("TensorType((4,), 'floaty')", "gave a tensor of 'floaty'"),
        ("TensorType((4,), 7)", "gave a tensor of"),
    ],
)
def test_what_a_relation_gives_must_be_a_type(tmp_path: Path, result: str, words: str) -> None:
    file = tmp_path / "odd.py"
    operator = f"register(Op('my.odd', doc='Odd.', arguments=(Argument('x', 'x'),), relation=lambda _: {result}))"
    file.write_text(HEAD + operator)
    extension = load_file(file)
    assert extension.fault is None
    parsed = ir.parse('#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) { tanh(my.odd(%x)) }\n')
    report = ir.infer_types(parsed.module)
    unload(extension.origin)
    (found,) = report.diagnostics
    assert found.code == "relation-failed"
    assert words in found.message


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ("RelationError('why', argument='x')", "my.odd: why"),
        ("RelationError('why', argument=99, attribute='nowhere')", "my.odd: why"),
        ("RelationError(None)", "my.odd: None"),
        ("RelationError('a' * 10**6)", "…"),
        ("SystemExit(0)", "SystemExit: 0"),
        ("type('E', (BaseException,), {})('why')", "E: why"),
    ],
)
def test_whatever_a_relation_refuses_with_is_a_finding_at_the_call(tmp_path: Path, refusal: str, words: str) -> None:
    file = tmp_path / "odd.py"
    relation = f"from relay_lsp.ir.ops.operator import RelationError\ndef refuse(context):\n    raise {refusal}\n"
    operator = "register(Op('my.odd', doc='Odd.', arguments=(Argument('x', 'x'),), relation=refuse))"
    file.write_text(f"{HEAD}{relation}{operator}")
    extension = load_file(file)
    assert extension.fault is None
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) { tanh(my.odd(%x)) }\n'
    snapshot = Snapshot.open(text, "model.relay")
    found = snapshot.diagnostics
    assert not with_repairs(snapshot, found)[0].fixes
    unload(extension.origin)
    assert [each.severity for each in found] == [Severity.ERROR]
    assert words in found[0].message
    assert len(found[0].message) < 3_000


DAMAGES = [
    ("object.__setattr__(body, 'args', ())", "args of a Call", "nn.relu(%0)"),
    ("object.__setattr__(body, 'args', (body,))", "args of a Call", "nn.relu(%0)"),
    ("object.__setattr__(body.args[0], 'op', 5)", "op of a Call", "exp(%x)"),
    ("object.__setattr__(main, 'body', None)", "body of a Function", "@main"),
    ("object.__setattr__(main.params[0].type_annotation, 'shape', (-5,))", "shape of a TensorType", "%x"),
    ("module.functions.clear()", "functions of the module", "#"),
]


@pytest.mark.parametrize(
    "rest", ["return module", "return module.with_function(var, type(main)(main.params, main.params[0]))"]
)
@pytest.mark.parametrize(("damage", "what", "place"), DAMAGES)
def test_a_pass_that_damages_what_it_was_given_is_named_with_the_place(
    tmp_path: Path, damage: str, what: str, place: str, rest: str
) -> None:
    file = tmp_path / "odd.py"
    lines = ("var = module.get_global_var('main')", "main = module[var]", "body = main.body", damage, rest)
    body = "".join(f"        {line}\n" for line in lines)
    file.write_text(f"{HEAD}{PASS}    def transform_module(self, module, context):\n{body}")
    extension = load_file(file)
    assert extension.fault is None
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {\n  %0 = exp(%x);\n  nn.relu(%0)\n}\n'
    calls = (PassCall("InferType"), PassCall("Odd"), PassCall("FastMath"))
    said = f"changed the {what} that it was given, in place; a pass makes new expressions and leaves the others alone"
    try:
        outcome = run_passes(text, "model.relay", calls, 3, lambda _: None)
        judged = VerifyPasses(text, "model.relay", calls).run(lambda _: None)
        sound = run_passes(text, "model.relay", calls[::2], 3, lambda _: None)
    finally:
        unload(extension.origin)
    assert isinstance(outcome, PassesOutcome)
    assert outcome.failed == f"Odd: {said}"
    assert (judged.culprit, judged.number, judged.message) == ("Odd", 1, f"Odd raises: {said}")
    for (found,) in (outcome.diagnostics, judged.diagnostics):
        assert found.span is not None
        assert text[found.span.start :].startswith(place)
    assert isinstance(sound, PassRun)  # It is read anew: the next job has nothing of the damage.


def test_a_pass_may_ask_for_types_and_make_what_it_likes(tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text(
        f"{HEAD}from relay_lsp.passes import create\n{PASS}    def transform_module(self, module, context):\n"
        "        return create('FastMath')(create('InferType')(module))\n"
    )
    extension = load_file(file)
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) { exp(%x) }\n'
    outcome = run_passes(text, "model.relay", (PassCall("Odd"),), 3, lambda _: None)
    unload(extension.origin)
    assert isinstance(outcome, PassRun)
