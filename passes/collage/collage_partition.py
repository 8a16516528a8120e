"""``CollagePartition``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relay_lsp.ir.expressions import Function, GlobalVar, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import is_call_to
from relay_lsp.ir.visitor import post_order

from ..compiler_functions.outline_compiler_functions import OutlineCompilerFunctionsWithExistingGlobalSymbols
from ..compiler_regions.pattern_tables import pattern_tables
from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, did_you_mean, option
from ..infrastructure.pass_kinds import is_optimizable
from ..targets import Target
from ..targets.kinds import KINDS
from .candidates import HOST, PartitionSpec
from .costs import CostEstimator, DeclaredCostEstimator, MockCostEstimator
from .extraction import rewritten
from .graph import CollageGraph
from .naming import named
from .search import KernelNames, cheapest_partition

_DEFAULT_DEPTH = 4


@declare_pass(opt_level=0, required=("InferType",))
class CollagePartition(ModulePass):
    """Give parts of functions to targets so that the whole costs least, and cut out those for external compilers.

    Targets are TVM's own, such as ``llvm``, and external compilers that have a table of patterns
    (``register_pattern_table``). Candidates of the former fuse as in ``FuseOps`` and stay where they are; those of the
    latter are matches of patterns and combinations of such, up to a depth, and become functions with the attribute
    ``Compiler``. What no target has to compile stays behind.

    TVM compiles and measures each candidate. Here an estimator says what it costs: ``target_costs`` for each call of an
    operator, as TVM's ``MockCostEstimator``; a function of your own; or, by default, what the declarations of operators
    say of their work. Devices must not be planned yet: TVM holds candidates to them. ``PassContext`` may set the depths
    and the fusion of external compilers, as in TVM; where it does not, this stands for TVM's refusal. A function of
    which more than 10,000 parts are candidates of one target is refused, where TVM goes on until memory runs out:
    ``relay.collage.tvm_max_depth`` and ``relay.collage.byoc_max_depth`` make them fewer.

    Source of the rule: ``src/relay/collage/``.

    Before (targets=["llvm", "dnnl"], target_costs={"llvm": 2, "dnnl": 1})::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) {
          %0 = nn.dense(%x, %w, units=2);
          %1 = nn.relu(%0);
          exp(%1)
        }

    After::

        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) -> Tensor[(1, 2), float32] {
          %2 = @collage_dnnl_nn_dense_nn_relu(%x, %w);
          exp(%2)
        }

        def @collage_dnnl_nn_dense_nn_relu(%FunctionVar_0: Tensor[(1, 4), float32],
            %FunctionVar_1: Tensor[(2, 4), float32], Primitive=1, Compiler="dnnl",
            global_symbol="collage_dnnl_nn_dense_nn_relu") -> Tensor[(1, 2), float32] {
          %1 = fn (%FunctionVar_01: Tensor[(1, 4), float32], %FunctionVar_11: Tensor[(2, 4), float32],
              Composite="dnnl.dense_relu") -> Tensor[(1, 2), float32] {
            %0 = nn.dense(%FunctionVar_01, %FunctionVar_11, units=2);
            nn.relu(%0)
          };
          %1(%FunctionVar_0, %FunctionVar_1)
        }
    """

    targets: tuple[str, ...] = option(default=("llvm",), doc="The targets, of which each expression goes to one.")
    cost_estimator: Callable[[IRModule, str], float] | None = option(
        default=None, doc="A function that says how many seconds a module takes on a target; from Python only."
    )
    target_costs: Mapping[str, float] | None = option(
        default=None,
        doc="What a call of an operator costs, by target; a tenth less for each further one in a function.",
    )

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with the functions of external compilers cut out.

        Raises:
            PassError: a target is not known, no target takes some expression, there are too many candidates, or
                devices are planned already.
        """
        specs = self._specs(context)
        names = KernelNames()
        changed: dict[GlobalVar, Function] = {}
        for var, function in module.functions.items():
            if not is_optimizable(function):
                continue
            _refuse_devices(function)
            graph = CollageGraph(function)
            parts = cheapest_partition(graph, specs, self._estimator(), names, module)
            new = rewritten(graph, function, parts)
            if new is not function:
                changed[var] = named(new, names)
        if not changed:
            return module
        made = self.infer_types(module.with_functions({**module.functions, **changed}), context)
        outline = OutlineCompilerFunctionsWithExistingGlobalSymbols()
        return self.infer_types(outline.transform_module(made, context), context)

    def _estimator(self) -> CostEstimator:
        if self.cost_estimator is not None:
            return self.cost_estimator
        return DeclaredCostEstimator() if self.target_costs is None else MockCostEstimator(self.target_costs)

    def _specs(self, context: PassContext) -> list[PartitionSpec]:
        config: Any = context.config
        fusion: Sequence[str] = config.get("relay.collage.byoc_fusion_style", ())
        styles = {entry.partition(".")[0]: entry.partition(".")[2] for entry in fusion}
        own_depth: int = config.get("relay.collage.tvm_max_depth", _DEFAULT_DEPTH)
        depth: int = config.get("relay.collage.byoc_max_depth", _DEFAULT_DEPTH)
        tables = pattern_tables()
        specs: list[PartitionSpec] = []
        for target in self.targets:
            if target in tables:
                specs.append(PartitionSpec(target, depth, tables[target], styles.get(target, "")))
                continue
            kind = target.partition(" ")[0]
            if kind not in KINDS:
                known = (*tables, *KINDS)
                hint = did_you_mean(kind, known) or f"; there are {', '.join(sorted(known))}"
                message = f"there is no target {target!r}, and no table of patterns of that name{hint}"
                raise PassError(message, code="option-value")
            specs.append(PartitionSpec(Target.parse(target).kind.name, own_depth))
        return [*specs, PartitionSpec(HOST)]


def _refuse_devices(function: Function) -> None:
    for expr in post_order(function):
        device = expr.virtual_device if isinstance(expr, (Var, Function)) else None
        if is_call_to(expr, "on_device", "device_copy") or (device is not None and device.target is not None):
            raise PassError("devices are planned already: run CollagePartition before PlanDevices", place=expr)
