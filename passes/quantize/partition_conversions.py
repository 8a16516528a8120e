"""``PartitionConversions``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import cast

from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar, Let, Tuple, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.type_visitor import tuple_leaves
from relay_lsp.ir.types import DataType, TensorType, TupleType
from relay_lsp.ir.visitor import children, free_vars, post_order

from ..building import de_duplicate
from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option
from ..main_function import main_of
from ..provenance import ExprMutator
from ..provenance.mutator import Descent, kept
from ..provenance.record import current_record
from .configuration import shared_option

_CONVERSIONS = frozenset(("add", "multiply", "right_shift", "clip", "round", "cast"))


@declare_pass(opt_level=1, required=("InferType",))
class PartitionConversions(ModulePass):
    """Cut the quantised ``@main`` into the conversion of inputs, the computation, and the conversion of the output.

    The parts are ``@quantize_inputs``, ``@quantized_main`` and ``@dequantize_outputs``; ``@main`` calls them one after
    the other. A parameter is converted by the sums, products, shifts, roundings, ``clip`` and ``cast`` between it and
    the first operator that is none of these; the output, by what follows the last value of a quantised dtype.
    ``@main`` must be the only function, without type parameters and attributes. It keeps its parameters, where TVM's
    takes them in the order in which they are converted, and takes no others. An input that is converted once and used
    several times is one parameter of ``@quantized_main``, where TVM gives a function that cannot be called.

    Source of the rule: ``python/tvm/relay/quantize/_partition_conversions.py``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = multiply(%x, 16f);
          %1 = cast(%0, dtype="int8");
          %2 = nn.relu(%1);
          %3 = cast(%2, dtype="float32");
          multiply(%3, 0.0625f)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          let %quantized_inputs = @quantize_inputs(%x);
          %0 = %quantized_inputs.0;
          let %quantized_outputs = @quantized_main(%0);
          let %dequantized_outputs = @dequantize_outputs(%quantized_outputs);
          %dequantized_outputs
        }

        def @quantize_inputs(%x: Tensor[(4), float32]) -> (Tensor[(4), int8],) {
          %0 = multiply(%x, 16f);
          let %x1 = cast(%0, dtype="int8");
          (%x1,)
        }

        def @quantized_main(%x: Tensor[(4), int8]) -> Tensor[(4), int8] {
          nn.relu(%x)
        }

        def @dequantize_outputs(%input: Tensor[(4), int8]) -> Tensor[(4), float32] {
          %0 = cast(%input, dtype="float32");
          multiply(%0, 0.0625f)
        }
    """

    dtype_input: DataType = shared_option("dtype_input")
    dtype_weight: DataType = shared_option("dtype_weight")
    dtype_activation: DataType = shared_option("dtype_activation")
    fully_integral: bool = option(
        default=False,
        doc="Whether floats in the computation, or other operators than conversions at the borders, are an error.",
    )

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module of the four functions.

        Raises:
            PassError: ``@main`` is not the only function, or is of another form; two inputs are converted into one
                value; the output depends on several quantised values; or floats stay, with ``fully_integral``.
        """
        var, main = main_of(module)
        if len(module.functions) != 1 or main.type_params or main.attrs:
            message = "conversions are cut out of a module whose only function is @main, without attributes"
            raise PassError(message, place=main)
        dtypes = frozenset((self.dtype_input, self.dtype_weight, self.dtype_activation))
        suffix = _SuffixCutter(dtypes)
        output = suffix.visit(main.body)
        middle, suffix_input = (main.body, _var("input", main.body)) if suffix.cut is None else suffix.cut
        after = Function((suffix_input,), suffix_input if suffix.cut is None else output, main.ret_type)
        others = free_vars(after)
        if others:
            raise PassError(f"the conversion of the output also needs {others[0]!r}", place=others[0])
        prefix = _PrefixCutter(middle, main)
        middle_body = prefix.visit(middle)
        inner = Function(tuple(free_vars(middle_body)), middle_body, middle.checked_type)
        before = prefix.conversions(inner.params)
        if set(inner.params).intersection(before.params):
            inner = cast("Function", de_duplicate(inner))  # A variable is bound by one function.
        record = current_record()
        for function in (before, inner, after):
            record.record(function, main)
        parts = {GlobalVar(name): part for name, part in zip(_NAMES, (before, inner, after), strict=True)}
        entry = _calling(list(parts), [prefix.passed_on.get(param, param) for param in before.params], inner, main)
        record.attribute(entry, main)
        made = IRModule({var: entry, **parts}, module.type_definitions, module.attrs)
        typed = self.infer_types(made, context)
        if self.fully_integral:
            _require_integers(typed, dtypes)
        return typed


_NAMES = ("quantize_inputs", "quantized_main", "dequantize_outputs")


def _var(name: str, like: Expr) -> Var:
    """A variable for what ``like`` gives."""
    var = Var(name, like.checked_type)
    current_record().record(var, like)
    return var


def _is_conversion(call: Call) -> bool:
    return isinstance(call.op, Op) and call.op.name in _CONVERSIONS


class _SuffixCutter(ExprMutator):
    """Puts a variable in the place of the last value of a quantised dtype."""

    def __init__(self, dtypes: Collection[str]) -> None:
        super().__init__()
        self._dtypes = dtypes
        self.cut: tuple[Expr, Var] | None = None

    def descend(self, expr: Expr) -> Descent | None:
        """What is quantised is cut off."""
        if isinstance(expr, (Op, GlobalVar, Function)):
            return kept(expr)
        type = expr.checked_type
        if not isinstance(type, TensorType) or type.dtype not in self._dtypes:
            return None
        if self.cut is not None:
            raise PassError("the output depends on several quantised values; only one can be converted", place=expr)
        self.cut = expr, _var("input", expr)
        return kept(self.cut[1])


class _PrefixCutter(ExprMutator):
    """Puts variables in the place of converted parameters."""

    def __init__(self, body: Expr, main: Function) -> None:
        super().__init__()
        self._main = main
        self._below = _converted_params(body, frozenset(main.params))
        self._cuts: dict[Expr, tuple[Var, Var]] = {}
        self.passed_on: dict[Var, Var] = {}
        """What :meth:`conversions` takes in the place of parameters that are not converted."""

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """A call that is no conversion takes its operands converted."""
        if _is_conversion(pre):
            return post
        args = [self._cut(arg) for arg in pre.args]
        if all(new is old for new, old in zip(args, post.args, strict=True)):
            return post
        return Call(post.op, args, post.attrs, post.type_args, post.span)

    def _cut(self, arg: Expr) -> Expr:
        params = self._below[arg]
        if not params:
            return self.memo[arg]
        if len(params) > 1:
            raise PassError("two inputs are converted into one value", place=arg)
        if arg not in self._cuts:
            (param,) = params
            self._cuts[arg] = _var(param.name_hint, arg), _var(param.name_hint, arg)
        return self._cuts[arg][0]

    def conversions(self, params: Collection[Var]) -> Function:
        """The function that converts what ``params`` take, which are free in what was cut."""
        record = current_record()
        bindings = [(bound, arg) for arg, (_, bound) in self._cuts.items()]
        converted = dict(self._cuts.values())
        passed_on = {param: _var(param.name_hint, param) for param in params if param not in converted}
        self.passed_on.update((new, param) for param, new in passed_on.items())
        body: Expr = Tuple(tuple({**converted, **passed_on}[param] for param in params))
        record.record(body, self._main.body)
        for bound, value in reversed(bindings):
            body = Let(bound, value, body)
            record.record(body, value)
        types = [param.type_annotation for param in params]
        result = TupleType(tuple(type for type in types if type is not None))
        return Function(tuple(free_vars(body)), body, result)


def _converted_params(body: Expr, params: Collection[Var]) -> Mapping[Expr, frozenset[Var]]:
    """The parameters that each expression converts, without any other operator in between."""
    below: dict[Expr, frozenset[Var]] = {}
    for expr in post_order(body):
        if isinstance(expr, Var):
            below[expr] = frozenset((expr,)) if expr in params else frozenset()
        elif isinstance(expr, Call) and not _is_conversion(expr):
            below[expr] = frozenset()
        else:
            below[expr] = frozenset[Var]().union(*(below[part] for part in children(expr)))
    return below


def _calling(names: list[GlobalVar], converted: Collection[Var], inner: Function, main: Function) -> Function:
    """``@main`` that calls the parts one after the other; the first of them with the parameters ``converted``."""
    params = {param: Var(param.name_hint, param.type_annotation) for param in main.params}
    for param, new in params.items():
        current_record().record(new, param)
    inputs, outputs, result = (Var(name) for name in ("quantized_inputs", "quantized_outputs", "dequantized_outputs"))
    fields = tuple(TupleGetItem(inputs, index) for index in range(len(inner.params)))
    body = Let(result, Call(names[2], (outputs,)), result)
    given = tuple(params[param] for param in converted)
    body = Let(inputs, Call(names[0], given), Let(outputs, Call(names[1], fields), body))
    return Function(tuple(params.values()), body, main.ret_type)


def _require_integers(module: IRModule, dtypes: Collection[str]) -> None:
    for name in (_NAMES[0], _NAMES[2]):
        for expr in post_order(module[name]):
            if isinstance(expr, Call) and not _is_conversion(expr):
                raise PassError(f"@{name} does more than to convert", place=expr)
    for expr in post_order(module[_NAMES[1]]):
        leaves = () if expr.checked_type is None else tuple_leaves(expr.checked_type)
        if any(isinstance(leaf, TensorType) and leaf.dtype not in dtypes for leaf, _ in leaves):
            raise PassError("this is not computed on integers; quantise it, or let floats stay", place=expr)
