"""What a pass's documentation shows is what the pass does."""

from __future__ import annotations

import pytest

from relay_lsp.ir.printing import to_text
from relay_lsp.ir.syntax import parse
from relay_lsp.passes import PassContext, Trace, create, registered
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses
from tests.passes.modules import VERSION, assert_same, read

EXAMPLES = [
    pytest.param(name, example, id=f"{name}-{number}")
    for name, cls in registered().items()
    for number, example in enumerate(cls.declaration().examples)
]

SPANS = [
    pytest.param(name, example, id=name)
    for name, cls in registered().items()
    for example in cls.declaration().examples
    if "span=" in example.after
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_the_example(name, example):
    with PassContext(opt_level=4), Trace() as trace:
        after = create(name, **example.options)(read(example.before))
    assert_same(after, read(example.after))
    assert [step.unexplained for step in trace.steps if step.unexplained] == []


@pytest.mark.parametrize(("name", "example"), SPANS)
def test_the_spans_of_an_example_are_those_that_the_pass_gives(name, example):
    assert registered()[name].gives_spans
    after = create(name, **example.options)(read(example.before))
    assert to_text(after).removeprefix(VERSION).strip() == example.after.strip()
    assert example.before != example.after


@pytest.mark.parametrize("name", [name for name, cls in registered().items() if cls.gives_spans])
def test_passes_that_give_spans_show_them_in_the_text_that_they_run_over(name):
    text = (
        VERSION
        + """def @main(%x: float32) {
  %0 = exp(%x) /* ty=float32 */; // kept
  /* before */ %1 = sqrt(%0) /* span=model.py:3:1 */;
  tanh(%1)
}
"""
    )
    outcome = RunPasses(text, "model.relay", (PassCall(name),)).run(lambda _: None)
    source = "GeneratedSource" if name == "AnnotateSpans" else "index"
    lines = outcome.text.splitlines()
    assert lines[2].startswith(f"  %0 = exp(%x) /* ty=float32 span={source}:")
    assert lines[2].endswith(" */; // kept")
    assert lines[3].startswith(f"  /* before */ %1 = sqrt(%0) /* span={source}:")
    assert lines[4].startswith(f"  tanh(%1) /* span={source}:")
    assert [(step.name, step.changed) for step in outcome.steps if step.changed] == [(name, True)]
    again = RunPasses(outcome.text, "model.relay", (PassCall(name),)).run(lambda _: None)
    assert again.text == outcome.text


@pytest.mark.parametrize("name", registered())
def test_every_pass_says_what_it_does_and_shows_it(name):
    declaration = registered()[name].declaration()
    assert declaration.summary.endswith("."), "the documentation opens with a sentence"
    assert len(declaration.summary) <= 120
    assert declaration.examples, "the documentation shows a before and an after"
    for option in declaration.options.values():
        assert option.doc, f"option {option.name} is documented"


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_the_example_is_legal_text(name, example):
    for text in (example.before, example.after):
        assert not parse(VERSION + text).diagnostics
