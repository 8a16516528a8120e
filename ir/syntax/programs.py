"""A shape as the list of steps that evaluate it: computed once per shape, run for every statement of it."""

from __future__ import annotations

from typing import Final

import msgspec

from .shapes import ShapeNode
from .tokens import BLOCK, CLAUSES

__all__ = ["BLOCK_STEP", "Step", "program_of"]

BLOCK_STEP: Final = "block"
_BLOCKS: Final = frozenset((BLOCK, CLAUSES))


class Step(msgspec.Struct, frozen=True):
    """One step: what to do with which node, and how many of the values so far it takes.

    ``raw``: the value is an attribute's, so that a number stays a number. ``callee``: it is what a call calls.
    ``outermost``: no operation or call of the same chain is around it. ``position``: of a block's token.
    ``last_argument``: it is the last argument of a call, where all attributes may stand as one value.
    """

    action: str
    node: ShapeNode
    arity: int
    raw: bool = False
    callee: bool = False
    outermost: bool = True
    position: int = -1
    last_argument: bool = False


_programs: dict[int, tuple[ShapeNode, list[Step]]] = {}


def program_of(root: ShapeNode, kinds: str) -> list[Step]:
    """The steps that evaluate ``root``, a shape over ``kinds``, in order."""
    program = _programs.get(id(root))
    if program is not None:
        return program[1]
    if len(_programs) > 50_000:
        _programs.clear()
    steps = _compile(root, kinds)
    _programs[id(root)] = (root, steps)  # keeps the root alive, and so its identity its own
    return steps


def _compile(root: ShapeNode, kinds: str) -> list[Step]:
    steps: list[Step] = []
    work: list[tuple[ShapeNode, int, int, bool, bool, bool, bool]] = [(root, 0, 0, False, False, True, False)]
    while work:
        node, index, arity, raw, callee, outermost, last = work.pop()
        rule = node.rule
        children = node.children
        if index == 0 and rule == "function":
            steps.append(Step("enter_function", node, 0))
            arity = 1
        descended = False
        last_argument = node.last_node() if rule == "arguments" else None
        while index < len(children):
            child = children[index]
            index += 1
            if isinstance(child, ShapeNode):
                is_first = index == 1
                chain = rule == child.rule == "infix" or (rule == child.rule == "call" and is_first)
                inherits = rule in ("attribute", "list") or (raw and rule in ("parenthesis", "sequence"))
                child_callee = (rule == "call" and is_first) or rule in ("projection", "match")
                child_last = last and len(children) == 1 if rule == "sequence" else child is last_argument
                if _is_leaf(child, kinds):
                    arity += 1  # the names and numbers of a long call need not wait for parts
                    step = Step(child.rule, child, 0, inherits, child_callee, not chain, last_argument=child_last)
                    steps.append(step)
                    continue
                work.append((node, index, arity + 1, raw, callee, outermost, last))
                work.append((child, 0, 0, inherits, child_callee, not chain, child_last))
                descended = True
                break
            if kinds[child] in _BLOCKS:
                steps.append(Step(BLOCK_STEP, node, 0, position=child))
                arity += 1
            elif kinds[child] == "=" and rule == "let_binding":
                steps.append(Step("bind_let", node, arity))
                arity = 1
        if not descended:
            steps.append(Step(rule, node, arity, raw, callee, outermost, last_argument=last))
    return steps


def _is_leaf(node: ShapeNode, kinds: str) -> bool:
    """Whether a node is one token, and no block."""
    children = node.children
    return len(children) == 1 and isinstance(child := children[0], int) and kinds[child] not in _BLOCKS
