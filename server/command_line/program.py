"""The subcommands and their arguments. Each subcommand is imported only when it runs: ``serve`` must start at once."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import threading
from collections.abc import Callable, Sequence

from ..lsp.version import VERSION
from .pipeline_arguments import (
    add_extensions,
    add_function,
    add_instruments,
    add_output,
    add_pipeline_arguments,
    add_remarks,
    add_repeatable,
    add_seed,
    add_timeout,
    seconds,
    spelled_out,
)
from .problems import exit_code_of
from .replay import add_replay
from .streams import make_streams_writable

__all__ = ["parser", "run"]

_DESCRIPTION = """\
Work with TVM Relay's textual IR: check it, format it, run passes over it, or serve an editor.
"""

_VERBOSE_HELP = "show the traceback of an internal error, or of a pass of one's own"

_EPILOG = """\
examples:
  relay-lsp check model.relay                        what is wrong in it, each at its place
  relay-lsp check --format sarif model.relay         the same for a code-scanning service
  relay-lsp opt --pass SimplifyInference --pass "FoldConstant[fold_qnn=False]" model.relay
  relay-lsp opt --build O3 --target "llvm -mcpu=core-avx2" model.relay    all that relay.build runs
  relay-lsp trace --pass SimplifyInference model.relay    what each step did, and what came from what
  relay-lsp explore --build O3 --export model.html model.relay    every step side by side, in a page to keep
  relay-lsp bisect --pass SimplifyInference --pass FastMath model.relay    which pass changes the result
  relay-lsp import model.onnx -o model.relay         a model of another framework as Relay text
  relay-lsp replay crash-1a2b3c4d.json               meet an internal error of the server again
  relay-lsp passes FoldConstant                      what a pass does, with its options
  relay-lsp ops nn.conv2d                            an operator's arguments and attributes
  relay-lsp serve                                    speak the language server protocol (editors start this)

A file called - is standard input, or standard output behind -o. The exit code is 0 if all is well, 1 if something was
found, 2 for trouble, 130 after Ctrl-C.
"""


def run(arguments: Sequence[str], *, ends_process: bool = False) -> int:
    """Run a command; gives the exit code. An error is one sentence; ``--verbose`` adds the traceback.

    Where the process ends with a command over one file, its garbage is not collected, not even at the end, where Python
    does so in any case: each would take a tenth of it.
    """
    if ends_process:
        make_streams_writable()
    options = parser().parse_args(spelled_out(arguments))
    if not (ends_process and (getattr(options, "extensions", ()) or hasattr(options, "runs_libraries"))):
        return _exit_code(options, ends_process)
    from .watched import watched

    code = watched(lambda: _exit_code(options, ends_process))
    _end_in_spite_of_threads(code)
    return code


def _end_in_spite_of_threads(code: int) -> None:
    """End the process where an extension has left threads that Python would wait for, as long as they take."""
    if all(thread.daemon or thread is threading.main_thread() for thread in threading.enumerate()):
        return
    from .watched import note_end

    note_end(code)
    os._exit(code)


def _exit_code(options: argparse.Namespace, ends_process: bool) -> int:
    if not (ends_process and getattr(options, "is_over_one_file", False)):
        return exit_code_of(lambda: _carry_out(options), verbose=options.verbose)
    gc.disable()
    try:
        return exit_code_of(lambda: _carry_out(options), verbose=options.verbose)
    finally:
        gc.freeze()


def _carry_out(options: argparse.Namespace) -> int:
    if getattr(options, "extensions", ()):
        from .extensions import load_extensions

        if options.verbose:
            logging.basicConfig(level=logging.INFO)  # Has the stacks of passes that fail.
        load_extensions(options)
    command: Callable[[argparse.Namespace], int] = options.command
    return command(options)


class _ShowVersion(argparse.Action):
    """Looks the version up when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"relay-lsp {VERSION}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    root = argparse.ArgumentParser(
        prog="relay-lsp",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action=_ShowVersion, nargs=0, help="show program's version number and exit")
    root.add_argument("-v", "--verbose", action="store_true", help=_VERBOSE_HELP)
    commands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (
        _add_serve,
        _add_check,
        _add_format,
        _add_import,
        _add_opt,
        _add_trace,
        _add_explore,
        _add_bisect,
        _add_reduce,
        add_replay,
        _add_passes,
        _add_ops,
    ):
        add(commands)
    return root


Commands = argparse._SubParsersAction  # pyright: ignore[reportPrivateUsage]


def _add(
    commands: Commands[argparse.ArgumentParser], name: str, help: str, description: str = ""
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=help,
        description=description or help[0].upper() + help[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Suppressed where it is not given, so that one before the command's name is not undone.
    command.add_argument("-v", "--verbose", action="store_true", default=argparse.SUPPRESS, help=_VERBOSE_HELP)
    return command


def _add_serve(commands: Commands[argparse.ArgumentParser]) -> None:
    serve = _add(commands, "serve", "serve an editor through the language server protocol (over stdio by default)")
    where = serve.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="speak over standard input and output (the default)")
    where.add_argument("--tcp", metavar="HOST:PORT", help="serve every client of a TCP port that has the token")
    where.add_argument("--ws", metavar="HOST:PORT", help="the same over a WebSocket")
    add_repeatable(
        serve,
        "--origin",
        metavar="ORIGIN",
        words="with --ws: where pages that may connect come from besides this computer, such as https://vscode.dev",
    )
    serve.add_argument(
        "--allow-remote", action="store_true", help="let the port be reached from other computers (it is not encrypted)"
    )
    serve.add_argument(
        "--trusted",
        action="store_true",
        help="over a port: run the users' own passes and keep a history; without it nothing is loaded or written",
    )
    serve.add_argument("--once", action="store_true", help="over a port: end with the first client that was served")
    serve.add_argument("--log-level", default="warning", choices=["debug", "info", "warning", "error"])

    def command(options: argparse.Namespace) -> int:
        from .serve import serve as serve_command

        return serve_command(options)

    serve.set_defaults(command=command)


def _add_check(commands: Commands[argparse.ArgumentParser]) -> None:
    check = _add(commands, "check", "report what is wrong in files, with the place and what would mend it")
    add_extensions(check)
    add_timeout(check, "stop what takes longer over one file, such as a type relation of one's own")
    check.add_argument("files", metavar="FILE", nargs="+", help="a file, or a folder for all Relay files in it")
    check.add_argument(
        "--fix",
        action="store_true",
        help="mend what has one fix, and stale type comments, in the files first; report the rest",
    )
    check.add_argument("--format", choices=["text", "json", "sarif"], default="text", help="how to report (text)")
    check.add_argument("--hints", action="store_true", help="report hints too, such as unused values")

    def command(options: argparse.Namespace) -> int:
        from .check import check as check_command

        return check_command(options)

    check.set_defaults(command=command)


def _add_format(commands: Commands[argparse.ArgumentParser]) -> None:
    format = _add(
        commands,
        "format",
        "put the layout of files right",
        "Put the layout of files right. Comments, names and meaning stay as they are.",
    )
    format.add_argument("files", metavar="FILE", nargs="+", help="a file, or a folder for all Relay files in it")
    format.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file would change")
    format.add_argument("--diff", action="store_true", help="write nothing; show what would change")

    def command(options: argparse.Namespace) -> int:
        from .layout import format_files

        return format_files(options)

    format.set_defaults(command=command)


def _add_import(commands: Commands[argparse.ArgumentParser]) -> None:
    importing = _add(
        commands,
        "import",
        "turn a model of another framework into Relay text",
        "Turn a model (.onnx, .pt2, .pt, .tflite) into Relay text in which every value names its layer.\n"
        "What cannot be converted is kept as a call by its name, and said; the exit code is 1 then.",
    )
    importing.add_argument("file", metavar="MODEL")
    add_output(importing, "where to write the text")
    importing.add_argument(
        "--params", metavar="FILE", help="write the weights to a file, .npz or .safetensors, rather than into the text"
    )
    importing.add_argument(
        "--without-weights", action="store_true", help="make weights parameters of @main, and write them nowhere"
    )
    importing.add_argument("--framework", default="", help="what the model is of (its file's name says)")
    add_repeatable(
        importing,
        "--shape",
        dest="shapes",
        metavar="NAME=1,3,224,224",
        words="the shape of an input, with ? for what is not known",
    )
    add_repeatable(
        importing,
        "--dtype",
        dest="dtypes",
        metavar="NAME=int64",
        words="the dtype of an input that the model does not declare, as TorchScript does not (float32)",
    )
    importing.add_argument("--strict", action="store_true", help="refuse a model of which a part cannot be converted")
    importing.add_argument(
        "--verify", action="store_true", help="run the model by its own runtime too, and compare the numbers"
    )
    importing.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=seconds,
        default=300.0,
        help="stop the comparison of --verify after this time (300; 0 sets no limit)",
    )
    add_seed(importing)

    def command(options: argparse.Namespace) -> int:
        from .importing import import_model

        return import_model(options)

    importing.set_defaults(command=command, runs_libraries=True)


def _add_opt(commands: Commands[argparse.ArgumentParser]) -> None:
    opt = _add(commands, "opt", "run passes over a file and print what comes out, or write it back")
    add_pipeline_arguments(opt)
    add_instruments(opt)
    where = opt.add_mutually_exclusive_group()
    where.add_argument("-i", "--in-place", action="store_true", help="write the result back to the file")
    add_output(where, "write the result to another file")
    where.add_argument("--diff", action="store_true", help="show what would change")
    opt.add_argument(
        "--verify",
        action="store_true",
        help="run the module before and after each pass on random inputs; give no result if they differ",
    )
    add_seed(opt)
    add_function(opt)
    opt.add_argument("--provenance", action="store_true", help="write behind each statement where its value comes from")
    opt.add_argument(
        "--no-history", action="store_true", help="with -i or -o: keep no history of what the passes did for editors"
    )
    opt.add_argument("--timing", action="store_true", help="say on standard error how long each pass took")
    add_remarks(opt)

    def command(options: argparse.Namespace) -> int:
        from .optimize import opt as opt_command

        return opt_command(options)

    opt.set_defaults(command=command, is_over_one_file=True)


def _add_trace(commands: Commands[argparse.ArgumentParser]) -> None:
    trace = _add(
        commands,
        "trace",
        "run passes step by step: what each did, how long it took, and what came from what",
    )
    add_pipeline_arguments(trace)
    add_instruments(trace)
    add_function(trace)
    trace.add_argument(
        "--format",
        choices=["text", "json", "model-explorer", "dot"],
        default="text",
        help="how to report (text); docs/trace-format.md describes json. model-explorer and dot write graphs of the "
        "stages: files for Google's Model Explorer, or for Graphviz",
    )
    add_output(
        trace,
        "with --format json: the file; with model-explorer or dot: the folder of the files, one graph for each stage, "
        "without which dot prints the last stage",
        "PATH",
    )
    trace.add_argument(
        "--times",
        metavar="TABLE",
        default="",
        help="with --format model-explorer: measured times by layer, which become data of the nodes; CSV with the "
        "columns layer and seconds (or ms, us), or a JSON object",
    )
    trace.add_argument(
        "--no-weights", action="store_true", help="with --format json: leave out the data of constant tensors"
    )
    trace.add_argument(
        "--remarks", action="store_true", help="with --format json: write what the passes decided, and why"
    )
    trace.add_argument("--texts", action="store_true", help="print the whole text after each step that changed it")
    trace.add_argument("--all", action="store_true", help="show every new value; else the first ten of each step")

    def command(options: argparse.Namespace) -> int:
        from .optimize import trace as trace_command

        return trace_command(options)

    trace.set_defaults(command=command, is_over_one_file=True)


def _add_explore(commands: Commands[argparse.ArgumentParser]) -> None:
    explore = _add(
        commands,
        "explore",
        "show a pipeline in the browser: all texts side by side, linked expression by expression",
        "Show a pipeline in the browser, every text of it beside the others, linked expression by expression.\n"
        "The file may be a trace as well, as relay-lsp trace --format json writes it.",
    )
    add_pipeline_arguments(explore)
    add_instruments(explore)
    add_function(explore)
    explore.add_argument("--export", metavar="PAGE.html", help="write one file that needs no server, and end")
    add_repeatable(
        explore,
        "--overlay",
        dest="overlays",
        metavar="FILE",
        words="what TVM wrote about the same module, as further panes and colours: TIR, the graph executor's JSON, a "
        "tuning log, or a table of times by kernel, layer or line (CSV, JSON)",
    )
    explore.add_argument("--port", type=int, default=0, help="the port of the page on this computer (a free one)")
    explore.add_argument("--no-open", action="store_true", help="print the address; open no browser")

    def command(options: argparse.Namespace) -> int:
        from .explore import explore as explore_command

        return explore_command(options)

    explore.set_defaults(command=command)


def _add_bisect(commands: Commands[argparse.ArgumentParser]) -> None:
    bisect = _add(
        commands,
        "bisect",
        "name the first pass of a pipeline that changes the result, breaks typing or raises",
        "Run the module before and after each pass on the same random inputs. Name the first pass that changes the\n"
        "result by more than rounding, breaks typing or raises. A module too large to run is run with smaller tensors.",
    )
    add_pipeline_arguments(bisect)
    add_seed(bisect)

    def command(options: argparse.Namespace) -> int:
        from .verify import bisect as bisect_command

        return bisect_command(options)

    bisect.set_defaults(command=command)


def _add_reduce(commands: Commands[argparse.ArgumentParser]) -> None:
    reduce = _add(
        commands,
        "reduce",
        "make a file as small as it can be while passes still go wrong on it in the same way",
        "Leave out values, functions and constants of a module for as long as the passes fail as on the whole of it.\n"
        "What is left out and used becomes a parameter, so that every module on the way is well typed.",
    )
    add_pipeline_arguments(reduce)
    reduce.add_argument(
        "--until",
        metavar="CONDITION",
        default="raises",
        help='what going wrong is: raises, raises "part of the message", breaks typing, changes the result, '
        "takes longer than SECONDS (raises)",
    )
    add_output(reduce, "write the result to a file")

    def command(options: argparse.Namespace) -> int:
        from .reduce import reduce as reduce_command

        return reduce_command(options)

    reduce.set_defaults(command=command)


def _add_passes(commands: Commands[argparse.ArgumentParser]) -> None:
    passes = _add(commands, "passes", "list the passes, or explain one")
    add_extensions(passes)
    passes.add_argument("name", metavar="NAME", nargs="?")
    passes.add_argument("--markdown", action="store_true", help="print Markdown: docs/passes.md, or of NAME alone")
    passes.add_argument("--format", choices=["text", "json"], default="text", help="how to list (text)")

    def command(options: argparse.Namespace) -> int:
        from .catalogue import passes as passes_command

        return passes_command(options)

    passes.set_defaults(command=command)


def _add_ops(commands: Commands[argparse.ArgumentParser]) -> None:
    ops = _add(commands, "ops", "list the operators, or explain one")
    add_extensions(ops)
    ops.add_argument("name", metavar="NAME", nargs="?")
    ops.add_argument("--format", choices=["text", "json"], default="text", help="how to list (text)")
    ops.add_argument("--markdown", action="store_true", help="print Markdown: docs/operators.md, or of NAME alone")

    def command(options: argparse.Namespace) -> int:
        from .catalogue import operators

        return operators(options)

    ops.set_defaults(command=command)
