"""``optimize``: a module as a build would have it before code is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relay_lsp.ir.expressions import NDArray
from relay_lsp.ir.module import IRModule

from ..infrastructure import PassContext
from .parameters import bind_params_by_name
from .relay_build import RelayBuild

__all__ = ["optimize"]


def optimize(
    module: IRModule,
    target: str | Sequence[str] = "llvm",
    params: Mapping[str, NDArray] | None = None,
    opt_level: int | None = None,
    executor: str = "graph",
) -> IRModule:
    """``module`` after all passes that ``relay.build`` (``executor="graph"``) or ``relay.vm.compile`` runs.

    Args:
        module: the module; its function ``@main`` is what is built.
        target: what it is compiled for, such as ``llvm -mcpu=core-avx2``; several where it uses several devices.
        params: the parameters of ``@main`` that are known, by name: they become constants, which passes can fold.
        opt_level: the level of the passes. Without it the current :class:`PassContext` counts; with it, that one's
            other settings do.
        executor: ``graph`` or ``vm``.

    Raises:
        PassError: a target is not known, a parameter does not fit, or a pass cannot do its work.
    """
    if params:
        module = bind_params_by_name(module, params)
    build = RelayBuild((target,) if isinstance(target, str) else tuple(target), executor)
    current = PassContext.current()
    if opt_level is None:
        return build.run(module, current)
    with PassContext(
        opt_level=opt_level,
        required_pass=current.required_pass,
        disabled_pass=current.disabled_pass,
        config=current.config,
        instruments=current.instruments,
    ) as context:
        return build.run(module, context)
