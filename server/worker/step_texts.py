"""The text after each step of a run of passes, with what of the text before became what of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .pass_changes import Places, SpanLayers, SpanOrigins, removed_by_step
from .pass_runs import PassRun, RunStep
from .read_texts import places_of
from .span_layers import ModuleLayers

if TYPE_CHECKING:
    from relay_lsp.ir.module import IRModule

__all__ = ["StepText", "step_texts"]


class StepText(NamedTuple):
    """The text after a step; where in the text before it its values came from, and where those stand that are gone."""

    text: str = ""
    origins: SpanOrigins = ()
    removed: tuple[tuple[int, int], ...] = ()
    layers: SpanLayers = ()


def step_texts(run: PassRun, final_text: str, final_places: Callable[[IRModule], Places]) -> dict[RunStep, StepText]:
    """For each step that changes the text, the text after it and what became of what.

    The first step starts from the buffer, and the last one ends in it, where ``final_places`` tells the places of a
    module that it says; between them stand canonical texts.
    """
    from relay_lsp.ir.printing import to_text_with_positions
    from relay_lsp.ir.visitor import post_order

    layers = ModuleLayers(run.trace.layers)
    texts: dict[RunStep, StepText] = {}
    places: Places = places_of(run.parsed)
    for step in run.steps:
        layers.follow(step.trace)
        if step not in run.changing:
            places = _places_through(step, places)
            continue
        if step is run.changing[-1]:
            text, new_places = final_text, final_places(step.after)
        else:
            printed = to_text_with_positions(step.after, show_spans="span=" in run.parsed.reading.text)
            text, new_places = printed.text, printed.positions.get
        removed = tuple((span.start, span.end) for span in removed_by_step(step.trace, step.after, places))
        of_text = layers.in_text(post_order(*step.after.functions.values()), new_places)
        texts[step] = StepText(text, tuple(_origins(step, places, new_places)), removed, of_text)
        places = new_places
    return texts


def _places_through(step: RunStep, places: Places) -> Places:
    """The places in an unchanged text of the expressions that a step has put in place of equal ones."""
    return lambda expr: next((place for old in step.trace.origins(expr) if (place := places(old)) is not None), None)


def _origins(
    step: RunStep, old_places: Places, new_places: Places
) -> Iterator[tuple[int, int, tuple[tuple[int, int], ...]]]:
    from relay_lsp.ir.expressions import GlobalVar, Var
    from relay_lsp.ir.ops.operator import Op
    from relay_lsp.ir.visitor import post_order

    for expr in post_order(*step.after.functions.values()):
        if isinstance(expr, (Op, Var, GlobalVar)):
            continue
        span = new_places(expr)
        if span is not None:
            sources = dict.fromkeys(
                old for source in step.trace.origins(expr) if (old := old_places(source)) is not None
            )
            yield span.start, span.end, tuple((old.start, old.end) for old in sources)
