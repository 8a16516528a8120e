"""The cheapest way to cover a function with candidates: shortest paths over the sets that are covered already.

Source of the rule: ``src/relay/collage/collage_partitioner.cc``, ``candidate_function_cache.cc``, ``name_supply.cc``.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Function, GlobalVar
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.structural import structural_equal, structural_hash

from ..infrastructure import PassError
from .candidates import HOST, Candidate, PartitionSpec, coalesced, collect_candidates
from .costs import CostEstimator
from .extraction import extracted
from .graph import CollageGraph, SubGraph, first_of

__all__ = ["KernelNames", "cheapest_partition"]


class KernelNames:
    """Names of functions and what they cost; functions that are structurally equal have one."""

    def __init__(self) -> None:
        self._known: dict[int, list[tuple[Function, str]]] = {}
        self._used: dict[str, int] = {}
        self.costs: dict[tuple[str, str], float] = {}

    def name(self, function: Function, label: str = "") -> str:
        """The name of a function: that of its compiler and ``label``, or another where that is taken."""
        same = self._known.setdefault(structural_hash(function), [])
        for known, name in same:
            if structural_equal(known, function, map_free_vars=True):
                return name
        compiler = function.attrs.get("Compiler", "tvm")
        words = "_".join(filter(None, ("collage", str(compiler), label)))
        name = re.sub(r"\W", "_", words)
        count = self._used.get(name, 0)
        self._used[name] = count + 1
        same.append((function, f"{name}_{count}" if count else name))
        return same[-1][1]


def cheapest_partition(
    graph: CollageGraph,
    specs: Sequence[PartitionSpec],
    estimate: CostEstimator,
    names: KernelNames,
    types: IRModule,
) -> list[SubGraph]:
    """The parts that cover the function of ``graph`` at the least cost, neighbours of one target joined.

    Raises:
        PassError: an estimate is no number, or nothing can take some expression.
    """
    starting: dict[int, list[tuple[Candidate, float]]] = {}
    for candidate in collect_candidates(graph, specs):
        cost = 0.0 if candidate.spec.name == HOST else _cost(graph, candidate, estimate, names, types)
        if cost < math.inf:
            starting.setdefault(first_of(candidate.part.inside), []).append((candidate, cost))
    chosen = _shortest_path(graph, starting)
    return [each.part for each in coalesced(graph, chosen)]


def _shortest_path(graph: CollageGraph, starting: dict[int, list[tuple[Candidate, float]]]) -> list[Candidate]:
    everything = (1 << graph.size) - 1
    best: dict[int, float] = {0: 0.0}
    steps: dict[int, tuple[int, Candidate]] = {}
    # Of equal cost comes first what covers the lowest number that the other does not.
    queue: list[tuple[float, int, int]] = [(0.0, 0, 0)]
    done: set[int] = set()
    while queue:
        cost, _, covered = heapq.heappop(queue)
        if covered in done:
            continue
        done.add(covered)
        if covered == everything:
            chosen: list[Candidate] = []
            while covered:
                covered, candidate = steps[covered]
                chosen.append(candidate)
            return chosen
        number = first_of(~covered)
        fires = False
        for candidate, more in starting.get(number, ()):
            if candidate.part.inside & covered:
                continue
            fires = True
            following = covered | candidate.part.inside
            if cost + more < best.get(following, math.inf):
                best[following] = cost + more
                steps[following] = covered, candidate
                heapq.heappush(queue, (cost + more, -_mirrored(following, graph.size), following))
        if not fires and not queue:
            expr = graph.order[number]
            message = "no target takes this: the rules of the targets are incomplete, or the estimator refuses it"
            raise PassError(message, place=expr)
    raise PassError("no choice of candidates covers the function")


def _mirrored(numbers: int, size: int) -> int:
    return int(format(numbers, f"0{size}b")[::-1], 2)


def _cost(
    graph: CollageGraph, candidate: Candidate, estimate: CostEstimator, names: KernelNames, types: IRModule
) -> float:
    whole = extracted(graph, candidate.part)
    kernel = whole
    if isinstance(whole.body, Call) and isinstance(whole.body.op, Function) and whole.body.op.is_primitive:
        kernel = whole.body.op
    name = names.name(kernel, candidate.part.label)
    key = name, candidate.spec.name
    if key not in names.costs:
        functions = {GlobalVar("main"): whole}
        if kernel is not whole and isinstance(whole.body, Call):
            var = GlobalVar(name)
            body = Call(var, whole.body.args)
            functions = {GlobalVar("main"): Function(whole.params, body, whole.ret_type), var: kernel}
        cost = estimate(IRModule(functions, types.type_definitions), candidate.spec.name)
        if not isinstance(cost, (int, float)) or math.isnan(cost) or cost < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PassError(f"the cost of {candidate.part.label} on {candidate.spec.name} is {cost!r}, and no number")
        names.costs[key] = float(cost)
    return names.costs[key]
