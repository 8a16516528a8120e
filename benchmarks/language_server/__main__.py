"""How fast the server answers, over real stdio: ``python -m benchmarks.language_server``.

Every figure stands beside its goal, with the load of the machine at that moment and the processor time that the server
took. On a busy machine the clock measures the others too: then it is the minimum and the processor time that compare.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterator

from ..report import machine
from .cold import measure_cold, measure_memory
from .edits import growth, measure_edits
from .figures import Figure, figures_table
from .peer import RECORDED, measure_peer
from .queries import measure_queries

_PARTS = ("cold", "edits", "queries", "memory", "peer")


def main() -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes = [1_000, 10_000, 100_000]
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes, help="statements (1000 10000 100000)")
    parser.add_argument("--repeat", type=int, default=30, help="how often each edit and query is measured (30)")
    parser.add_argument("--edits", type=int, default=10_000, help="edits before memory is looked at again (10000)")
    parser.add_argument("--only", nargs="+", choices=_PARTS, default=_PARTS, help="parts (all)")
    parser.add_argument("--peer", default=shutil.which("mlir-lsp-server"), help="the command mlir-lsp-server")
    options = parser.parse_args()
    print(f"{machine()}\n")
    medium = max((size for size in options.sizes if size <= 10_000), default=min(options.sizes))
    parts: dict[str, Callable[[], Iterator[Figure]]] = {
        "cold": lambda: measure_cold(options.sizes, options.repeat),
        "edits": lambda: measure_edits(options.sizes, options.repeat),
        "queries": lambda: measure_queries(medium, options.repeat),
        "memory": lambda: measure_memory(options.edits),
    }
    for name, measure in parts.items():
        if name in options.only:
            figures = list(measure())
            print(f"## {name.capitalize()}\n\n{figures_table(figures)}\n", flush=True)
            exponent = growth(figures)
            if exponent is not None:
                print(f"growth of the first edit's p95 with the size of the text: exponent {exponent:.2f}, goal 0.4\n")
    if "peer" in options.only:
        print("## Peer\n")
        found = options.peer and list(measure_peer(options.peer, options.sizes, options.repeat))
        print(figures_table(found) if found else RECORDED, flush=True)


if __name__ == "__main__":
    main()
