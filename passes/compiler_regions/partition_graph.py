"""``PartitionGraph``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from relay_lsp.ir.expressions import AttributeValue, Call, Constant, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import TupleType, Type

from ..binding import Renamer, bind
from ..infer_type import InferType
from ..infrastructure import ModulePass, PassContext, declare_pass, option
from ..provenance import ExprMutator
from ..provenance.mutator import Descent
from .annotations import compiler_end, compiler_of, is_begin, is_end
from .regions import Region, RegionSet


@declare_pass(opt_level=0, name="sequential")
class PartitionGraph(ModulePass):
    """Move each region of an external compiler into a function of the module, and call that function in its place.

    Annotations of ``default`` are taken away first, and a tuple that leaves a region leaves it field by field. The
    function is named after the module, the compiler, the function that it was taken from and the number of the region.
    What an integration of TVM does to its functions besides (``relay.ext.NAME.optimize``) is not done here. Source of
    the rule: ``src/relay/transforms/partition_graph.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = annotation.compiler_begin(%x, meta[relay.attrs.CompilerAttrs][0]);
          %1 = nn.relu(%0);
          annotation.compiler_end(%1, meta[relay.attrs.CompilerAttrs][1])
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.attrs.CompilerAttrs"], "data": [2]},
            {"type_key": "Array", "data": [3, 4]},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}}
          ],
          "b64ndarrays": [],
          "attrs": {"tvm_version": "0.12.0"}
        }

    After::

        def @tvmgen_default_dnnl_main_0(%dnnl_0_i0: Tensor[(4), float32], global_symbol="tvmgen_default_dnnl_main_0",
                                        Primitive=1, Compiler="dnnl", Inline=1) -> Tensor[(4), float32] {
          nn.relu(%dnnl_0_i0)
        }

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          @tvmgen_default_dnnl_main_0(%x)
        }
    """

    mod_name: str = option(default="default", doc="Name of the module, in front of the name of each function.")
    bind_constants: bool = option(default=True, doc="Move constants that enter a region into its function.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with a function for each region.

        Raises:
            PassError: the annotations do not mark regions.
        """
        functions = {
            var: _AnnotationNormalizer().visit_function(function) for var, function in module.functions.items()
        }
        typed = InferType()(module.with_functions(functions), context)
        prefix = f"tvmgen_{self.mod_name}" if self.mod_name else "tvmgen"
        made: dict[GlobalVar, Function] = {}
        partitioned: dict[GlobalVar, Function] = {}
        for var, function in typed.functions.items():
            partitioner = _Partitioner(function, var.name_hint, self.bind_constants, made)
            partitioned[var] = partitioner.visit_function(function)
        return _mangle(module.with_functions({**partitioned, **made}), prefix)


class _AnnotationNormalizer(ExprMutator):
    """Ends on each field of a tuple instead of on the tuple; no annotations of the default compiler."""

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if not (is_begin(pre) or is_end(pre)):
            return post
        value, compiler = post.args[0], compiler_of(pre)
        if compiler == "default":
            return value
        if is_end(pre) and isinstance(value, Tuple):
            return Tuple(tuple(compiler_end(part, compiler) for part in value.fields), value.span)
        return post


@dataclass
class _Parts:
    """What is known of the function of a region while the graph is walked."""

    params: dict[Var, Expr] = field(default_factory=dict[Var, Expr])
    param_of: dict[Expr, Var] = field(default_factory=dict[Expr, Var])
    results: dict[Expr, Expr] = field(default_factory=dict[Expr, Expr])


class _Partitioner(ExprMutator):
    def __init__(self, function: Function, name: str, bind_constants: bool, made: dict[GlobalVar, Function]) -> None:
        super().__init__()
        self.regions = RegionSet(function)
        self.name = name
        self.bind_constants = bind_constants
        self.made = made
        self.parts: dict[Region, _Parts] = {}

    def descend(self, expr: Expr) -> Descent | None:
        return self._leave(expr) if is_end(expr) else None

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        region = self.regions.region_of(pre) if is_begin(pre) else None
        if region is None:
            return post
        parts = self.parts.setdefault(region, _Parts())
        origin = pre.args[0]
        while is_begin(origin) or is_end(origin):
            origin = origin.args[0]
        param = parts.param_of.get(origin)
        if param is None:
            index = next(i for i, begin in enumerate(region.inputs) if begin is pre)
            param = Var(f"{region.target}_{region.identity}_i{index}", pre.checked_type)
            parts.param_of[origin] = param
            parts.params[param] = post.args[0]
        return param

    def _leave(self, end: Call) -> Descent:
        region = self.regions.region_of(end)
        yield end.args[0]
        if region is None:
            return end
        parts = self.parts.setdefault(region, _Parts())
        if not parts.results:
            outputs = list(dict.fromkeys(output.args[0] for output in region.outputs))
            bodies: list[Expr] = []
            for output in outputs:
                bodies.append((yield output))
            called = self._call(region, parts, bodies, end, _result_type(outputs))
            self.derive(called, *outputs)
            if len(outputs) == 1:
                parts.results[outputs[0]] = called
            else:
                for index, output in enumerate(outputs):
                    parts.results[output] = self.derive(TupleGetItem(called, index), output)
        return parts.results[end.args[0]]

    def _call(self, region: Region, parts: _Parts, bodies: Sequence[Expr], end: Call, result: Type | None) -> Call:
        bound: dict[Var, Expr] = {}
        if self.bind_constants:
            bound = {param: value for param, value in parts.params.items() if _is_constant(value)}
        body = bodies[0] if len(bodies) == 1 else self.derive(Tuple(tuple(bodies)), end)
        params = tuple(param for param in parts.params if param not in bound)
        name = f"{region.target}_{self.name}_{region.identity}"
        attrs: dict[str, AttributeValue] = {
            "global_symbol": name,
            "Primitive": 1,
            "Compiler": region.target,
            "Inline": 1,
        }
        function = Function(params, bind(body, bound) if bound else body, result, (), attrs)
        var = GlobalVar(name)
        if self.record.remarks is not None:
            self.record.remarks.passed("partitioned", end, f"its region became a function for {region.target}")
        self.derive(function, end)
        self.derive(var, end)
        self.made[var] = function
        return Call(var, tuple(parts.params[param] for param in params))


def _result_type(outputs: Sequence[Expr]) -> Type | None:
    types = [output.checked_type for output in outputs]
    if len(types) == 1:
        return types[0]
    known = tuple(type for type in types if type is not None)
    return TupleType(known) if len(known) == len(types) else None


def _is_constant(expr: Expr) -> bool:
    if isinstance(expr, Tuple):
        return all(isinstance(part, Constant) for part in expr.fields)
    return isinstance(expr, Constant)


def _mangle(module: IRModule, prefix: str) -> IRModule:
    """The module with ``prefix`` before the names of the functions for external compilers."""
    renamed = {
        var: GlobalVar(re.sub(r"\W", "_", f"{prefix}_{var.name_hint}"))
        for var, function in module.functions.items()
        if "Compiler" in function.attrs
    }
    if not renamed:
        return module
    renamer = Renamer(renamed)
    functions: dict[GlobalVar, Function] = {}
    for var, function in module.functions.items():
        new = renamer.visit_function(function)
        if var in renamed:
            renamer.derive(renamed[var], var)
            attrs = {**new.attrs, "global_symbol": renamed[var].name_hint}
            symbol = Function(new.params, new.body, new.ret_type, new.type_params, attrs, new.span, new.virtual_device)
            renamer.derive(symbol, new)
            new = symbol
        functions[renamed.get(var, var)] = new
    return module.with_functions(functions)
