"""Shapes that follow from constants made static, once a model is imported.

What TVM's importers leave to the pass ``DynamicToStatic``; the rules are those of :mod:`relay_lsp.ir.ops.static_forms`
and :mod:`relay_lsp.ir.evaluation.folding`, which that pass follows too. Importers know of no passes: this goes over a
module once, bottom-up, since the types below an expression are final when it is reached.

Source of the rule: ``src/relay/transforms/dynamic_to_static.cc``.
"""

from __future__ import annotations

from relay_lsp.ir.evaluation.folding import asks_for_shape, fold_shape_of
from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.static_forms import is_dynamic, static_form
from relay_lsp.ir.visitor import children, post_order, with_children

from .diagnostics import ConversionError
from .folding import Folder
from .inspection import type_of

__all__ = ["known_by_types", "to_static"]


def to_static(module: IRModule, folder: Folder) -> IRModule:
    """``module`` with shapes as static as its constants make them, and what has become constant computed."""
    functions: dict[GlobalVar, Function] = {}
    for name, function in module.functions.items():
        static = folder.fold(_static(function, folder))
        assert isinstance(static, Function)
        functions[name] = static
    return module.with_functions(functions)


def known_by_types(expr: Expr, folder: Folder) -> Expr:
    """``expr`` with questions for shapes that are known answered, as :func:`to_static` will answer them."""
    return folder.fold(_static(folder.fold(expr), folder))


def _static(root: Expr, folder: Folder) -> Expr:
    order = post_order(root)
    if not any(isinstance(expr, Call) and (is_dynamic(expr) or asks_for_shape(expr)) for expr in order):
        return root
    made: dict[Expr, Expr] = {}
    for expr in order:
        parts = children(expr)
        new = with_children(expr, [made[part] for part in parts]) if parts else expr
        if new is not expr:
            new = folder.fold(new)
        if isinstance(new, Call):
            new = _static_call(new, folder)
        made[expr] = new
    return made[root]


def _static_call(call: Call, folder: Folder) -> Expr:
    static: Expr | None = None
    if is_dynamic(call):
        static = static_form(call, [folder.fold(arg) for arg in call.args])
    elif asks_for_shape(call):
        try:
            static = fold_shape_of(call, type_of(call.args[0]))
        except ConversionError:
            return call  # What is ill-typed has no shape, and inference will say why.
    if static is None:
        return call
    static.span = call.span
    return folder.fold(static)
