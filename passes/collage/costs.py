"""What a candidate costs, in seconds, by an estimator.

TVM compiles a candidate and measures it on the device. Here nothing is compiled: an estimator says it, which can be the
user's.

Source of the rule: ``src/relay/collage/cost_estimator.cc``, ``mock_cost_estimator.cc``, ``custom_cost_estimator.cc``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from relay_lsp.ir.expressions import Call, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.costs import call_cost, type_bytes
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import post_order

from ..infrastructure import PassError, did_you_mean

__all__ = ["CostEstimator", "DeclaredCostEstimator", "MockCostEstimator", "Speed"]


class CostEstimator(Protocol):
    """``estimate(module, target)``: how long ``@main`` takes on a target, which is called by its name.

    ``math.inf`` says that the target cannot compute it.
    """

    def __call__(self, module: IRModule, target: str, /) -> float:
        """The seconds that ``@main`` of ``module`` takes."""
        ...


@dataclass
class MockCostEstimator:
    """Every call of an operator costs as much as its target says, each further one in a function a tenth less.

    As TVM's of this name; ``max_estimates`` is how many estimates may be asked for, and 0 sets no limit.
    """

    target_costs: Mapping[str, float]
    max_estimates: int = 0
    estimates: int = field(default=0, init=False)

    def __call__(self, module: IRModule, target: str) -> float:
        """The cost of a module.

        Raises:
            PassError: the target has no cost, or there have been too many estimates.
        """
        if target not in self.target_costs:
            hint = did_you_mean(target, self.target_costs)
            raise PassError(f"target_costs says nothing of {target}{hint}")
        if self.max_estimates and self.estimates >= self.max_estimates:
            raise PassError(f"at most {self.max_estimates} different candidates were expected")
        self.estimates += 1
        counts = [sum(map(_is_operator_call, post_order(each.body))) for each in module.functions.values()]
        return self.target_costs[target] * sum(_FUSION_BENEFIT**place for count in counts for place in range(count))


_FUSION_BENEFIT: Final = 0.9


def _is_operator_call(expr: object) -> bool:
    return isinstance(expr, Call) and isinstance(expr.op, Op)


@dataclass(frozen=True)
class Speed:
    """What a target does in a second, and what it takes to start a kernel there."""

    flops: float
    """Floating-point operations."""
    bytes: float
    """Bytes from and to memory."""
    launch: float
    """Seconds."""


_CPU: Final = Speed(5e10, 2e10, 1e-6)
_GPU: Final = Speed(5e12, 4e11, 1e-5)
_GPUS: Final = frozenset(("cuda", "rocm", "opencl", "vulkan", "metal", "tensorrt", "cutlass", "cublas", "cudnn"))


@dataclass(frozen=True)
class DeclaredCostEstimator:
    """What the declarations of operators say of their work, at the ``speeds`` of targets.

    A function takes as long as its operations, or as its inputs and results in memory, whichever is longer; what passes
    between its operators stays in the processor. Work that is not declared counts for its memory alone. Targets without
    a speed are a processor of 50 gigaflops and 20 gigabytes a second, or a graphics card.
    """

    speeds: Mapping[str, Speed] = field(default_factory=dict[str, Speed])

    def __call__(self, module: IRModule, target: str) -> float:
        """The seconds of a module."""
        speed = self.speeds.get(target) or (_GPU if target in _GPUS else _CPU)
        main = module["main"]
        flops = sum(
            call_cost(expr).flops or 0
            for function in module.functions.values()
            for expr in post_order(function.body)
            if isinstance(expr, Call) and isinstance(expr.op, Op)
        )
        moved = sum(type_bytes(param.type_annotation) or 0 for param in main.params) + _result_bytes(main)
        return speed.launch + max(flops / speed.flops, moved / speed.bytes)


def _result_bytes(function: Function) -> int:
    return type_bytes(function.ret_type or function.body.checked_type) or 0
