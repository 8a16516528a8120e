"""An imported model as a text that can be read back: readable names, the model's file in a comment, weights aside.

Names in models are free; Relay's are not: ``input:0`` becomes ``input_0``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from relay_lsp.ir.expressions import Constant, Expr, Function, GlobalVar, NDArray, Var
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.model_reference import ModelReference
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import text_pieces
from relay_lsp.ir.type_visitor import has_incomplete
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import post_order, rewrite_post_order

from .imported import ImportedModel

__all__ = ["model_text", "model_text_pieces", "with_readable_names", "without_weights"]

_UNREADABLE = re.compile(r"[^A-Za-z0-9_]")
_LEAST_WEIGHTS = 17
"""How many elements a constant must have to count as weights; what is smaller is a shape or a scale."""


def readable_name(name: str, taken: set[str]) -> str:
    """A name of Relay's grammar that is like ``name`` and not among ``taken``, where it is put."""
    wanted = _UNREADABLE.sub("_", name)
    wanted = wanted if wanted[:1].isalpha() else f"v{wanted}"  # As the printer has it.
    made, number = wanted, 1
    while made in taken:
        made, number = f"{wanted}_{number}", number + 1
    taken.add(made)
    return made


def with_readable_names(module: IRModule, params: Mapping[str, NDArray]) -> tuple[IRModule, dict[str, NDArray]]:
    """The same module and parameters under names that a text can have."""
    functions: dict[GlobalVar, Function] = {}
    renamed: dict[str, str] = {}
    for name, function in module.functions.items():
        variables = [expr for expr in post_order(function) if isinstance(expr, Var)]
        taken = {var.name_hint for var in variables if readable_name(var.name_hint, set()) == var.name_hint}
        replaced: dict[Expr, Var] = {}
        for var in variables:
            if var.name_hint not in taken:
                new = renamed.setdefault(var.name_hint, readable_name(var.name_hint, taken))
                replaced[var] = Var(new, var.type_annotation, var.span, var.virtual_device)
        made = function
        if replaced:
            made = rewrite_post_order(function, lambda old, new: replaced.get(old, new))  # noqa: B023
        assert isinstance(made, Function)
        functions[name] = made
    return module.with_functions(functions), {renamed.get(name, name): value for name, value in params.items()}


def without_weights(module: IRModule, params: Mapping[str, NDArray]) -> tuple[IRModule, dict[str, NDArray]]:
    """``@main`` with its weights as parameters, called by their layers, and their values."""
    main = module["main"]
    taken = {expr.name_hint for expr in post_order(main) if isinstance(expr, Var)}
    values = dict(params)
    moved: dict[Expr, Var] = {}
    for expr in post_order(main):
        if isinstance(expr, Constant) and expr.data.size >= _LEAST_WEIGHTS:
            source = str(expr.span).rsplit(":", 2)[0] if expr.span is not None else "weights"
            name = readable_name(source, taken)
            values[name] = expr.data
            moved[expr] = Var(name, TensorType(tuple(expr.data.shape), expr.dtype), expr.span)
    if not moved:
        return module, values
    made = rewrite_post_order(main, lambda old, new: moved.get(old, new))
    assert isinstance(made, Function)
    function = Function(
        (*made.params, *moved.values()), made.body, made.ret_type, made.type_params, made.attrs, made.span
    )
    return module.with_function(module.get_global_var("main"), function), values


def with_weights(module: IRModule, params: Mapping[str, NDArray]) -> IRModule:
    """``@main`` with its parameters as constants, so that a text of it holds them."""
    main = module["main"]
    bound: dict[Expr, Expr] = {
        var: Constant(params[var.name_hint], span=var.span) for var in main.params if var.name_hint in params
    }
    if not bound:
        return module
    body = rewrite_post_order(main.body, lambda old, new: bound.get(old, new))
    inputs = tuple(var for var in main.params if var not in bound)
    function = Function(inputs, body, main.ret_type, main.type_params, main.attrs, main.span)
    return module.with_function(module.get_global_var("main"), function)


def model_text(
    imported: ImportedModel, weights_aside: bool = False, folder: Path | None = None
) -> tuple[str, dict[str, NDArray]]:
    """The canonical text of an imported model, with a comment that names its file, and the parameters of ``@main``.

    Args:
        imported: the model.
        weights_aside: make the weights parameters of ``@main``, so that the text does not hold them.
        folder: where the text will lie, so that it finds the model's file.
    """
    pieces, params = model_text_pieces(imported, weights_aside, folder)
    return "".join(pieces), params


def model_text_pieces(
    imported: ImportedModel, weights_aside: bool = False, folder: Path | None = None
) -> tuple[Iterator[str], dict[str, NDArray]]:
    """What :func:`model_text` gives, the text piece by piece: written so, it takes no memory beside the weights."""
    module, params = with_readable_names(imported.module, imported.params)
    if weights_aside:
        module, params = without_weights(module, params)
    else:
        module, params = with_weights(module, params), {}
    pieces = text_pieces(_without_open_results(infer_types(module).module))
    source = imported.source
    if source.sha256:
        version = next(pieces)  # The first line, as TVM's parser wants it.
        reference = ModelReference(_path_from(folder, source.path), source.framework, source.sha256)
        pieces = chain((version, f"{reference}\n"), pieces)
    return pieces, params


def _without_open_results(module: IRModule) -> IRModule:
    """The module without the return types that could not be found: as metadata, they could not be read back."""
    closed = {
        name: Function(function.params, function.body, None, function.type_params, function.attrs, function.span)
        for name, function in module.functions.items()
        if function.ret_type is not None and has_incomplete(function.ret_type)
    }
    return module.with_functions({**module.functions, **closed})


def _path_from(folder: Path | None, path: Path | None) -> str:
    """A model's path as a text in ``folder`` has it; its name alone where no folder is given."""
    if path is None:
        return "a model"
    if folder is None:
        return path.name
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # On another drive.
        return path.resolve().as_posix()
