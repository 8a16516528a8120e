"""Texts made of others: tokens dropped, doubled, moved, replaced, nested; so most of them look like Relay nearly."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.hostile_texts import HOSTILE_TEXTS

__all__ = ["mutated", "seeds"]

_TOKEN = re.compile(r"\s+|[%@]?[A-Za-z_][\w.]*|%\d+|\d+|/\*|\*/|//|->|=>|\"|.", re.DOTALL)
_WORDS = (
    *("(", ")", "{", "}", "[", "]", "<", ";", ",", ":", "=", "=>", "->", "/*", "*/", "//", '"', "\\", "\n", "\r", "\0"),
    *("def", "fn", "let", "if", "else", "match", "match?", "type", "extern", "ref", "meta[relay.Constant][0]", "#["),
    *("%0", "%1", "%x", "@main", "Tensor[(1, ?), float32]", "()", "(%x,)", "float32", "0", "-1", "1e9f", "9" * 30),
    *("nn.relu", "add", "nn.conv2d", "split", "axis=", "/* ty=float32 */", "/* span=a:1:2 */"),
    *("²", "\ud800", "🎈", "\ufeff"),
)


def seeds() -> list[str]:
    """The corpus of this folder, and hostile texts, which are small here."""
    corpus = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "corpus").glob("*.relay"))]
    return [*corpus, *(make(8) for make in HOSTILE_TEXTS.values())]


def mutated(generator: random.Random, texts: Sequence[str]) -> str:
    """A text made of one or two of ``texts``."""
    tokens = _TOKEN.findall(generator.choice(texts))
    for _ in range(generator.randint(1, 6)):
        generator.choice(_MUTATIONS)(generator, tokens, texts)
    return "".join(tokens)[:20_000]


def _drop(generator: random.Random, tokens: list[str], texts: Sequence[str]) -> None:
    start = generator.randrange(len(tokens) + 1)
    del tokens[start : start + generator.randint(1, 4)]


def _double(generator: random.Random, tokens: list[str], texts: Sequence[str]) -> None:
    start = generator.randrange(len(tokens) + 1)
    tokens[start:start] = tokens[start : start + generator.randint(1, 20)] * generator.randint(1, 4)


def _move(generator: random.Random, tokens: list[str], texts: Sequence[str]) -> None:
    start = generator.randrange(len(tokens) + 1)
    moved = tokens[start : start + generator.randint(1, 10)]
    del tokens[start : start + len(moved)]
    place = generator.randrange(len(tokens) + 1)
    tokens[place:place] = moved


def _replace(generator: random.Random, tokens: list[str], texts: Sequence[str]) -> None:
    start = generator.randrange(len(tokens) + 1)
    tokens[start : start + generator.randint(0, 2)] = [generator.choice(_WORDS)]


def _nest(generator: random.Random, tokens: list[str], texts: Sequence[str]) -> None:
    opening, closing = generator.choice((("(", ")"), ("{", "}"), ("fn () { ", " }"), ("/*", "*/"), ("nn.relu(", ")")))
    times = generator.choice((1, 1, 2, 20))
    start = generator.randrange(len(tokens) + 1)
    end = min(len(tokens), start + generator.randint(0, 12))
    tokens[end:end] = [closing] * times
    tokens[start:start] = [opening] * times


def _splice(generator: random.Random, tokens: list[str], texts: Sequence[str]) -> None:
    other = _TOKEN.findall(generator.choice(texts))
    first, start = generator.randrange(len(other) + 1), generator.randrange(len(tokens) + 1)
    tokens[start:start] = other[first : first + generator.randint(1, 30)]


_MUTATIONS: tuple[Callable[[random.Random, list[str], Sequence[str]], None], ...] = (
    _drop, _double, _move, _replace, _replace, _nest, _splice,
)  # fmt: skip
