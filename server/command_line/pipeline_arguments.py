"""Arguments that several subcommands share: those of pipelines, their contexts, and what is told of them."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from contextlib import suppress

__all__ = [
    "SECONDS_WITH_EXTENSIONS",
    "add_extensions",
    "add_function",
    "add_instruments",
    "add_output",
    "add_pipeline_arguments",
    "add_remarks",
    "add_repeatable",
    "add_seed",
    "add_timeout",
    "seconds",
    "spelled_out",
]

_LONGEST_SECONDS = 1_000_000

SECONDS_WITH_EXTENSIONS = 60.0
"""How long a command that runs code of the user's may take where the user does not say, or ``check`` over one file."""


def add_repeatable(
    command: argparse.ArgumentParser, *names: str, words: str, metavar: str, dest: str | None = None
) -> None:
    """An option that may be given several times: a list of its values, empty where it is not given."""
    command.add_argument(*names, action="append", default=[], metavar=metavar, dest=dest, help=words)


def add_pipeline_arguments(command: argparse.ArgumentParser) -> None:
    """The file, the passes, and the context and the limits that they run in."""
    command.add_argument("file", metavar="FILE")
    add_repeatable(
        command,
        "-p",
        "--pass",
        dest="passes",
        metavar="NAME[OPTIONS]",
        words="a pass, as Name, Name[option=value, …] or Name=option=value; several, commas between, run in the "
        "order given",
    )
    add_repeatable(
        command,
        "--build",
        metavar="O0…O4|graph|vm",
        words="all passes that a build runs at this level, before those of --pass; for the graph executor, or for the "
        "virtual machine with a second --build vm",
    )
    add_repeatable(
        command,
        "--target",
        dest="targets",
        metavar="TARGET",
        words='what the program is compiled for, such as "llvm -mcpu=core-avx2" (llvm); one for each kind of device',
    )
    command.add_argument(
        "--params",
        metavar="FILE",
        default="",
        help="parameters of @main that become constants first: .npz of numpy, or .safetensors",
    )
    add_extensions(command)
    command.add_argument(
        "--opt-level",
        type=int,
        help="the level of the context that passes run in (3); where it is given, passes of a higher level are skipped",
    )
    for flag, words in (("require", "run these passes whatever their level"), ("disable", "skip these passes")):
        add_repeatable(command, f"--{flag}", metavar="NAME", words=words)
    add_repeatable(command, "--config", metavar="KEY=VALUE", words="an option of the context, such as of TVM's")
    add_timeout(command, "stop passes that take longer, and leave the file as it is")


def add_timeout(command: argparse.ArgumentParser, words: str) -> None:
    """How long the command may take; ``None`` where the user does not say."""
    limit = f"({SECONDS_WITH_EXTENSIONS:g} with --extension, else no limit; 0 sets none)"
    command.add_argument("--timeout", metavar="SECONDS", type=seconds, help=f"{words} {limit}")


def seconds(given: str) -> float:
    """The seconds that a user gives for a limit.

    Raises:
        argparse.ArgumentTypeError: they are none, or more than timers can wait for everywhere.
    """
    with suppress(ValueError):
        if 0 <= float(given) <= _LONGEST_SECONDS:
            return float(given)
    raise argparse.ArgumentTypeError(f"{given!r} is no number of seconds from 0 to {_LONGEST_SECONDS:,}")


def add_instruments(command: argparse.ArgumentParser) -> None:
    """What watches the passes."""
    add_repeatable(
        command,
        "--instrument",
        dest="instruments",
        metavar="NAME[OPTIONS]",
        words="what watches the passes, and tells on standard error: PassTimingInstrument, OperatorCounter, "
        "PassProfiler, PrintBeforeAll, PrintAfterAll, PassPrintingInstrument, Verifier, DumpIR[dump_dir=FOLDER]",
    )


def add_extensions(command: argparse.ArgumentParser) -> None:
    """Files with the user's own passes and operators."""
    add_repeatable(
        command,
        "--extension",
        dest="extensions",
        metavar="FILE|PACKAGE",
        words="a Python file (….py) or an installed package with passes and operators of your own; its code is run",
    )


_REMARKS = ("all", "passed", "missed")


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """The arguments of a command line with the value that ``--remarks`` of ``opt`` has by itself.

    argparse would take the file that follows for the value.
    """
    spelled = list(arguments)
    if "opt" not in spelled:
        return spelled
    for index, (argument, following) in enumerate(itertools.pairwise(spelled)):
        if argument == "--":
            break
        if argument == "--remarks" and following not in _REMARKS:
            spelled[index] = f"--remarks={_REMARKS[0]}"
    return spelled


def add_remarks(command: argparse.ArgumentParser) -> None:
    """Which remarks of passes are written, and where to."""
    command.add_argument(
        "--remarks",
        nargs="?",
        const="all",
        choices=_REMARKS,
        help="say on standard error what each pass did and by which rule (passed), and what it considered and left "
        "alone, with the reason (missed); --function and --layer choose",
    )
    command.add_argument("--layer", metavar="LAYER", default="", help="only remarks on layers with this in their name")
    command.add_argument(
        "--remarks-output", metavar="FILE", help="write the remarks as YAML, as LLVM does, for viewers of such records"
    )


def add_function(command: argparse.ArgumentParser) -> None:
    """The one function that may be changed."""
    command.add_argument(
        "--function", metavar="NAME", default="", help="the one function, such as @main, that may be changed (all)"
    )


def add_output(
    command: argparse._ActionsContainer,  # pyright: ignore[reportPrivateUsage]
    words: str,
    metavar: str = "FILE",
) -> None:
    """Where the result is written to; ``None`` for standard output, which ``-`` names, too."""
    command.add_argument("-o", "--output", metavar=metavar, type=_output, help=f"{words} (- is standard output)")


def _output(name: str) -> str | None:
    return None if name in ("-", "/dev/stdout") else name


def add_seed(command: argparse.ArgumentParser) -> None:
    """The seed of random inputs."""
    command.add_argument("--seed", type=_seed, default=0, help="of the random inputs, from 0 on (0)")


def _seed(given: str) -> int:
    if given.isdecimal():
        return int(given)
    raise argparse.ArgumentTypeError(f"{given!r} is no whole number from 0 on")
