"""Why operators run as one kernel, and why not: the remarks of ``FuseOps``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops.operator import Op, OpPattern

from ..provenance.remarks import Remarks
from .forward_graph import ForwardGraph, Node

__all__ = ["remark_on_fusion"]

_WORDS: Final = {
    OpPattern.ELEMWISE: "elementwise",
    OpPattern.BROADCAST: "broadcasting",
    OpPattern.INJECTIVE: "injective",
    OpPattern.COMM_REDUCE: "a reduction",
    OpPattern.OUT_ELEMWISE_FUSABLE: "out-elementwise-fusable",
    OpPattern.TUPLE: "a tuple",
    OpPattern.OPAQUE: "opaque",
}


_Reason: TypeAlias = "tuple[str, str, tuple[Expr, ...]]"
"""The rule, the words, and the expressions in the way."""


def remark_on_fusion(
    remarks: Remarks,
    graph: ForwardGraph,
    sinks: Sequence[tuple[Node | None, OpPattern]],
    patterns: Sequence[OpPattern],
    kernels: Sequence[object],
    most: int,
) -> None:
    """Say of each call with which operator it runs, or why with none.

    Args:
        remarks: where to say it.
        graph: the graph of the function.
        sinks: for each node the one to which all its uses lead, and the strongest pattern on the way.
        patterns: the pattern of each node's kernel.
        kernels: equal for nodes that run together.
        most: how many operators a kernel may have.
    """
    sizes = Counter(map(id, kernels))
    for node in graph.order:
        call = node.expr
        if not isinstance(call, Call) or not isinstance(call.op, Op):
            continue
        sink, edge = sinks[node.index]
        if sink is not None and kernels[sink.index] == kernels[node.index]:
            remarks.passed("fused", call, "fused with {}, to which all its uses lead", sink.expr)
            continue
        size = sizes[id(kernels[node.index])]
        if not node.outputs and size > 1:
            remarks.passed("fused", call, f"the last of the {size} operators of a kernel")
            continue
        rule, template, others = _reason(node, sink, edge, patterns, most)
        remarks.missed(rule, call, template, *others)


def _reason(node: Node, sink: Node | None, edge: OpPattern, patterns: Sequence[OpPattern], most: int) -> _Reason:
    users = [user for user, _ in node.outputs]
    if not users:
        return "result", "not fused: no operator takes its value, which is a result or bound by let", ()
    if node.pattern is OpPattern.OPAQUE:
        return "opaque", "not fused with {}: it is opaque itself", (users[0].expr,)
    if sink is None:
        if node.external:
            return "result", "not fused with {}: its value is needed outside of any kernel", (users[0].expr,)
        return "no-common-user", "not fused: its uses by {} and {} lead to no one operator", _two(users)
    if patterns[sink.index] is OpPattern.OPAQUE or sink.pattern is OpPattern.OPAQUE:
        return "opaque", f"not fused with {{}}: that is opaque to {_article(node.pattern)} producer", (sink.expr,)
    between = _between(node, sink, most)
    if len(between) + 2 > most:
        return "max-depth", f"not fused with {{}}: a kernel may have {most} operators", (sink.expr,)
    own = node.pattern
    if own is OpPattern.OUT_ELEMWISE_FUSABLE:
        for step in (*between, sink):
            if step.pattern > OpPattern.BROADCAST:
                words = _WORDS[step.pattern]
                return (
                    "not-elementwise",
                    f"not fused with {{}}: that is {words}, and only elementwise joins",
                    (step.expr,),
                )
        return "shape", "not fused with {}: it does not work element by element on this value", (sink.expr,)
    if own is OpPattern.COMM_REDUCE:
        return "reduction", "not fused with {}: a reduction ends its kernel", (sink.expr,)
    for step in between:
        if step.pattern > OpPattern.INJECTIVE:
            words = _WORDS[step.pattern]
            return "path", f"not fused with {{}}: on the way is {{}}, which is {words}", (sink.expr, step.expr)
        if patterns[step.index] > OpPattern.INJECTIVE:
            words = _WORDS[patterns[step.index]]
            return "path", f"not fused with {{}}: on the way is {{}}, whose kernel is {words}", (sink.expr, step.expr)
    words = _WORDS[sink.pattern]
    if own <= OpPattern.BROADCAST and edge > OpPattern.COMM_REDUCE:
        return "edge", f"not fused with {{}}: that is {words}, and takes its inputs as they are", (sink.expr,)
    return "pattern", f"not fused with {{}}: that is {words}, and it is {_WORDS[own]} itself", (sink.expr,)


def _two(users: Sequence[Node]) -> tuple[Expr, Expr]:
    return users[0].expr, users[-1].expr


def _article(pattern: OpPattern) -> str:
    words = _WORDS[pattern]
    if words.startswith("a "):
        return words
    return f"an {words}" if words[0] in "aeio" else f"a {words}"


def _between(node: Node, sink: Node, most: int) -> list[Node]:
    """The nodes on the paths from ``node`` to ``sink``, without the two; not many more than ``most`` of them."""
    seen = {node.index, sink.index}
    between: list[Node] = []
    stack = [user for user, _ in node.outputs]
    while stack and len(between) < most:
        current = stack.pop()
        if current.index not in seen:
            seen.add(current.index)
            between.append(current)
            stack.extend(user for user, _ in current.outputs)
    return between
