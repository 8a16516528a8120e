"""``tvm.relay.analysis``: questions about expressions and modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, Match, Pattern, Tuple, TupleGetItem, Var
from relay_lsp.ir.inference import unmatched_cases as _unmatched_cases
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import structural_hash
from relay_lsp.ir.type_visitor import distinct_parts
from relay_lsp.ir.types import FuncType, TensorType, Type, TypeVar
from relay_lsp.ir.visitor import free_type_vars as _free_type_vars
from relay_lsp.ir.visitor import free_vars, post_order, type_vars
from relay_lsp.ir.well_formed import check_well_formed
from relay_lsp.passes import create
from relay_lsp.passes.features import Feature, detect_features
from relay_lsp.passes.infrastructure import PassContext, Sequential
from relay_lsp.passes.precision import layer_depths

from ...modules import MutableModule, frozen

__all__ = [
    "all_dtypes",
    "all_type_vars",
    "all_vars",
    "bound_type_vars",
    "bound_vars",
    "check_constant",
    "count_layers",
    "detect_feature",
    "extract_fused_functions",
    "extract_intermdeiate_expr",
    "free_type_vars",
    "free_vars",
    "list_op_freqs",
    "post_order_visit",
    "unmatched_cases",
    "well_formed",
]


def post_order_visit(expr: Expr, fvisit: Callable[[Expr], object]) -> None:
    """Call ``fvisit`` with every expression below ``expr`` and then itself, each once."""
    for each in post_order(expr):
        fvisit(each)


def all_vars(expr: Expr) -> list[Var]:
    """Every variable of ``expr``, bound or free, in the order of the first use."""
    return [each for each in post_order(expr) if isinstance(each, Var)]


def well_formed(expr: IRModule | Expr) -> bool:
    """Whether no variable is bound twice, or used where it is not bound."""
    return not check_well_formed(expr)


def list_op_freqs(mod: IRModule) -> dict[str, int]:
    """How often each operator is called in the functions of a module."""
    calls = (each for function in mod.functions.values() for each in post_order(function) if isinstance(each, Call))
    return dict(Counter(call.op.name for call in calls if isinstance(call.op, Op)))


def bound_vars(expr: Expr) -> list[Var]:
    """Every variable that ``expr`` binds, in the order of the first use."""
    free = set(free_vars(expr))
    return [each for each in all_vars(expr) if each not in free]


def free_type_vars(expr: Expr | Type, mod: IRModule | None = None) -> list[TypeVar]:
    """The type variables of an expression or a type that no function below it binds."""
    del mod
    return type_vars(expr) if isinstance(expr, Type) else _free_type_vars(expr)


def bound_type_vars(expr: Expr | Type, mod: IRModule | None = None) -> list[TypeVar]:
    """The type parameters of the functions, or of the types of functions, below an expression or a type; in order."""
    del mod
    if isinstance(expr, Expr):
        binders = [each.type_params for each in post_order(expr) if isinstance(each, Function)]
    else:
        binders = [each.type_params for each in distinct_parts(expr) if isinstance(each, FuncType)]
    return list(dict.fromkeys(var for bound in binders for var in bound))


def all_type_vars(expr: Expr | Type, mod: IRModule | None = None) -> list[TypeVar]:
    """Every type variable of an expression or a type, bound or free."""
    return list(dict.fromkeys((*bound_type_vars(expr, mod), *free_type_vars(expr, mod))))


def count_layers(expr: Expr | IRModule, valid_ops: Sequence[str]) -> int:
    """How many calls of some operators are in the deepest chain of them in an expression, or in ``@main``."""
    root = expr["main"] if isinstance(expr, IRModule) else expr
    return max(layer_depths(root, valid_ops).values(), default=-1) + 1


def extract_fused_functions(mod: IRModule) -> dict[str, Function]:
    """The functions that fusing makes of a module, each once, by a number that tells them apart.

    Source of the rule: ``src/relay/analysis/extract_fused_functions.cc``.
    """
    with PassContext(opt_level=3):
        fused = Sequential([create("SimplifyInference"), create("FuseOps", fuse_opt_level=3)])(frozen(mod))
    functions = (each for each in post_order(fused["main"]) if isinstance(each, Function))
    return {str(structural_hash(each)): each for each in functions if each.attrs.get("Primitive")}


def extract_intermdeiate_expr(mod: IRModule, expr_id: int) -> MutableModule:
    """A module of one value of ``@main`` and what that is made of; TVM spells the name so.

    ``expr_id`` counts calls, tuples and projections from the first that is evaluated on.

    Raises:
        IndexError: there are fewer of them.

    Source of the rule: ``src/relay/analysis/extract_intermediate_expr.cc``.
    """
    values = [each for each in post_order(mod["main"]) if isinstance(each, (Call, Tuple, TupleGetItem))]
    if not 0 <= expr_id < len(values):
        raise IndexError(f"@main has {len(values)} values, and none with the number {expr_id}")
    return MutableModule.from_expr(values[expr_id])


def all_dtypes(expr: Expr) -> set[str]:
    """The dtypes of all tensors below a typed expression."""
    types = (each.checked_type for each in post_order(expr))
    return {str(type.dtype) for type in types if isinstance(type, TensorType)}


def check_constant(expr: Expr) -> bool:
    """Whether ``expr`` is a constant, or a tuple of such."""
    return all(isinstance(each, (Constant, Tuple)) for each in post_order(expr))


def detect_feature(expr: Expr | IRModule) -> set[Feature]:
    """The features of Relay that an expression or a module uses."""
    roots = list(expr.functions.values()) if isinstance(expr, IRModule) else [expr]
    return {feature for root in roots for feature in detect_features(root)}


def unmatched_cases(match: Match, mod: IRModule | None = None) -> list[Pattern]:
    """What no arm of a match takes."""
    return _unmatched_cases(match, mod.type_definitions if mod is not None else {})
