"""``./dev repeats [--minutes N] [--seed N]``: texts in which a few lines, whole or broken, come a thousand times.

What costs more than its length only shows where there is much of it, and it is not known beforehand of what: so a few
lines are drawn, damaged and repeated with other numbers in some place of a module. What takes longer than
``docs/reliability.md`` allows is printed, with the time of half the text beside it: where that is a quarter, the work
grows as the square.
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from types import FrameType
from typing import Final, NamedTuple

from relay_lsp.ir.formatting.formatter import format_edits
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.completion import completions
from relay_lsp.server.features.diagnostics.code_actions import edits_of_all
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.features.hints.inlay_hints import inlay_hints
from relay_lsp.server.features.hover import hover
from relay_lsp.server.features.layers.indexing import layer_index
from relay_lsp.server.features.layers.table import layer_table
from relay_lsp.server.features.navigation.outline import outline
from relay_lsp.server.features.refactoring import refactorings
from relay_lsp.server.features.selection import selection_ranges
from relay_lsp.server.session.workspace import COLLECTOR_THRESHOLDS
from tests.hostile_figures import seconds_allowed, slowness
from tests.whole_texts import folds, semantic_tokens

__all__ = ["RepeatedText", "answer", "random_text"]

_LENGTH: Final = 40_000
"""The characters of a text, about: what grows as the square takes seconds then, and what does not a tenth of one."""

_GIVEN_UP: Final = 30
"""The seconds after which a text is given up."""

_WORDS: Final = (
    "%x } { ( ) [ ] ; , => = -> let fn else match % @ %N a.b nn. nn.relu nn.relu( /* */ "
    "\" : <int32> 1f -1 ' é Cons( Cons(%h _"
)

_PIECES: Final = (
    "%N = nn.relu(%x);",
    "let %aN = nn.relu(%x);",
    "let %aN: Tensor[(2, 3), float32] = %x;",
    "%N = (%x, %x);",
    "%N = %M.0;",
    "%N = add(%M, %x)",
    "%N = fn (%y: Tensor[(2, 3), float32]) { %y };",
    "let %f = fn (%y) { %y };",
    "if (%c) { %x } else { %x };",
    "%N = if (%c) { %x } else { %M };",
    "match (%l) { Cons(%h, _) => %h, Nil => %x };",
    "%N = match (%l) { Cons(%h, %t) => { %h }, Nil => { %x } };",
    "@f(%x);",
    "%N = @f(%x) /* ty=Tensor[(2, 3), float32] */;",
    "ref(%x);",
    "%N = ref(%x); ref_write(%N, %x);",
    "let %aN = ref_read(%r);",
    "%N = meta[relay.Constant][N];",
    "%N = split(%x, indices_or_sections=3);",
    "%N = concatenate((%x, %x), axis=0);",
    "%N = nn.conv2d(%x, %w, padding=[1, 1]) /* ty=x span=a.b:1:2 */;",
    "free_var %vN: int32;",
    "%N = 1f + 2f * %x;",
    "(%x, (%x, %x));",
    "let %aN = (let %b = 1f; %b);",
    "let %aN = let %bN = 1f; %bN;",
    "def @gN(%x: int32) -> int32 { %x }",
    "type TN[A] { AN(A), BN }",
    "extern type TN",
    '#[version = "0.0.5"]',
    "/* a comment */",
    "// c",
    '"a string"',
    "%N = @gN(%x, %y);",
    "let %x = %x;",
    "fn (",
    "if (",
    "let %a",
    "%N =",
    "Tensor[(2, 3)",
    "_ =>",
    "Nil => %x,",
    "%x: int32,",
    "-> int32 {",
    "def @g",
    "def",
    "type T {",
    "A(int32),",
    *_WORDS.split(),
)
"""What a text is made of: lines of all kinds, and what is left of them while they are typed."""

_PLACES: Final = (
    ("def @f(%x: Tensor[(2, 3), float32], %c: bool, %l: L[Tensor[(2, 3), float32]], %r: ref(int32)) {\n", "%x\n}\n"),
    ("def @f(%x: Tensor[(2, 3), float32], %c: bool) {\n  if (%c) {\n", "%x\n  } else {\n    %x\n  }\n}\n"),
    ("def @f(%x: Tensor[(2, 3), float32]) {\n  %0 = fn (%y: int32) {\n", "%x\n  };\n  %0\n}\n"),
    ("def @f(%x) {\n", "%x\n}\n"),
    ("def @f[A](%x: A) {\n", "%x\n}\n"),
    ("", ""),
    ("def @f(%x: int32) {\n  match (%x) {\n", "_ => %x\n}\n}\n"),
    ("def @f(%x: int32) {\n  add(%x, ", ")\n}\n"),
    ("def @f(%x: int32) {\n  (%x, ", ")\n}\n"),
    ("type T {\n", "}\n"),
    ("def @f(", ") { %x }\n"),
    ("def @f(%x: int32) {\n  let %k = let %j = 1f;\n", "%j;\n%k\n}\n"),
    ("def @f(%x: int32) -> (int32, ", ") { %x }\n"),
    ("def @f(%x: int32) {\n  %x /* ty=(", " */\n}\n"),
    ("def @f(%x: int32) {\n  %x\n}\n#[metadata]\n{", "}\n"),
)
"""What stands before and behind what is repeated."""

_OPENING: Final = '#[version = "0.0.5"]\ntype L[A] {\n  Cons(A, L[A]),\n  Nil,\n}\n'
_NUMBER: Final = re.compile(r"(?<![a-zA-MO-Z])N\b|(?<=[%@a-zA-Z])N\b")


class RepeatedText(NamedTuple):
    """Some lines with ``N`` where their number comes, which stand between others."""

    lines: str
    place: tuple[str, str]

    def text(self, times: int) -> str:
        """The text in which the lines come so many times."""
        made = [_NUMBER.sub(str(n), self.lines).replace("%M", f"%{max(0, n - 1)}") for n in range(times)]
        return f"{_OPENING}{self.place[0]}{''.join(made)}{self.place[1]}"

    @property
    def times(self) -> int:
        """How often the lines come in a text of the length that is tried."""
        return max(20, _LENGTH // len(self.lines))


def random_text(seed: int) -> RepeatedText:
    """The text of a seed."""
    generator = random.Random(seed)
    pieces = [generator.choice(_PIECES) for _ in range(generator.choice((1, 1, 2, 2, 3)))]
    if generator.random() < 0.3:
        number = generator.randrange(len(pieces))
        pieces[number] = _damaged(generator, pieces[number])
    between = generator.choice(("\n", "\n", "\n ", " ", ""))
    place = generator.choice((_PLACES[0], _PLACES[0], *_PLACES))
    return RepeatedText("".join(f"{piece}{between}" for piece in pieces), place)


def _damaged(generator: random.Random, piece: str) -> str:
    at = generator.randrange(len(piece))
    if generator.random() < 0.7 and len(piece) > 1:
        return (piece[:at] + piece[at + generator.choice((1, 1, 2, 5)) :]) or piece
    return piece[:at] + generator.choice('()[]{};,=%@" ') + piece[at:]


_ANSWERS: Final[Mapping[str, Callable[[Snapshot, int], object]]] = {
    "outline": lambda snapshot, offset: outline(snapshot),
    "folding": lambda snapshot, offset: list(folds(snapshot)),
    "tokens": lambda snapshot, offset: list(semantic_tokens(snapshot)),
    "hints": lambda snapshot, offset: list(inlay_hints(snapshot, TextSpan(0, snapshot.lines.length))),
    "fixes": lambda snapshot, offset: edits_of_all(snapshot.diagnostics),
    "formatting": lambda snapshot, offset: format_edits(snapshot.text),
    "selection": selection_ranges,
    "hover": hover,
    "completion": completions,
    "refactorings": lambda snapshot, offset: list(refactorings(snapshot, TextSpan(offset, offset))),
    "layers": lambda snapshot, offset: layer_table(snapshot, layer_index(snapshot.lines)),
}
"""What is asked of each text: about all of it, or about its middle."""


def answer(text: str) -> dict[str, float]:
    """The processor time of the diagnostics of a text, of each answer, and of an edit in its middle."""
    seconds: dict[str, float] = {}
    snapshots: list[Snapshot] = []

    def timed(name: str, work: Callable[[], object]) -> None:
        started = time.process_time()
        work()
        seconds[name] = time.process_time() - started

    def show(snapshot: Snapshot) -> None:
        snapshots.append(snapshot)
        diagnostics(snapshot)

    middle = len(text) // 2
    timed("diagnostics", lambda: show(Snapshot.open(text, "repeated.relay")))
    snapshot = snapshots[0]
    assert not any(each.code == "internal-error" for each in snapshot.diagnostics), "an internal error"
    for name, work in _ANSWERS.items():
        timed(name, partial(work, snapshot, middle))
    timed("an edit", lambda: show(snapshot.edit(TextSpan(middle, middle), "x")))
    return seconds


def _given_up(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


def main() -> int:
    """Run; 1 where a text took longer than it may, or met an internal error."""
    parser = argparse.ArgumentParser(prog="./dev repeats", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    first = options.seed if options.seed is not None else time.time_ns() // 1_000_000
    answer(_OPENING)  # what is imported when it is needed is not timed
    gc.freeze()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _given_up)
    slow = slowness()
    finds, seed = 0, first
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end:
        repeated = random_text(seed)
        text = repeated.text(repeated.times)
        allowed = seconds_allowed(text) * slow
        try:
            over = {name: seconds for name, seconds in _within(text).items() if seconds > allowed}
        except Exception as error:
            finds += 1
            print(f"{seed}: {type(error).__name__} {error}: {repeated!r}"[:400], flush=True)
        else:
            if over:
                finds += 1
                half = _within(repeated.text(repeated.times // 2))
                times = ", ".join(f"{name} {seconds:.2f} s (half {half[name]:.2f})" for name, seconds in over.items())
                print(f"{seed}: {times} of {len(text):,} characters; {allowed:.2f} allowed: {repeated!r}", flush=True)
        seed += 1
    print(f"{seed - first} texts from seed {first}, {finds} that take longer than they may")
    return 1 if finds else 0


def _within(text: str) -> dict[str, float]:
    if not hasattr(signal, "SIGALRM"):
        return answer(text)
    signal.alarm(_GIVEN_UP)
    try:
        return answer(text)
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    sys.exit(main())
