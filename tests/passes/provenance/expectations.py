"""What the tests of provenance ask of every step of a trace, and with which options each pass is run for it."""

from __future__ import annotations

from collections.abc import Mapping

from relay_lsp.passes import TraceStep, find
from relay_lsp.passes.provenance import expressions_of


def assert_nothing_is_forgotten(step: TraceStep) -> None:
    """Assert that everything after the step has an origin, and everything before it is carried, mapped or removed."""
    before, after = set(expressions_of(step.before)), set(expressions_of(step.after))
    assert step.unexplained == (), f"{step.name} did not say where {step.unexplained[:3]!r} come from"
    for expr in after:
        assert step.origins(expr), f"{expr!r} has no origin after {step.name}"
        assert before.issuperset(step.origins(expr)), f"{expr!r} comes from nothing that was there before {step.name}"
    used = {source for sources in (*step.sources.values(), *step.joined.values()) for source in sources}
    for expr in before:
        kinds = [expr in after, expr in used and expr not in after, expr in step.removed]
        assert kinds.count(True) == 1, f"{expr!r} is neither carried, nor mapped forward, nor removed by {step.name}"
    assert step.replaced == (before - after) & used


def options_of(name: str) -> Mapping[str, object]:
    """Options with which a pass can be run on any module: its defaults, or those that its documentation shows."""
    kind = find(name)
    assert kind is not None
    declared = kind.declaration()
    if not any(option.required for option in declared.options.values()):
        return {}
    assert declared.examples, f"{name} needs options, and its documentation has no example"
    return declared.examples[0].options
