"""What comments say of where values come from, and names that cannot stand there as they are."""

from __future__ import annotations

import pytest

from relay_lsp.ir.span_comments import is_layer_name, may_name_sources, source_text, sources_in
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.syntax.lexer import lex


def layer(name: str) -> Span:
    return Span(SourceName(name))


@pytest.mark.parametrize(
    ("comment", "names"),
    [
        ("/* si=[torch.relu_9, torch.add_2] */", ["torch.relu_9", "torch.add_2"]),
        ("/* si=torch.relu_9 */", ["torch.relu_9"]),
        ("/* si=[blocks[0].conv, x] output=x */", ["blocks[0].conv", "x"]),
        ('/* si=["first, second", plain] from=a.relay:1:2 */', ["first, second", "plain"]),
        ("/* conv1 */", ["conv1"]),
        ("/* si=[] */", []),
        ('/* si=["never closed] */', []),
        ("/* ty=Tensor[(4), float32] */", []),
    ],
)
def test_a_comment_names_sources(comment: str, names: list[str]):
    assert [source.span.source_name.name for source in sources_in(comment)] == names


NAMES = (
    *(
        "torch.relu_9",
        "a, b",
        'say "hi"',
        "x[0]",
        "a]b[",
        "two\nlines",
        "/conv/a",
        "a*/b",
        "/*",
        "🙂",
        "a:1:2",
        "\\",
        "",
    ),
    *(" ", "a b", "x" * 10_000, "si=[y]", "{}", "*"),
)


@pytest.mark.parametrize("name", NAMES)
def test_any_name_comes_back_as_it_is_and_stays_in_its_comment(name: str):
    spans = [layer("before"), layer(name), Span(SourceName(name), 3, 3, 4, 4), layer("behind")]
    comment = f"/* si=[{', '.join(map(source_text, spans))}] */"
    assert [source.span for source in sources_in(comment)] == spans
    assert [piece.strip() for piece in lex(f"{comment} %x").pieces] == [comment, "%x"]


def test_a_name_points_at_its_place_in_the_comment():
    comment = '/* si=[torch.relu_9, "a, b"] */'
    assert [comment[source.start : source.end] for source in sources_in(comment)] == ["torch.relu_9", '"a, b"']


@pytest.mark.parametrize("comment", ["/* si=[a] */", "/* ty=int32 span=a.relay:1:2 */", "/* conv1 */", "// conv1"])
def test_a_text_with_such_a_comment_may_name_sources(comment: str) -> None:
    assert list(sources_in(comment))
    assert may_name_sources(f"%0 = nn.relu(%x); {comment}")


def test_a_text_with_types_alone_names_no_source() -> None:
    assert not may_name_sources("%0 = nn.relu(%x) /* ty=Tensor[(2), float32] */;")


@pytest.mark.parametrize("comment", ["/* TODO */", "/*FIXME:*/", "// NOTE", "/* XXX */"])
def test_a_mark_of_what_is_left_to_do_is_no_layer(comment: str) -> None:
    assert not list(sources_in(comment))
    assert not is_layer_name(comment)
    assert list(sources_in("/* NOTE.1 */"))
