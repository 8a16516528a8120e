"""``tvm.relay.frontend``: importers of models, those of :mod:`relay_lsp.frontends`.

Where an importer has names of its own for layers and parameters, those of TVM are taken.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from relay_lsp import frontends

from ...arrays import as_script_array
from ...modules import thawed

__all__: list[str] = []


def __getattr__(name: str) -> Callable[..., Any]:
    importer: Callable[..., Any] | None = getattr(frontends, name, None) if name.startswith("from_") else None
    if importer is None:
        raise AttributeError(f"relay_lsp has no importer {name}")

    def imported(*args: Any, **options: Any) -> tuple[Any, Any]:
        if "source_names" in list(inspect.signature(importer).parameters)[len(args) :]:
            options.setdefault("source_names", "tvm")
        module, params = importer(*args, **options)
        return thawed(module), {name: as_script_array(value) for name, value in params.items()}

    imported.__name__ = name
    imported.__doc__ = importer.__doc__
    return imported
