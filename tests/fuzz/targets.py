"""What is fuzzed. A target takes a text, and raises where something is wrong with how the program took it."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from relay_lsp.ir import infer_types, parse, to_text
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.metadata.encoding import MetadataError
from relay_lsp.ir.metadata.reader import read_metadata
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.passes import PassContext, PassError, create, registered
from relay_lsp.server.features.completion import completions
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.features.hints.inlay_hints import inlay_argument_names, inlay_hints, inlay_shapes
from relay_lsp.server.features.hover import hover, render
from relay_lsp.server.features.navigation.call_search import find_calls
from relay_lsp.server.features.navigation.outline import outline
from relay_lsp.server.features.selection import selection_ranges
from relay_lsp.server.history.store import HistoryStore, content_hash
from relay_lsp.server.serving.application import create_server
from tests.fuzz.model_targets import onnx, pytorch, tflite
from tests.whole_texts import folds

__all__ = ["TARGETS"]


def text(given: str) -> None:
    """Reading and typing never raise, and what they find lies in the text."""
    snapshot = Snapshot.open(given, "fuzz")
    for finding in snapshot.diagnostics:
        assert finding.code != "internal-error"
        assert finding.span is None or 0 <= finding.span.start <= finding.span.end <= len(given)
    parse(given)


def edits(given: str) -> None:
    """The state after edits is that of the text opened afresh."""
    generator = random.Random(len(given))
    snapshot = Snapshot.open(given, "fuzz")
    for _ in range(3):
        start = generator.randrange(snapshot.lines.length + 1)
        end = min(snapshot.lines.length, start + generator.randint(0, 5))
        snapshot = snapshot.edit(TextSpan(start, end), generator.choice(("", " ", "%x", "}", ";", "/*", "\n")))
    shown = _shown(snapshot)
    assert "internal-error" not in [code for code, *_ in shown]
    assert shown == _shown(Snapshot.open(snapshot.text, "fuzz"))


def _shown(snapshot: Snapshot) -> list[tuple[object, ...]]:
    """What a client sees of the findings, which also refer to expressions of their snapshot."""
    return [(each.code, each.message, each.span, each.severity, each.fixes) for each in snapshot.diagnostics]


def features(given: str) -> None:
    """What an editor asks about a place is answered at every place."""
    snapshot = Snapshot.open(given, "fuzz")
    assert not any(finding.code == "internal-error" for finding in diagnostics(snapshot))
    list(folds(snapshot))
    outline(snapshot)
    list(find_calls(snapshot, "re"))
    everything = TextSpan(0, snapshot.lines.length)
    for hints in (inlay_hints, inlay_argument_names, inlay_shapes):
        for hint in hints(snapshot, everything):
            assert 0 <= hint.offset <= len(given)
    generator = random.Random(len(given))
    for _ in range(4):
        offset = generator.randrange(len(given) + 1)
        shown = hover(snapshot, offset)
        if shown is not None:
            render(shown)
        completions(snapshot, offset)
        selection_ranges(snapshot, offset)


def metadata(given: str) -> None:
    """A metadata section is read, or refused with a reason."""
    section = given.partition("#[metadata]")[2] or given
    try:
        read_metadata(section)
    except MetadataError:
        return


def messages(given: str) -> None:
    """Whatever is sent, every request with an id that can be read gets one answer, and none is an internal error."""

    class Answers:
        def __init__(self) -> None:
            self.messages: list[dict[str, Any]] = []

        def write(self, data: bytes) -> None:
            self.messages.append(json.loads(data.partition(b"\r\n\r\n")[2]))

        def close(self) -> None: ...

    protocol = create_server().protocol
    answers = Answers()
    protocol.set_writer(answers)
    protocol.lifecycle.note("initialize")
    generator = random.Random(len(given))
    value = json.dumps(given)
    bodies = (
        given,
        value,
        f"[{value}]",
        f'{{"jsonrpc": "2.0", "id": 1, "method": {value}}}',
        f'{{"jsonrpc": "2.0", "id": {value}, "result": {value}}}',
        f'{{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {value}}}',
    )
    protocol.receive(generator.choice(bodies).encode("utf-8", "surrogatepass"))
    for answer in answers.messages:
        assert answer["error"]["code"] in (-32700, -32600, -32601, -32602), answer


def history(given: str) -> None:
    """A damaged history is set aside and a new one begun; what it gives is never another text than the one asked for,
    and what is recorded once damage was found is there."""
    generator = random.Random(given.encode("utf-8", "surrogatepass"))
    with tempfile.TemporaryDirectory() as folder:
        store = HistoryStore(Path(folder))
        texts = [f"{number} {given}" for number in range(5)]
        for before, after in pairwise(texts):
            store.record("A", before, after, 0.1, origins=((0, 5, ((0, 6),)),))
            store.keep_layers(after, ((0, 1, (("conv1", 1, 1),)),))
            store.keep_base(f"edited {after}", after)
        store.close()
        file = Path(folder, "history.sqlite")
        file.write_bytes(_damaged(generator, file.read_bytes(), given.encode("utf-8", "surrogatepass")))
        said: list[str] = []
        store = HistoryStore(Path(folder), report=said.append)
        for text in texts:
            assert store.text(content_hash(text)) in (text, None)
            assert store.base(f"edited {text}") in (text, None)
            store.layers(text)
            for step in (*store.steps_to(text), *store.steps_from(text)):
                assert isinstance(step.origins, tuple)
                store.step(step.id)
        if said:
            store.record("B", "third", f"fourth {given}", 0.1)
            assert store.steps_to(f"fourth {given}")
        store.close()


def _damaged(generator: random.Random, content: bytes, given: bytes) -> bytes:
    """A file in which some bytes are others, are gone, or are there that were not."""
    made = bytearray(content)
    for _ in range(generator.choice((1, 2, 50))):
        place, length = generator.randrange(len(made) + 1), generator.choice((1, 8, 300))
        kind = generator.randrange(4)
        if kind == 0:
            made[place : place + length] = generator.randbytes(length)
        elif kind == 1:
            made[place : place + len(given)] = given
        elif kind == 2:
            del made[place : place + length]
        else:
            made[place:place] = bytes(length)
    return bytes(made)


def passes(given: str) -> None:
    """A pass on a module without errors gives one that is well formed, or refuses with a reason."""
    parsed = parse(given)
    inferred = infer_types(parsed.module)
    if any(each.severity is Severity.ERROR for each in (*parsed.diagnostics, *inferred.diagnostics)):
        return
    generator = random.Random(len(given))
    for name in generator.sample(sorted(registered()), 3):
        try:
            with PassContext(opt_level=3):
                made = create(name)(inferred.module)
        except PassError:
            continue
        try:
            to_text(made)
        except ValueError:
            continue  # it says what cannot be written


TARGETS: dict[str, Callable[[str], None]] = {
    target.__name__: target
    for target in (text, edits, features, metadata, messages, history, passes, onnx, pytorch, tflite)
}
