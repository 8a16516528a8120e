"""What a pass's documentation shows is what the pass does."""

from __future__ import annotations

import pytest

from relay_lsp.ir.syntax import parse
from relay_lsp.passes import PassContext, Trace, create, registered
from tests.passes.modules import VERSION, assert_same, read

EXAMPLES = [
    pytest.param(name, example, id=f"{name}-{number}")
    for name, cls in registered().items()
    for number, example in enumerate(cls.declaration().examples)
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_the_example(name, example):
    with PassContext(opt_level=4), Trace() as trace:
        after = create(name, **example.options)(read(example.before))
    assert_same(after, read(example.after))
    assert [step.unexplained for step in trace.steps if step.unexplained] == []


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
