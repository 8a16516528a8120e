"""Questions about what a pass would decide on the value at a place: why it is not fused, not folded, kept as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from relay_lsp.ir.ops import find

from ..documentation.markdown import plain
from ..provenance.values import value_at

if TYPE_CHECKING:
    from relay_lsp.ir.semantic.snapshot import Snapshot
    from relay_lsp.ir.text.text_span import TextSpan

    from ...worker.remarks import PlacedRemark

__all__ = ["Question", "questions_at", "remark_words", "remarks_between", "remarks_on"]

_CALL: Final = re.compile(r"([A-Za-z_][\w.]*)\(")
_COMBINED: Final = {
    "nn.conv2d": "CombineParallelConv2D",
    "nn.dense": "CombineParallelDense",
    "nn.batch_matmul": "CombineParallelBatchMatmul",
}
_ATTRIBUTES: Final = re.compile(r"\b[A-Za-z_]\w*=.*", re.DOTALL)
_CONSTANT: Final = re.compile(r"[(,]\s*-?[\d.]+[a-z\d]*\s*[,)/]|meta\[relay\.Constant\]")


@dataclass(frozen=True)
class Question:
    """Something to ask about the value at ``span``, which a run of one pass answers."""

    title: str
    pass_name: str
    span: TextSpan


def questions_at(snapshot: Snapshot, offset: int) -> Iterator[Question]:
    """What can be asked about the call of an operator at ``offset``."""
    span = value_at(snapshot, offset)
    if span is None:
        return
    text = snapshot.text[span.start : span.end]
    call = _CALL.match(text)
    if call is None or find(call[1]) is None:
        return
    yield Question("Why was this not fused?", "FuseOps", span)
    if _CONSTANT.search(_ATTRIBUTES.sub("", text)) is not None:
        yield Question("Why was this not folded?", "FoldConstant", span)
    if call[1] == "multiply":
        yield Question("Why was this scale not folded?", "FoldScaleAxis", span)
    if call[1] in _COMBINED:
        yield Question("Why was this not combined with others?", _COMBINED[call[1]], span)
    yield Question("Why was this kept in its precision?", "ToMixedPrecision", span)


def remarks_on(remarks: Iterable[PlacedRemark], span: TextSpan) -> Sequence[PlacedRemark]:
    """The remarks about the value at ``span``, or, where there are none, about values inside of it."""
    inside = [remark for remark in remarks if remark.span is not None and span.start <= remark.span.start < span.end]
    exact = [remark for remark in inside if remark.span is not None and remark.span.start == span.start]
    return list(dict.fromkeys(exact or inside))


def remarks_between(remarks: Iterable[PlacedRemark], span: TextSpan) -> Sequence[PlacedRemark]:
    """The remarks about values that begin inside of ``span``."""
    return [remark for remark in remarks if remark.span is not None and span.start <= remark.span.start < span.end]


def remark_words(remarks: Iterable[PlacedRemark]) -> str:
    """Remarks in Markdown, one in a line."""
    return "\n".join(f"- **{remark.pass_name}**, {remark.kind}: {plain(remark.message)}" for remark in remarks)
