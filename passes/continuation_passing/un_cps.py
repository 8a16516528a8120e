"""``un_cps``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.type_visitor import substitute
from relay_lsp.ir.types import FuncType, Type, TypeVar

from ..features import Feature, refuse_features
from ..infrastructure import ModulePass, PassContext, PassError, declare_pass
from ..main_function import replace_main
from ..provenance import current_record


@declare_pass(opt_level=1, required=("InferType",))
class un_cps(ModulePass):  # noqa: N801 - TVM's name
    """Take the continuation away from ``@main``: it calls what it was with one that returns its argument.

    TVM's function of this name takes any function; here it is a pass over the module's entry. The arguments and the
    result, where they are functions themselves, stay in continuation-passing style. Source of the rule:
    ``src/relay/transforms/to_cps.cc``.

    Before::

        def @main[answer](%x: Tensor[(4), float32], %k: fn (Tensor[(4), float32]) -> answer) -> answer {
          let %x1 = nn.relu(%x);
          %k(%x1)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          %0 = fn [answer](%x1: Tensor[(4), float32], %k: fn (Tensor[(4), float32]) -> answer) -> answer {
            let %x2 = nn.relu(%x1);
            %k(%x2)
          };
          %1 = fn (%x3: Tensor[(4), float32]) -> Tensor[(4), float32] {
            %x3
          };
          %0(%x, %1)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with ``@main`` wrapped.

        Raises:
            PassError: there is no ``@main``, it is not in continuation-passing style, or shares a value without
                ``let``.
        """
        return replace_main(module, without_continuation)


def without_continuation(function: Function) -> Function:
    """A function that calls ``function``, which is in continuation-passing style, and returns its result.

    Raises:
        PassError: its last parameter is no continuation, or a value is shared without ``let``.
    """
    refuse_features((function,), {Feature.fGraph}, "a function in continuation-passing style")
    if not function.params or not function.type_params:
        raise PassError("the function is not in continuation-passing style: it takes no continuation", place=function)
    fresh = {var: TypeVar(var.name, var.kind) for var in function.type_params[:-1]}
    continuation = function.params[-1].checked_type
    if not isinstance(continuation, FuncType) or len(continuation.arg_types) != 1:
        message = "the last parameter is no continuation: a function of one argument is needed"
        raise PassError(message, place=function.params[-1])
    record = current_record()
    result = substitute(continuation.arg_types[0], fresh)
    params: list[Var] = []
    for old in function.params[:-1]:
        type: Type | None = old.checked_type or old.type_annotation
        params.append(Var(old.name_hint, None if type is None else substitute(type, fresh)))
        record.record(params[-1], old)
    x = Var("x", result)
    identity = Function((x,), x, result)
    record.attribute(identity, function.params[-1])
    call = Call(function, (*params, identity), None, (*fresh.values(), result))
    new = Function(
        tuple(params), call, result, tuple(fresh.values()), function.attrs, function.span, function.virtual_device
    )
    record.attribute(new, function)
    return new
