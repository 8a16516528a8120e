"""What the samples of TVM's tutorials print on TVM's pages and here, side by side: ``./dev tutorials``."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from relay_lsp.passes import PassContext

from .transcripts import Cell, cells_of, changed_imports, without_whitespace

__all__ = ["PAGES", "columns", "main", "printed_by"]

PAGES = ("pass_infra", "pass_instrument", "pass_instrument_0_8")
"""The pages whose samples run without another framework."""

_WIDTH = 64


def printed_by(cells: Sequence[Cell]) -> Iterator[tuple[Cell, str]]:
    """Each cell with what it prints here, one after the other in one namespace."""
    namespace: dict[str, Any] = {"__name__": "tutorial"}
    try:
        for cell in cells:
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown):
                exec(compile(changed_imports(cell.code), "<tutorial>", "exec"), namespace)
            yield cell, shown.getvalue()
    finally:
        PassContext.current().instruments = []  # One sample leaves instruments in the context that is there.


def columns(page: str, here: str) -> list[str]:
    """Two columns of the same words; a line that differs has a mark between them.

    Both are wrapped anew, since the pages keep no line ends.
    """
    wrapped = [textwrap.wrap(without_whitespace(text), _WIDTH, break_on_hyphens=False) for text in (page, here)]
    pairs = zip_longest(*wrapped, fillvalue="")
    return [f"{left:{_WIDTH}} {'|' if left == right else '≠'} {right}".rstrip() for left, right in pairs]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the samples of the pages that are named."""
    parser = argparse.ArgumentParser(prog="./dev tutorials", description=__doc__)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"one of {', '.join(PAGES)} (all of them)")
    for page in parser.parse_args(arguments).pages or PAGES:
        if page not in PAGES:
            parser.error(f"there is no page {page}: {', '.join(PAGES)}")
        same = different = 0
        for cell, here in printed_by(cells_of(f"{page}.md")):
            print(f"\n{textwrap.indent(changed_imports(cell.code), '    ')}\n")
            if not cell.printed and not here:
                continue
            print(f"{'TVM’s page ' + page:{_WIDTH}} | relay-lsp\n{'-' * _WIDTH}-+-{'-' * _WIDTH}")
            print("\n".join(columns(cell.printed, here)))
            is_same = without_whitespace(re.sub(r"\d+\.\d+|\d+us|\d+%", "N", cell.printed)) == without_whitespace(
                re.sub(r"\d+\.\d+|\d+us|\d+%", "N", here)
            )
            same, different = same + is_same, different + (not is_same)
        print(f"\n{page}: {same} outputs are the same but for times, {different} differ as test_tutorials.py says")


if __name__ == "__main__":
    main()
