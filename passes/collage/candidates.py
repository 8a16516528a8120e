"""Candidates: the parts of a function that a target could compute as one, and which of them are worth a look.

Source of the rule: ``src/relay/collage/partition_rule.cc``, ``combiner_rule.cc``, ``gather_partition_specs.cc``,
``candidate_set.cc``, ``prune_candidates.cc``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from relay_lsp.ir.expressions import Call, Expr, Function, Tuple, TupleGetItem
from relay_lsp.ir.ops.operator import Op, OpPattern

from ..compiler_regions.pattern_tables import CompositePattern
from ..infrastructure import PassError
from ..patterns.language import WildcardPattern
from ..patterns.matcher import PatternMatcher
from .graph import CollageGraph, SubGraph, can_inline, first_of, members, set_order

__all__ = ["Candidate", "PartitionSpec", "coalesced", "collect_candidates", "pruned"]

HOST: Final = "host"
_LIMIT: Final = 10_000
_COMPILED_AWAY: Final = ("device_copy", "shape_of", "vm.shape_of")
_FUSES: Final = (
    (OpPattern.OUT_ELEMWISE_FUSABLE, OpPattern.BROADCAST),
    (OpPattern.BROADCAST, OpPattern.COMM_REDUCE),
    (OpPattern.INJECTIVE, OpPattern.INJECTIVE),
)
"""Which kinds fuse, the producer's and the consumer's at most, as in ``FuseOps``."""
_ANYTHING: Final = ((OpPattern.OUT_ELEMWISE_FUSABLE, OpPattern.OUT_ELEMWISE_FUSABLE),)
_STYLES: Final = {"NoFusion": (), "TVMFusion": _FUSES, "ArbitraryFusion": _ANYTHING}
_DEFAULT_STYLES: Final = {"cutlass": "NoFusion", "cublas": "NoFusion", "cudnn": "NoFusion", "tensorrt": "TVMFusion"}


@dataclass(frozen=True)
class PartitionSpec:
    """A target that parts may go to: one of TVM's own, an external compiler by its ``patterns``, or the host."""

    name: str
    max_depth: int = 1
    patterns: Sequence[CompositePattern] | None = None
    style: str = ""
    """How candidates of an external compiler are combined; by default as its name says."""

    def candidates(self, graph: CollageGraph) -> list[Candidate]:
        """Every part that the target could take.

        Raises:
            PassError: there are too many, or the style is not known.
        """
        if self.name == HOST:
            return list(self._left_behind(graph))
        if self.patterns is None:
            first = [
                Candidate(self, SubGraph.of(graph, 1 << number), graph.kinds[number][1])
                for number, expr in enumerate(graph.order)
                if isinstance(expr, Call) and graph.kinds[number][0] <= OpPattern.OUT_ELEMWISE_FUSABLE
            ]
            combined = _combined(graph, first, _FUSES, self.max_depth, tuples=True)
            return [each for each in combined if each.part.is_valid(graph, self.max_depth)]
        style = self.style or _DEFAULT_STYLES.get(self.name, "ArbitraryFusion")
        if style not in _STYLES:
            raise PassError(f"there is no fusion style {style!r} of {self.name}; there are {', '.join(_STYLES)}")
        combined = _combined(graph, list(self._composites(graph)), _STYLES[style], self.max_depth, tuples=False)
        return [
            Candidate(self, each.part.as_function(Primitive=1, Compiler=self.name), each.name)
            for each in combined
            if each.part.is_valid(graph, self.max_depth)
        ]

    def _left_behind(self, graph: CollageGraph) -> Iterator[Candidate]:
        for number, expr in enumerate(graph.order):
            if not _must_be_compiled(expr):
                yield Candidate(self, SubGraph.of(graph, 1 << number), graph.kinds[number][1])

    def _composites(self, graph: CollageGraph) -> Iterator[Candidate]:
        matcher = PatternMatcher(graph.dataflow)
        for name, pattern, *checks in self.patterns or ():
            for expr in graph.order:
                matches = matcher.match(pattern, expr)
                if matches is None or not all(check(expr) for check in checks):
                    continue
                inside = 0
                for part, matched in matches.items():
                    for each in () if isinstance(part, WildcardPattern) else matched:
                        inside |= 0 if can_inline(each) else 1 << graph.index[each]
                part = SubGraph.of(graph, inside)
                yield Candidate(self, part.as_function(Composite=name), f"{name}.{part.label}")


def _must_be_compiled(expr: Expr) -> bool:
    """Whether a call is left to a compiler, and not to what runs the program."""
    if not isinstance(expr, Call):
        return False
    if isinstance(expr.op, Function):
        return expr.op.is_primitive
    return isinstance(expr.op, Op) and not expr.op.non_computational and expr.op.name not in _COMPILED_AWAY


@dataclass(frozen=True)
class Candidate:
    """A part of a function for a target."""

    spec: PartitionSpec
    part: SubGraph
    name: str

    @property
    def key(self) -> tuple[int, SubGraph]:
        """What makes candidates the same."""
        return id(self.spec), SubGraph(self.part.inside, 0, "", self.part.nested)

    def with_(self, other: Candidate) -> Candidate:
        """Both together."""
        return Candidate(self.spec, self.part.with_(other.part), "+".join(filter(None, (self.name, other.name))))


_Rules = Sequence[tuple[int, int]]


def _combined(
    graph: CollageGraph, first: list[Candidate], rules: _Rules, max_depth: int, *, tuples: bool
) -> list[Candidate]:
    """``first`` with all that come of combining them, round by round."""
    current: list[Candidate] = []
    added = first
    seen = {each.key for each in first}
    while added and rules:
        old = len(current)
        current = [*current, *added]
        added = list[Candidate]()
        for candidate in _next_round(graph, current, old, rules, max_depth, tuples=tuples):
            if candidate.key in seen:
                continue
            seen.add(candidate.key)
            added.append(candidate)
            if len(seen) > _LIMIT:
                message = (
                    f"there are more than {_LIMIT:,} candidates; lower relay.collage.tvm_max_depth or byoc_max_depth"
                )
                raise PassError(message)
    return [*current, *added]


def _next_round(
    graph: CollageGraph, candidates: Sequence[Candidate], old: int, rules: _Rules, max_depth: int, *, tuples: bool
) -> Iterator[Candidate]:
    """What comes of combining, of which the first ``old`` have been combined with each other already."""
    for upstream, downstream in _neighbours(graph, candidates, old):
        if upstream.part.border(graph).depth + downstream.part.border(graph).depth > max_depth:
            continue
        if any(upstream.part.kind <= left and downstream.part.kind <= right for left, right in rules):
            yield upstream.with_(downstream)
    if tuples:
        yield from _with_tuples(graph, candidates, old)
        yield from _with_projections(graph, candidates[old:])


def _neighbours(
    graph: CollageGraph, candidates: Sequence[Candidate], old: int
) -> Iterator[tuple[Candidate, Candidate]]:
    """Those that touch, of which the first ``old`` have been combined with each other already."""
    by_entry: dict[int, list[int]] = {}
    for place, each in enumerate(candidates):
        for number in members(each.part.border(graph).entries):
            by_entry.setdefault(number, []).append(place)
    for place, upstream in enumerate(candidates):
        near = {other for number in members(upstream.part.border(graph).outputs) for other in by_entry.get(number, ())}
        for other in sorted(near):
            if other == place or (place < old and other < old):
                continue
            if upstream.part.touches(graph, candidates[other].part):
                yield upstream, candidates[other]


def _with_tuples(graph: CollageGraph, candidates: Sequence[Candidate], old: int) -> Iterator[Candidate]:
    """A consumer of a tuple with the tuple and what produces each of its fields."""
    injective = OpPattern.INJECTIVE
    by_exit: dict[int, list[int]] = {}
    for place, each in enumerate(candidates):
        if each.part.kind <= injective:
            for number in members(each.part.border(graph).exits):
                by_exit.setdefault(number, []).append(place)
    for place, consumer in enumerate(candidates):
        if consumer.part.kind > injective:
            continue
        for number in members(consumer.part.border(graph).inputs):
            if not isinstance(graph.order[number], Tuple):
                continue
            producers = [
                [other for other in by_exit.get(field, ()) if other != place and (place >= old or other >= old)]
                for field in graph.dataflow.inputs[number]
            ]
            start = consumer.with_(Candidate(consumer.spec, SubGraph(1 << number, injective, "tuple"), ""))
            for chosen in itertools.product(*producers) if producers else ():
                united = start
                for other in dict.fromkeys(chosen):
                    if united.part.inside & candidates[other].part.inside:
                        break
                    united = united.with_(candidates[other])
                else:
                    yield united


def _with_projections(graph: CollageGraph, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    for each in candidates:
        for number in members(each.part.border(graph).outputs):
            if isinstance(graph.order[number], TupleGetItem):
                yield each.with_(Candidate(each.spec, SubGraph(1 << number, OpPattern.INJECTIVE, "proj"), ""))


def collect_candidates(graph: CollageGraph, specs: Iterable[PartitionSpec]) -> list[Candidate]:
    """The candidates of all targets that are worth a look, in their order.

    Raises:
        PassError: there are too many.
    """
    return pruned([each for spec in specs for each in spec.candidates(graph)])


def pruned(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The largest candidates of each target, and smaller ones where the largest overlap."""
    chosen: dict[object, Candidate] = {}
    left = list(candidates)
    while True:
        largest = [each for each in _largest(left) if each.key not in chosen]
        if not largest:
            break
        chosen.update((each.key, each) for each in largest)
        overlapping = _overlapping(list(chosen.values()))
        left = [each for each in left if each.key not in overlapping]
    return sorted(chosen.values(), key=_order)


def _order(candidate: Candidate) -> tuple[int, str, str]:
    return *set_order(candidate.part.inside), candidate.name


def _by_member(candidates: Sequence[Candidate]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for place, each in enumerate(candidates):
        for number in members(each.part.inside):
            places.setdefault(number, []).append(place)
    return places


def _largest(candidates: Sequence[Candidate]) -> list[Candidate]:
    places = _by_member(candidates)

    def is_covered(place: int, candidate: Candidate) -> bool:
        inside = candidate.part.inside
        return any(
            other != place and candidates[other].spec is candidate.spec and not inside & ~candidates[other].part.inside
            for other in places[first_of(inside)]
        )

    return [each for place, each in enumerate(candidates) if not is_covered(place, each)]


def _overlapping(candidates: Sequence[Candidate]) -> set[object]:
    """Those that share an expression with another, and are not the same set."""
    keys: set[object] = set()
    for places in _by_member(candidates).values():
        if len({candidates[place].part.inside for place in places}) > 1:
            for place in places:
                keys.add(candidates[place].key)
    return keys


def coalesced(graph: CollageGraph, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Neighbours of one target joined, as far as no circle comes of it."""
    current = list(candidates)
    while True:
        removed: set[int] = set()
        added: list[Candidate] = []
        place_of = {id(each): place for place, each in enumerate(current)}
        for upstream, downstream in _neighbours(graph, current, 0):
            left, right = place_of[id(upstream)], place_of[id(downstream)]
            if upstream.spec is downstream.spec and left not in removed and right not in removed:
                removed |= {left, right}
                added.append(upstream.with_(downstream))
        if not added:
            return sorted(current, key=_order)
        current = [each for place, each in enumerate(current) if place not in removed] + added
