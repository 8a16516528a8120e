"""``relay-lsp format``: the layout of files put right."""

from __future__ import annotations

import argparse
import sys

from relay_lsp.ir.formatting import format_text

from .files import files_named, read_file
from .problems import EXIT_FOUND, EXIT_OK, EXIT_TROUBLE, CommandError

__all__ = ["format_files"]


def format_files(options: argparse.Namespace) -> int:
    """Format every file and those of every folder, or tell which would change."""
    exit_code = EXIT_OK
    names, troubles = files_named(options.files)
    for name in names:
        try:
            file = read_file(name)
            formatted = format_text(file.text)
            if options.diff:
                sys.stdout.write(file.difference(formatted))
            elif options.check:
                if formatted != file.text:
                    print(f"{file.source_name} would be formatted")
            elif file.is_standard_input:
                sys.stdout.write(formatted)
            elif formatted != file.text:
                file.write_back(formatted)
                print(f"{name} formatted", file=sys.stderr)
            if (options.check or options.diff) and formatted != file.text:
                exit_code = max(exit_code, EXIT_FOUND)
        except CommandError as error:
            troubles.append(error)
    for trouble in troubles:
        print(f"relay-lsp: {trouble}", file=sys.stderr)
    return EXIT_TROUBLE if troubles else exit_code
