"""Users' own passes and operators on the command line: to name them there is to trust them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from relay_lsp.passes.infrastructure.extensions import load_file, load_package

from .limits import limited
from .problems import CommandError
from .watched import note_work

__all__ = ["load_extensions"]


_SECONDS = 30.0
"""How long loading an extension may take where the user sets no limit, as in the worker."""


def load_extensions(options: argparse.Namespace) -> None:
    """Load what ``--extension`` names: Python files, or installed packages.

    Raises:
        CommandError: one of them cannot be loaded; the message says at which line.
    """
    names: Sequence[str] = options.extensions
    for name in names:
        note_work(f"loading {name}")
        seconds = getattr(options, "timeout", None) or _SECONDS
        if name.endswith(".py") and not Path(name).is_file():
            raise CommandError(f"{name}: there is no such file")
        with limited(seconds, partial("loading {}".format, name), "nothing was run"):
            loaded = (load_file(name),) if name.endswith(".py") else load_package(name)
        for extension in loaded:
            fault = extension.fault
            if fault is not None:
                where = f"{Path(fault.path).name}:{fault.line}: " if fault.line else ""
                raise CommandError(f"{where}{fault.message}")
