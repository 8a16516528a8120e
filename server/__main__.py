"""``relay-lsp`` and ``python -m relay_lsp.server``."""

# Nothing else is imported here, not even from __future__: Python may still look into the current folder first.
import sys

from .import_path import withhold

__all__ = ["main"]


def main() -> int:
    """Run the command line of this process.

    Gives the exit code: 0 for all well, 1 for findings, 2 for what could not be done.
    """
    withhold()
    from .command_line.program import run

    return run(sys.argv[1:], ends_process=True)


if __name__ == "__main__":
    sys.exit(main())
