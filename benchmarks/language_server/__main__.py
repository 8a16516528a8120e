"""How fast the server answers, over real stdio: ``python -m benchmarks.language_server``.

Every figure stands beside its goal, with the load of the machine at that moment and the processor time that the server
took. On a busy machine the clock measures the others too: then it is the minimum and the processor time that compare.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from ..report import Report, machine
from .cold import measure_cold, measure_first_answers, measure_growth, measure_memory
from .edits import growth, measure_edits, measure_functions, measure_retyping
from .figures import Figure, figures_table
from .own_requests import measure_own_requests
from .peer import RECORDED, peer, peer_command
from .profiles import Profiles
from .queries import measure_peer_queries, measure_queries
from .random_keys import measure_random_keys
from .several_places import measure_several_places
from .targets import ours
from .typed_keys import measure_typed_keys

Measure = Callable[[], Iterable[Figure]]


def main() -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes = [1_000, 10_000, 100_000]
    parts = ("cold", "edits", "keys", "places", "requests", "random", "functions", "queries", "memory")
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes, help="statements (1000 10000 100000)")
    parser.add_argument("--repeat", type=int, default=30, help="how often each edit and query is measured (30)")
    parser.add_argument("--edits", type=int, default=10_000, help="edits before memory is looked at again (10000)")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts, help="parts (all)")
    parser.add_argument("--shapes", default="", help="a part of the names of the shapes that keys are typed in (all)")
    parser.add_argument("--scripts", type=int, default=40, help="edits at random places of each text, key by key (40)")
    parser.add_argument("--seed", type=int, default=0, help="which edits these are (0)")
    parser.add_argument("--peer", default=peer_command(), help="the command mlir-lsp-server")
    parser.add_argument("--server", type=shlex.split, default=(), help="another build of our server, by its command")
    parser.add_argument("--profiles", type=Path, help="a folder for profiles; needs py-spy, and spoils the figures")
    parser.add_argument(
        "--write", action="store_true", help="write what is measured to benchmarks/language_server.md as well"
    )
    options = parser.parse_args()
    sizes, repeat = options.sizes, options.repeat
    medium = max((size for size in sizes if size <= 10_000), default=min(sizes))
    profiles = Profiles(options.profiles) if options.profiles else None
    own = ours(options.server, profiles)
    measures: dict[str, Measure] = {
        "cold": lambda: chain(
            measure_first_answers(max(repeat // 3, 3), options.server), measure_cold(sizes, repeat, own)
        ),
        "edits": lambda: chain(measure_edits(sizes, repeat, own), measure_retyping(repeat, own)),
        "keys": lambda: measure_typed_keys(sizes, max(repeat // 30, 1), own, options.shapes),
        "places": lambda: measure_several_places(sizes, max(repeat // 10, 1), own, options.shapes),
        "requests": lambda: measure_own_requests([size for size in sizes if size <= medium], own),
        "random": lambda: measure_random_keys(sizes, own, options.seed, options.scripts, options.shapes),
        "functions": lambda: measure_functions(sizes, repeat, own),
        "queries": lambda: measure_queries(medium, repeat, own),
        "memory": lambda: chain(measure_memory(own), measure_growth(options.edits, own)),
    }
    theirs: dict[str, Measure] = {}
    if options.peer:
        other = peer(options.peer)
        theirs = {
            "cold": lambda: measure_cold(sizes, repeat, other),
            "edits": lambda: measure_edits(sizes, max(repeat // 5, 3), other),
            "queries": lambda: measure_peer_queries(medium, repeat, other),
            "memory": lambda: measure_memory(other),
        }
    report = Report()
    report.say(machine(), "", "Load is that of the last minute; pace what a fixed loop took between samples (ms).", "")
    for name in options.only:
        figures = list(_said(measures[name]()))
        beside = list(theirs[name]()) if name in theirs else []
        report.say(f"## {name.capitalize()}", "", figures_table(figures, beside), "")
        exponents = [(whose, growth(measured)) for whose, measured in (("ours", figures), ("the peer's", beside))]
        shown = [f"{whose} {exponent:.2f}" for whose, exponent in exponents if exponent is not None]
        if shown:
            report.say(f"Exponent by which the first edit's p95 grows with the text: {', '.join(shown)}; goal 0.4.", "")
    if not theirs:
        report.say("## The peer", "", RECORDED)
    if options.write:
        page = Path(__file__).parent.with_suffix(".md")
        command = "python -m benchmarks.language_server --write"
        report.write(page, "How fast the language server answers", command, keeps_sections=True)
    if profiles is not None:
        print("## Profiles\n", *profiles.lines(), sep="\n")


def _said(figures: Iterable[Figure]) -> Iterator[Figure]:
    """Each figure, once it is said on the error stream: all of them take minutes."""
    for figure in figures:
        print(f"{figure.size:,}: {figure.what}: p95 {figure.p95:,.1f} {figure.unit}", file=sys.stderr, flush=True)
        yield figure


if __name__ == "__main__":
    main()
