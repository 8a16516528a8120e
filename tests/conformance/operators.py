"""How many calls of each operator are typed as TVM typed them: a line of text that comes out the same counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from relay_lsp import ir
from relay_lsp.ir import ops

from .judges.comparison import says_all_types, without_metadata, without_spans

_CALLED = re.compile(r"(?<![\w.%@\"])([A-Za-z_][\w.]*)\(")


def lacking_parts(registry: Iterable[str]) -> dict[str, list[str]]:
    """What each operator of TVM's registry lacks here: nothing, its declaration, its relation or its kernel."""
    lacking: dict[str, list[str]] = {}
    for name in sorted(registry):
        op = ops.find(name)
        if op is None:
            lacking[name] = ["declaration"]
        else:
            lacking[name] = [what for what in ("relation", "kernel") if getattr(op, what) is None]
    return lacking


def tally(texts: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """Calls by operator over typed texts: how many there are, and on how many lines that come out the same.

    A text that shows fewer types than inference finds says nothing of them, and is left out.
    """
    total: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for text in texts:
        shown, inferred = without_metadata(without_spans(text)), without_metadata(_inferred(text))
        if not says_all_types(shown, inferred):
            continue
        expected, actual = shown.splitlines(), inferred.splitlines()
        for index, line in enumerate(expected):
            called = [name for name in _CALLED.findall(line) if ops.find(name) is not None]
            total.update(called)
            if len(actual) == len(expected) and actual[index] == line:
                right.update(called)
    return total, right


def _inferred(text: str) -> str:
    typed = ir.infer_types(ir.parse(text).module)
    return ir.to_text(typed.module, show_meta_data=True, show_spans=False)


def show(texts: Iterable[str], registry: Iterable[str]) -> None:
    """Print the table of the operators in TVM's registry over these texts."""
    total, right = tally(texts)
    lacking = lacking_parts(registry)
    width = max(map(len, lacking))
    print(f"{'operator':<{width}}  right  calls  lacking")
    for name in sorted({*lacking, *total}):
        print(f"{name:<{width}}  {right[name]:>5}  {total[name]:>5}  {', '.join(lacking.get(name, ()))}")
    print(f"{'all':<{width}}  {right.total():>5}  {total.total():>5}  {sum(map(bool, lacking.values()))}")
