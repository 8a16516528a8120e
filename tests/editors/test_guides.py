"""The code of the guides runs as it stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from relay_lsp import ir
from relay_lsp.ir.syntax import parse
from relay_lsp.passes import create, registered
from relay_lsp.passes.infrastructure.extensions import load_file, unload

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), *sorted((DOCS / "features").glob("*.md"))]
_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
VERSION = '#[version = "0.0.5"]\n'


def code_of(guide: str) -> list[str]:
    return _CODE.findall((DOCS / guide).read_text("utf-8"))


@pytest.fixture
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[str]]:
    """The code of a guide loaded as a user's file, but for the last piece, which uses it; what the file brought."""
    file = tmp_path / "guide.py"
    file.write_text("\n".join(code_of(request.param)[:-1]), "utf-8")
    extension = load_file(file)
    assert extension.fault is None, extension.fault
    yield [*extension.passes, *extension.operators]
    unload(extension.origin)


@pytest.mark.parametrize(
    ("loaded", "guide"),
    [(guide, guide) for guide in ("writing-a-pass.md", "writing-an-operator.md")],
    indirect=["loaded"],
)
@pytest.mark.usefixtures("loaded")
def test_the_last_piece_of_a_guide_uses_what_the_others_declare(guide: str):
    exec(code_of(guide)[-1], {})


@pytest.mark.parametrize("loaded", ["writing-a-pass.md"], indirect=True)
def test_the_pass_of_the_guide_does_what_its_documentation_shows(loaded: list[str]):
    assert loaded == ["ReplaceRelu"]
    for example in registered()["ReplaceRelu"].declaration().examples:
        after = create("ReplaceRelu")(parse(VERSION + example.before).module)
        assert ir.structural_equal(after, parse(VERSION + example.after).module)


def test_the_pattern_of_the_guide_finds_what_it_describes():
    names: dict[str, object] = {}
    exec(code_of("writing-a-pass.md")[1], names)
    module = parse(VERSION + "def @main(%x: Tensor[(4), float32]) { negative(negative(%x)) }").module
    after = names["drop_double_negations"](module["main"])  # pyright: ignore[reportCallIssue]
    assert "negative" not in ir.to_text(after)


@pytest.mark.parametrize("loaded", ["writing-an-operator.md"], indirect=True)
def test_the_operators_of_the_guide_are_typed_and_refuse_what_is_wrong(loaded: list[str]):
    assert loaded == ["my.scale", "my.trace"]
    text = VERSION + "def @main(%x: Tensor[(2, 3), float32]) { my.trace(%x) }"
    (diagnostic,) = parse(text).diagnostics or ir.infer_types(parse(text).module).diagnostics
    assert "2 rows and 3 columns" in diagnostic.message


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_what_a_page_links_to_is_there(page: Path):
    targets = [target for target in _LINK.findall(_FENCED.sub("", page.read_text("utf-8"))) if "://" not in target]
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []
