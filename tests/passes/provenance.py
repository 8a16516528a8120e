"""What the tests of provenance ask of every step of a trace."""

from __future__ import annotations

from relay_lsp.passes import TraceStep
from relay_lsp.passes.provenance import expressions_of


def assert_nothing_is_forgotten(step: TraceStep) -> None:
    """Assert that everything after the step has an origin, and everything before it is carried, mapped or removed."""
    before, after = set(expressions_of(step.before)), set(expressions_of(step.after))
    assert step.unexplained == ()
    for expr in after:
        assert step.origins(expr), f"{expr!r} has no origin"
        assert before.issuperset(step.origins(expr))
    used = {source for sources in (*step.sources.values(), *step.joined.values()) for source in sources}
    for expr in before:
        kinds = [expr in after, expr in used and expr not in after, expr in step.removed]
        assert kinds.count(True) == 1, f"{expr!r} is neither carried, nor mapped forward, nor removed"
    assert step.replaced == (before - after) & used
