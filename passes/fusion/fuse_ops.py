"""``FuseOps``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relay_lsp.ir.expressions import AttributeValue, Call, Constant, Expr, Function, Tuple, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import TensorType, Type
from relay_lsp.ir.visitor import post_order

from ..infrastructure import FunctionPass, PassContext, declare_pass, option
from ..provenance import ExprMutator
from ..provenance.mutator import Descent, kept
from .forward_graph import ForwardGraph
from .groups import FusionGroup, partition

_MOST_FUSED = 256


@declare_pass(opt_level=0, required=("InferType",))
class FuseOps(FunctionPass):
    """Gather operators that can run as one kernel into functions marked ``Primitive=1``.

    A value joins the operator to which all its uses lead where the patterns on the way admit it; level 0 puts every
    operator into a function of its own. The context's ``relay.FuseOps.max_depth`` bounds the operators of a kernel
    (256), and ``relay.FuseOps.link_params`` puts constants inside the functions. Source of the rule:
    ``src/relay/transforms/fuse_ops.cc``, ``src/relay/analysis/graph_partitioner.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = exp(%x);
          negative(%0)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          %1 = fn (%x1: Tensor[(4), float32], Primitive=1) -> Tensor[(4), float32] {
            %0 = exp(%x1);
            negative(%0)
          };
          %1(%x)
        }
    """

    fuse_opt_level: int = option(
        default=-1,
        doc="How far to fuse: 0 not at all, 1 and more as far as the patterns admit, -1 by the context's level.",
    )
    name_parameters: bool = option(
        default=True,
        doc="Whether a kernel's parameter is named after the variable that it stands for, and others are numbered "
        "upwards through the function; otherwise those of each kernel begin at %p0, as TVM's do.",
    )

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with its operators gathered into kernels.

        Raises:
            PassError: TVM has no fusion pattern for an operator.
        """
        level = context.opt_level if self.fuse_opt_level == -1 else self.fuse_opt_level
        most = context.get_config("relay.FuseOps.max_depth", _MOST_FUSED)
        link = context.get_config("relay.FuseOps.link_params", False)
        groups = partition(ForwardGraph(function), level, most)
        names = _ParameterNames(function, groups, link) if self.name_parameters else None
        return _Fuser(groups, link, names).visit_function(function)


def _runs(op: Op) -> bool:
    """Whether calls of ``op`` become kernels; those of quantised operators do, once they are made of plain ones."""
    return not op.non_computational or (op.name.startswith("qnn.") and op.name != "qnn.conv2d_transpose")


class _ParameterNames:
    """Names for the parameters of all kernels of a function: no two are the same, and none is a name of the function.

    They are given out kernel by kernel as kernels become whole, which is the order of a text: one that is begun early,
    and needs another one later, comes behind that.
    """

    def __init__(self, function: Function, groups: Mapping[Expr, FusionGroup], link_params: bool) -> None:
        order = list(post_order(function))
        self._taken = {expr.name_hint for expr in order if isinstance(expr, Var)}
        self._next: dict[str, int] = {}
        self._names: dict[tuple[FusionGroup, Expr], str] = {}
        inputs: dict[FusionGroup, dict[Expr, None]] = {}
        for expr in order:
            if expr not in groups:
                continue
            group = groups[expr].find()
            for operand in _operands(expr, groups):
                own = groups.get(operand)
                is_inside = own is not None and own.find() is group
                if not is_inside and not (link_params and isinstance(operand, Constant)):
                    inputs.setdefault(group, {})[operand] = None
            if group.root_expr is expr:
                self._names.update(((group, operand), self._name_for(operand)) for operand in inputs.pop(group, ()))

    def name_for(self, argument: Expr, group: FusionGroup) -> str:
        """The name of the parameter of a kernel that stands for ``argument``."""
        return self._names.get((group, argument)) or self._name_for(argument)

    def _name_for(self, argument: Expr) -> str:
        stem, number = "p", 0
        if isinstance(argument, Var):
            stem, number = argument.name_hint, 1
            if stem[-1:].isdigit():
                stem += "_"
        number = self._next.get(stem, number)
        while f"{stem}{number}" in self._taken:
            number += 1
        self._next[stem] = number + 1
        name = f"{stem}{number}"
        self._taken.add(name)
        return name


def _operands(expr: Expr, groups: Mapping[Expr, FusionGroup]) -> Sequence[Expr]:
    """What an expression of a kernel is computed from; nothing where the expression is in none."""
    if isinstance(expr, Call) and isinstance(expr.op, Op) and _runs(expr.op):
        return () if expr.op.name == "annotation.stop_fusion" else expr.args
    if isinstance(expr, Tuple) and groups[expr].find().root_expr is not expr:
        return expr.fields
    if isinstance(expr, TupleGetItem) and not _is_alone(expr, groups):
        return (expr.tuple_value,)
    return ()


def _is_alone(projection: TupleGetItem, groups: Mapping[Expr, FusionGroup]) -> bool:
    """Whether a projection is in no kernel: it would be all of its own."""
    group = groups[projection].find()
    return group.root_expr is projection and groups[projection.tuple_value].find() is not group


class _Kernel:
    """The parameters of a kernel under construction, and the arguments that it is called with."""

    def __init__(self) -> None:
        self.params: dict[Expr, Var] = {}

    def param(self, argument: Expr, type: Type | None, name: str | None) -> Var:
        """The parameter that stands for ``argument``; without a ``name``, its number among them is its name."""
        if argument not in self.params:
            self.params[argument] = Var(name or f"p{len(self.params)}", type)
        return self.params[argument]


class _Fuser(ExprMutator):
    def __init__(self, groups: dict[Expr, FusionGroup], link_params: bool, names: _ParameterNames | None) -> None:
        super().__init__()
        self.names = names
        self.groups = groups
        self.link_params = link_params
        self.kernels: dict[FusionGroup, _Kernel] = {}

    def descend(self, expr: Expr) -> Descent | None:
        if isinstance(expr, Function) and (expr.is_primitive or "Compiler" in expr.attrs):
            return kept(expr)
        if isinstance(expr, Call) and isinstance(expr.op, Op) and _runs(expr.op):
            return self._fuse_call(expr)
        if isinstance(expr, Tuple) and self.groups[expr].find().root_expr is not expr:
            return self._fuse_tuple(expr)
        if isinstance(expr, TupleGetItem):
            return None if _is_alone(expr, self.groups) else self._fuse_projection(expr)
        return None

    def _fuse_call(self, call: Call) -> Descent:
        if isinstance(call.op, Op) and call.op.name == "annotation.stop_fusion":
            return (yield call.args[0])
        group = self.groups[call].find()
        rewritten: list[Expr] = []
        for arg in call.args:
            rewritten.append((yield arg))
        args = tuple(self._argument(old, new, group) for old, new in zip(call.args, rewritten, strict=True))
        new = self.derive(Call(call.op, args, call.attrs, call.type_args, call.span), call)
        return self._finish_kernel(group, new, call)

    def _fuse_tuple(self, expr: Tuple) -> Descent:
        group = self.groups[expr].find()
        rewritten: list[Expr] = []
        for field in expr.fields:
            rewritten.append((yield field))
        fields = tuple(self._argument(old, new, group) for old, new in zip(expr.fields, rewritten, strict=True))
        return Tuple(fields, expr.span)

    def _fuse_projection(self, expr: TupleGetItem) -> Descent:
        group = self.groups[expr].find()
        value = self._argument(expr.tuple_value, (yield expr.tuple_value), group)
        new = self.derive(TupleGetItem(value, expr.index, expr.span), expr)
        return self._finish_kernel(group, new, expr)

    def _argument(self, old: Expr, new: Expr, group: FusionGroup) -> Expr:
        """``new`` where it is computed inside the kernel, and otherwise a parameter that stands for it."""
        own = self.groups.get(old)
        if (own is not None and own.find() is group) or (self.link_params and isinstance(new, Constant)):
            return new
        kernel = self.kernels.setdefault(group, _Kernel())
        known = new in kernel.params
        name = self.names.name_for(old, group) if self.names is not None and not known else None
        param = kernel.param(new, old.checked_type, name)
        return param if known else self.derive(param, old)

    def _finish_kernel(self, group: FusionGroup, body: Expr, old: Expr) -> Expr:
        if group.root_expr is not old:
            return body
        kernel = self.kernels.get(group) or _Kernel()
        function = Function(tuple(kernel.params.values()), body, old.checked_type, (), _kernel_attributes(body))
        return Call(function, tuple(kernel.params))


def _kernel_attributes(body: Expr) -> dict[str, AttributeValue]:
    calls = [expr for expr in post_order(body) if isinstance(expr, Call)]
    attributes: dict[str, AttributeValue] = {"Primitive": int(bool(calls))}
    if calls and _only_reshapes(body, calls):
        attributes["relay.reshape_only"] = 1
    return attributes


def _only_reshapes(body: Expr, calls: list[Call]) -> bool:
    if not all(isinstance(call.op, Op) and call.op.reshapes_only for call in calls):
        return False
    return all(isinstance(expr.type_annotation, TensorType) for expr in post_order(body) if isinstance(expr, Var))
