"""Finding the branches that start with the same operator on the same input, and putting one operator in their place.

Source of the rule: ``src/relay/transforms/combine_parallel_op.cc``, ``expr_subst.cc``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.ops.operator import Op, OpPattern
from relay_lsp.ir.visitor import post_order

from ..infrastructure import PassError
from ..infrastructure.operators import fusion_pattern
from ..provenance import ExprMutator, current_record
from ..provenance.mutator import Descent
from ..provenance.remarks import Remarks

__all__ = ["Branch", "ParallelOpCombiner"]

Branch: TypeAlias = list[Call]
"""An operator and the elementwise or broadcasting ones that follow it, each the only user of the one before."""


class ParallelOpCombiner:
    """What the passes that combine parallel operators share; each says when and how by overriding."""

    def __init__(self, op_name: str, min_num_branches: int) -> None:
        self.op = ops.get(op_name)
        self.min_num_branches = min_num_branches

    def is_supported(self, call: Call) -> bool:
        """Whether a call of the operator may be combined at all."""
        del call
        return True

    def can_combine(self, lhs: Call, rhs: Call) -> bool:
        """Whether two calls on one input may become one."""
        raise NotImplementedError

    def combined_op(self, branches: Sequence[Branch]) -> Call:
        """The one call that stands for the first calls of all branches."""
        raise NotImplementedError

    def is_argument_compatible(self, lhs: Call, rhs: Call, index: int) -> bool:
        """Whether an argument of two following calls can be joined."""
        raise NotImplementedError

    def combined_following(self, data: Expr, branches: Sequence[Branch], depth: int, parent: int) -> Call:
        """The one call that stands for the calls at ``depth``; ``data`` takes the place of argument ``parent``."""
        raise NotImplementedError

    def outputs(self, data: Expr, branches: Sequence[Branch], depth: int) -> list[Expr]:
        """The part of ``data`` that each branch gave at ``depth``."""
        raise NotImplementedError

    def combine(self, function: Function) -> Function:
        """``function`` with every group of enough parallel branches combined.

        Raises:
            PassError: such an operator leads to a call of a function, or of an operator without a fusion pattern.
        """
        replacements: dict[Expr, Expr] = {}
        remarks = current_record().remarks
        groups, users = self._groups(function)
        for group in groups:
            if len(group) >= self.min_num_branches:
                self._combine_group([_branch(call, users) for call in group], replacements)
            if remarks is not None:
                self._remark(remarks, group)
        return _Substituter(replacements).visit_function(function) if replacements else function

    def _remark(self, remarks: Remarks, group: Sequence[Call]) -> None:
        """Say of each branch, by its first call, with which it is combined, or that there are too few like it."""
        first, count = group[0], len(group)
        for call in group:
            if count >= self.min_num_branches:
                remarks.passed("combined", call, f"combined with {count - 1} others on {{}}", call.args[0])
            else:
                words = f"not combined: {count} like it on {{}}, and at least {self.min_num_branches} are asked for"
                remarks.missed("too-few", call, words, first.args[0])

    def _groups(self, function: Function) -> tuple[list[list[Call]], Mapping[Expr, Sequence[Call]]]:
        """The first calls of the branches that may become one, those on one input together; and what uses each value.

        Raises:
            PassError: see :func:`_check_branch`.
        """
        users: dict[Expr, list[Call]] = {}
        roots: dict[Expr, None] = {}
        for expr in post_order(function):
            if not isinstance(expr, Call):
                continue
            if expr.op is self.op and self.is_supported(expr):
                roots[expr.args[0]] = None
                users.setdefault(expr.args[0], []).append(expr)
            else:
                for arg in expr.args:
                    users.setdefault(arg, []).append(expr)
        groups: list[list[Call]] = []
        checked: set[Expr] = set()
        for root in roots:
            here: list[list[Call]] = []
            for call in users[root]:
                if call.op is not self.op:
                    continue
                _check_branch(call, users, checked)
                group = next((group for group in here if self.can_combine(call, group[0])), None)
                if group is None:
                    here.append([call])
                else:
                    group.append(call)
            groups.extend(here)
        return groups, users

    def _combine_group(self, branches: Sequence[Branch], replacements: dict[Expr, Expr]) -> None:
        combined = self.combined_op(branches)
        current_record().attribute(combined, *(branch[0] for branch in branches))
        depth = min(map(len, branches))
        reached = 1
        while reached < depth:
            first = branches[0][reached]
            parent = next(i for i, arg in enumerate(first.args) if arg is branches[0][reached - 1])
            if not self._level_agrees(branches, reached, parent):
                break
            combined = self.combined_following(combined, branches, reached, parent)
            current_record().attribute(combined, *(branch[reached] for branch in branches))
            reached += 1
        for branch, output in zip(branches, self.outputs(combined, branches, reached - 1), strict=True):
            current_record().attribute(output, branch[reached - 1])
            replacements[branch[reached - 1]] = output

    def _level_agrees(self, branches: Sequence[Branch], depth: int, parent: int) -> bool:
        call = branches[0][depth]
        return all(
            other[depth].op is call.op
            and other[depth].attrs == call.attrs
            and len(other[depth].args) == len(call.args)
            and other[depth].args[parent] is other[depth - 1]
            and all(self.is_argument_compatible(call, other[depth], i) for i in range(len(call.args)) if i != parent)
            for other in branches[1:]
        )


def _following(call: Call, users: Mapping[Expr, Sequence[Call]]) -> Call | None:
    """The call that goes on with a branch behind ``call``: its only user, if that is elementwise or broadcasts."""
    behind = users.get(call, ())
    if len(behind) != 1 or not isinstance(behind[0].op, Op):
        return None
    return behind[0] if fusion_pattern(behind[0].op, behind[0]) <= OpPattern.BROADCAST else None


def _branch(call: Call, users: Mapping[Expr, Sequence[Call]]) -> Branch:
    branch = [call]
    while (following := _following(branch[-1], users)) is not None:
        branch.append(following)
    return branch


def _check_branch(call: Call, users: Mapping[Expr, Sequence[Call]], checked: set[Expr]) -> None:
    """Look where the branch of a call ends, as far as it was not ``checked`` before: a long one may have many begins.

    Raises:
        PassError: it leads to a call of a function, or of an operator without a fusion pattern.
    """
    last: Call | None = call
    while last is not None and last not in checked:
        checked.add(last)
        behind = users.get(last, ())
        if len(behind) == 1 and not isinstance(behind[0].op, Op):
            raise PassError(
                f"{call.op} leads to a call of a function, where TVM asks for an operator; run DefuseOps or Inline "
                "before, which put the function's body in the place of the call",
                place=behind[0],
            )
        last = _following(last, users)


class _Substituter(ExprMutator):
    def __init__(self, replacements: dict[Expr, Expr]) -> None:
        super().__init__()
        self.replacements = replacements

    def descend(self, expr: Expr) -> Descent | None:
        replacement = self.replacements.get(expr)
        return None if replacement is None else self._replace(replacement)

    def _replace(self, replacement: Expr) -> Descent:
        # What is combined may itself stand on what another group combined.
        return (yield replacement)
