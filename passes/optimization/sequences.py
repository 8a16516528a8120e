"""The passes of a build, in order.

Source of the rule: ``GetPassPrefix`` in ``src/relay/backend/utils.cc``, ``OptimizeImpl`` in
``src/relay/backend/build_module.cc``, ``OptimizeModuleImpl`` and ``MemoryOpt`` in ``src/relay/backend/vm/compiler.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..infrastructure import Pass, PassContext, Sequential, create
from ..targets import Target
from ..targets.kinds import CPU

__all__ = ["graph_passes", "graph_passes_afterwards", "vm_passes"]

_LEAST_BRANCHES = 3
"""How many parallel operators are combined at least."""

_SCHEDULERS = {
    "relay.backend.use_auto_scheduler": "AutoSchedulerLayoutRewrite",
    "relay.backend.use_meta_schedule": "MetaScheduleLayoutRewrite",
}


def _prefix(targets: Sequence[Target], is_vm: bool) -> list[Pass]:
    """What every build begins with; legalising and layouts only where there is one target."""
    is_homogeneous = len(targets) == 1
    names = ["SimplifyExpr", "CanonicalizeCast", "CanonicalizeOps", "FlattenAtrousConv"]
    if is_homogeneous:
        names += [*(() if is_vm else ("InferType",)), "AlterOpLayout", "SimplifyExprPostAlterOp"]
    return [
        create("RemoveUnusedFunctions", entry_functions=["main"]),
        create("ToBasicBlockNormalForm"),
        Sequential([create("QnnLegalize"), create("QnnCanonicalize")], name="qnn.Legalize"),
        *([create("Legalize")] if is_homogeneous else []),
        create("SimplifyInference"),
        *([create("EtaExpand", expand_constructor=True)] if is_vm else []),
        create("EliminateCommonSubexpr"),
        *(
            create(f"CombineParallel{kind}", min_num_branches=_LEAST_BRANCHES)
            for kind in ("Conv2D", "Dense", "BatchMatmul")
        ),
        create("FoldConstant"),
        create("FoldScaleAxis"),
        *map(create, names),
        create("FastMath"),
        create("FoldConstant"),
    ]


def _layout_rewrites(targets: Sequence[Target], context: PassContext) -> list[Pass]:
    """The passes for tuned layouts, where the context asks for them and the target is one that has them."""
    if len(targets) != 1 or not (targets[0].device_type == CPU or targets[0].text("device") == "mali"):
        return []
    wanted = [create(name) for option, name in _SCHEDULERS.items() if context.get_config(option, False)]
    return [
        item
        for rewrite in wanted
        if context.pass_enabled(rewrite.info)
        for item in (rewrite, create("DefuseOps"), create("FoldConstant"), create("FuseOps"))
    ]


def _plan(targets: Sequence[Target]) -> Pass:
    return create("PlanDevices", targets=tuple(map(str, targets)))


def graph_passes(targets: Sequence[Target]) -> Sequence[Pass]:
    """The sequence that a build for the graph executor or ahead of time runs as the context's level asks for."""
    split = [create("SplitArgs", max_function_args=_most_arguments(targets[0]))] if len(targets) == 1 else []
    return [*_prefix(targets, is_vm=False), *split, _plan(targets), create("FuseOps")]


def graph_passes_afterwards(targets: Sequence[Target], context: PassContext) -> Sequence[Pass]:
    """The passes that such a build runs after that sequence, at every level."""
    names = ("InferType", "Inline", "InferType", "LabelOps", "AnnotateMemoryScope")
    return [*_layout_rewrites(targets, context), *map(create, names)]


def vm_passes(targets: Sequence[Target], context: PassContext) -> Sequence[Pass]:
    """The sequence that a build for the virtual machine runs, but for what lowers operators to kernels.

    Kernels have no text in Relay: where TVM has lowered functions, the fused functions stand here, and memory is
    allocated for their calls.
    """
    memory = ("ManifestAlloc", "FoldConstant", "ManifestLifetimes")
    return [
        *_prefix(targets, is_vm=True),
        _plan(targets),
        create("FuseOps"),
        *_layout_rewrites(targets, context),
        *map(create, ("ToANormalForm", "InferType", "LambdaLift")),
        create("DeadCodeElimination", inline_once=False),
        create("LabelOps"),
        create("Inline"),
        Sequential([create("RemoveUnusedFunctions", entry_functions=["main"]), *map(create, memory)]),
        create("InferType"),
    ]


def _most_arguments(target: Target) -> int:
    most = target.attributes.get("max_function_args", -1)
    return most if isinstance(most, int) else -1
