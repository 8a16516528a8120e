"""What goes wrong on the command line: the errors of commands, the sentence that says each, and the exit codes."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from ..lsp.version import VERSION
from .streams import abandon_output, cannot_be_written, flush_streams

__all__ = ["EXIT_FOUND", "EXIT_OK", "EXIT_TROUBLE", "CommandError", "exit_code_of"]

EXIT_OK = 0
EXIT_FOUND = 1
EXIT_TROUBLE = 2
_EXIT_INTERRUPTED = 130


class CommandError(Exception):
    """A command cannot be carried out; the message is a sentence for the user."""


def exit_code_of(command: Callable[[], int], *, verbose: bool) -> int:
    """Run a command and give its exit code. An error is one sentence; ``verbose`` adds the traceback of a fault."""
    try:
        code = command()
        flush_streams()
        return code
    except CommandError as error:
        print(f"relay-lsp: {error}", file=sys.stderr)
        return EXIT_TROUBLE
    except BrokenPipeError:
        # The reader of our output, such as `head`, has had enough.
        abandon_output()
        return EXIT_TROUBLE
    except KeyboardInterrupt:
        print("relay-lsp: interrupted", file=sys.stderr)
        return _EXIT_INTERRUPTED
    except MemoryError:
        print("relay-lsp: memory ran out; nothing was written", file=sys.stderr)
        return EXIT_TROUBLE
    except Exception as error:
        if isinstance(error, OSError) and cannot_be_written(error):
            abandon_output()
            print(f"relay-lsp: the output cannot be written: {error.strerror}", file=sys.stderr)
            return EXIT_TROUBLE
        if _is_too_long(error):
            print(f"relay-lsp: {error}", file=sys.stderr)
            return EXIT_TROUBLE
        if verbose:
            traceback.print_exc()
        print(f"relay-lsp: {_internal_error(error, verbose)}", file=sys.stderr)
        return EXIT_TROUBLE


def _is_too_long(error: Exception) -> bool:
    """Whether a module cannot be written because a type of it, which its values share, would be too long."""
    from relay_lsp.ir.printing import TypeTooLongError

    return isinstance(error, TypeTooLongError)


def _internal_error(error: Exception, verbose: bool) -> str:
    """What to say of a fault of the program itself, and what a report of it needs."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    shown = "the lines above" if verbose else "what it prints with --verbose"
    return (
        f"an internal error ({what}; {Path(place.filename).name}:{place.lineno}).\n"
        f"This is a fault of relay-lsp {VERSION}, not of your file, which is as it was. Please report it with "
        f"the command, {shown}, and if you can the file."
    )
