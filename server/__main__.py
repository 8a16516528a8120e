"""``relay-lsp`` and ``python -m relay_lsp.server``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Gives the exit code: 0 for all well, 1 for findings, 2 for what could not be done."""
    from .command_line.program import run

    return run(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
