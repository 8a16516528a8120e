"""What the tests of inference share: typing a text, and errors that carets under the code name."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from relay_lsp.ir import infer_types, parse
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.syntax import Parsed
from relay_lsp.ir.text.line_index import LineIndex

HEADER = '#[version = "0.0.5"]\n'
CARETS = re.compile(r"//\s*(\^+)\s*(.*)")


def parsed(text: str) -> Parsed:
    read = parse(HEADER + text)
    assert not read.diagnostics
    return read


@pytest.fixture
def typed() -> Callable[[str], IRModule]:
    """Type a text that has no error."""

    def type_text(text: str) -> IRModule:
        inferred = infer_types(parsed(text).module)
        assert not inferred.diagnostics
        return inferred.module

    return type_text


@pytest.fixture
def errors() -> Callable[[str], list[Diagnostic]]:
    """The errors of a text."""

    def find(text: str) -> list[Diagnostic]:
        return list(infer_types(parsed(text).module).diagnostics)

    return find


@pytest.fixture
def check_errors() -> Callable[[str], None]:
    """Check that the errors of a text are those that its caret lines name, each at its place.

    A caret line stands below the line that it speaks of: ``//  ^^^ code: part of the message``. Carets whose words
    begin with ``related:`` name a place that an error refers to.
    """

    def check(text: str) -> None:
        wanted: set[tuple[int, int, str]] = set()
        lines: list[str] = []
        for line in text.splitlines():
            match = CARETS.match(line)
            if match:
                wanted.add((len(lines) - 1, match.start(1), match[1] + " " + match[2]))
            else:
                lines.append(line)
        source = "\n".join(lines)
        read = parsed(source)
        lines_of = LineIndex(HEADER + source)
        reported: list[tuple[int, int, int, str]] = []
        for diagnostic in infer_types(read.module).diagnostics:
            places = [(diagnostic.place, f"{diagnostic.code}: {diagnostic.message}")]
            places += [(related.place, f"related: {related.message}") for related in diagnostic.related]
            for place, words in places:
                assert place is not None
                span = read.locate(place)
                assert span is not None or words.startswith("related: "), words
                if span is None:
                    continue
                before = lines_of.line_and_column(span.start)
                reported.append((before[0] - 1, before[1], span.end - span.start, words))
        for line, column, words in wanted:
            carets, _, message = words.partition(" ")
            assert any((line, column, len(carets)) == place[:3] and message in place[3] for place in reported), (
                f"{line}:{column} {words} not among {reported}"
            )
        main = [entry for entry in reported if not entry[3].startswith("related: ")]
        assert len(main) == sum(not words.partition(" ")[2].startswith("related:") for _, _, words in wanted), reported

    return check
