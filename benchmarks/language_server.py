"""How fast the server answers, over real stdio: ``python -m benchmarks.language_server``.

Targets, in milliseconds at the 95th percentile: an edit to its diagnostics 6, 10 and 25 at 1,000, 10,000 and 100,000
statements; a query 5, a screen of tokens or hints and 10,000 references 20; ``initialize`` 300; opening 10,000
statements 400.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

from .client import Client, span
from .inputs import chain, shared_value
from .report import machine, quantiles, table

_SCREEN = 60
_BLOCK = 500


def main() -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000], help="statements (1000 10000)")
    parser.add_argument("--repeat", type=int, default=30, help="how often each edit and query is measured (30)")
    parser.add_argument("--only", nargs="+", choices=["cold", "edits", "queries"], default=["cold", "edits", "queries"])
    options = parser.parse_args()
    print(f"{machine()}\n")
    if "cold" in options.only:
        measure_cold(options.sizes)
    if "edits" in options.only:
        measure_edits(options.sizes, options.repeat)
    if "queries" in options.only:
        measure_queries(
            max(size for size in options.sizes if size <= 10_000 or size == min(options.sizes)), options.repeat
        )


def measure_cold(sizes: list[int]) -> None:
    """Start, open, memory."""
    rows: list[tuple[object, ...]] = []
    for size in sizes:
        text = chain(size)
        client = Client()
        initialized = client.initialize()
        client.open("")  # loads what is loaded lazily, as the wait for a user's first file does
        opened, found = client.open(text)
        memory = client.resident_bytes
        rows.append(
            (
                f"{size:,}",
                len(text) / 1e6,
                initialized * 1000,
                opened * 1000,
                len(found),
                memory / 1e6,
                memory / len(text),
            )
        )
        client.close()
    print("## Cold\n")
    head = ("statements", "MB", "initialize ms", "open to diagnostics ms", "diagnostics", "memory MB", "per byte")
    print(table(head, rows) + "\n")


def measure_edits(sizes: list[int], repeat: int) -> None:
    """From an edit to the diagnostics of the text after it."""
    kinds: dict[str, Callable[[Client, int, int], list[float]]] = {
        "break and mend a name": _break_and_mend,
        "a line at the top": _line_at_top,
        f"paste and undo {_BLOCK} lines": _paste,
        "open and close a brace": _brace,
        "open and close a comment": _comment,
        "20 keystrokes at once": _burst,
    }
    results: dict[str, list[float]] = {}
    for size in sizes:
        text = chain(size)
        for kind, measure in kinds.items():
            client = Client()
            client.initialize()
            client.open(text)
            few = repeat if kind == "break and mend a name" else max(repeat // 3, 3)
            results.setdefault(kind, []).extend(quantiles(measure(client, size, few)))
            client.close()
    print("## Edit to diagnostics, milliseconds (median, 95th percentile)\n")
    head = ["edit"]
    for size in sizes:
        head += [f"{size:,} p50", "p95"]
    print(table(head, [(kind, *figures) for kind, figures in results.items()]))
    if len(sizes) > 1:
        figures = results["break and mend a name"]
        exponent = math.log(figures[-2] / figures[0]) / math.log(sizes[-1] / sizes[0])
        print(f"\ngrowth of the first with the file's size: exponent {exponent:.2f}")
    print()


def _break_and_mend(client: Client, size: int, repeat: int) -> list[float]:
    line = 2 + size // 2 // 5 * 5 + 2
    start = len(f"  %{line - 2} = nn.rel")
    times: list[float] = []
    for _ in range(repeat):
        broken, found = client.edit((line, start, line, start + 1, "y"))
        assert found, "the server did not notice"
        mended, found = client.edit((line, start, line, start + 1, "u"))
        assert not found, found
        times += (broken, mended)
    return times[2:] or times


def _line_at_top(client: Client, size: int, repeat: int) -> list[float]:
    return [client.edit((1, 0, 1, 0, "// a line\n"))[0] for _ in range(repeat)]


def _paste(client: Client, size: int, repeat: int) -> list[float]:
    block = "".join(f"  %{10_000_000 + number} = nn.relu(%x);\n" for number in range(_BLOCK))
    line = 2 + size // 2
    times: list[float] = []
    for _ in range(repeat):
        times.append(client.edit((line, 0, line, 0, block))[0])
        times.append(client.edit((line, 0, line + _BLOCK, 0, ""))[0])
    return times


def _brace(client: Client, size: int, repeat: int) -> list[float]:
    return _open_and_close(client, size, repeat, "{")


def _comment(client: Client, size: int, repeat: int) -> list[float]:
    return _open_and_close(client, size, repeat, "/*")


def _open_and_close(client: Client, size: int, repeat: int, text: str) -> list[float]:
    line = 2 + size // 2
    times: list[float] = []
    for _ in range(repeat):
        times.append(client.edit((line, 0, line, 0, text))[0])
        times.append(client.edit((line, 0, line, len(text), ""))[0])
    return times


def _burst(client: Client, size: int, repeat: int) -> list[float]:
    line = 1 + size // 2
    times: list[float] = []
    for _ in range(repeat):
        before = client.publications
        times.append(client.edit(*((line, 0, line, 0, " ") for _ in range(20)))[0])
        if client.publications - before > 1:
            print(f"(a burst was published {client.publications - before} times)")
    return times


def measure_queries(size: int, repeat: int) -> None:
    """Requests about a document that is at rest, and while a pass is running over it."""
    line = 2 + size // 2 // 5 * 5
    name = {"line": line, "character": len(f"  %{line - 2} = nn.co")}
    argument = {"line": line, "character": len(f"  %{line - 2} = nn.conv2d(") + 1}
    screen = span(line, 0, line + _SCREEN, 0)
    queries: dict[str, tuple[str, dict[str, object]]] = {
        "hover": ("hover", {"position": name}),
        "definition": ("definition", {"position": argument}),
        "completion": ("completion", {"position": argument}),
        "signature help": ("signatureHelp", {"position": argument}),
        "highlights": ("documentHighlight", {"position": argument}),
        "semantic tokens of a screen": ("semanticTokens/range", {"range": screen}),
        "inlay hints of a screen": ("inlayHint", {"range": screen}),
        "document symbols": ("documentSymbol", {}),
        "folding ranges": ("foldingRange", {}),
    }
    client = Client()
    client.initialize()
    client.open(chain(size))
    at_rest = {kind: quantiles(_asked(client, *query, repeat)) for kind, query in queries.items()}
    at_rest["semantic tokens after an edit (delta)"] = quantiles(_token_deltas(client, line, max(repeat // 5, 2)))
    client.send(
        {"method": "textDocument/didSave", "params": {"textDocument": {"uri": "file:///benchmark/model.relay"}}}
    )
    while_busy = {kind: quantiles(_asked(client, *query, repeat)) for kind, query in list(queries.items())[:7]}
    client.close()
    client = Client()
    client.initialize()
    client.open(shared_value(10_000))
    everywhere = ("references", {"position": {"line": 2, "character": 3}, "context": {"includeDeclaration": True}})
    at_rest["references to a value with 10,000 uses"] = quantiles(_asked(client, *everywhere, max(repeat // 5, 2)))
    client.close()
    print(f"## Queries on {size:,} statements, milliseconds\n")
    rows = [(kind, *figures, *while_busy.get(kind, ("", ""))) for kind, figures in at_rest.items()]
    print(table(("query", "p50", "p95", "p50 while a pass runs", "p95"), rows) + "\n")


def _asked(client: Client, method: str, params: dict[str, object], repeat: int) -> list[float]:
    client.ask(method, **params)
    return [client.ask(method, **params)[0] for _ in range(repeat)]


def _token_deltas(client: Client, line: int, repeat: int) -> list[float]:
    _, known = client.ask("semanticTokens/full")
    times: list[float] = []
    for _ in range(repeat):
        client.edit((line, 0, line, 0, " "))
        elapsed, known = client.ask("semanticTokens/full/delta", previousResultId=known["resultId"])
        times.append(elapsed)
    return times


if __name__ == "__main__":
    main()
