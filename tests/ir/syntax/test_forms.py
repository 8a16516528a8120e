"""Statements that are known by their form are cut as all text is, whatever comments and strings are in them."""

import random

import pytest

from relay_lsp.ir.syntax.splitting import split, split_text
from relay_lsp.ir.text.line_index import LineIndex

_HEAD = "def @main(%x: Tensor[(8), float32]) {\n"

_PARTS = [
    *(
        "%0",
        "%17",
        "%x",
        "%a/b",
        "%let",
        " = ",
        "=",
        "let %y = ",
        "nn.relu(",
        "add(",
        ")",
        "(",
        ", ",
        "[",
        "]",
        ";",
        ";\n",
    ),
    *(";\n  ", "\n", " ", "/* ty=int32 */", "/* %0 */", "/* ; */", '/* " */', "/* ] */", "/*", "*/", "//", "// a; b\n"),
    *(
        '"',
        '"a"',
        '"%0"',
        '"/* "',
        '" */"',
        "\\",
        "meta[",
        "meta[relay.Constant][0]",
        "meta[/* ] */",
        "][0]",
        "#",
        "{",
        "}",
    ),
    *("#[version]", "1", "-2f", "inff", "@f", "def ", "%", "\r\n", "é", "\ufeff"),
]


def _described(segments):
    return [(each.role, each.text, each.kinds, each.pieces, each.in_body, each.is_far_sighted) for each in segments]


@pytest.mark.parametrize("seed", range(20))
def test_a_statement_is_cut_alike_whether_its_form_is_known_or_not(seed):
    chance = random.Random(seed)
    for _ in range(200):
        statements = [
            "".join(chance.choices(_PARTS, k=chance.randint(1, 12))) + chance.choice([";\n", ""])
            for _ in range(chance.randint(1, 4))
        ]
        text = _HEAD + "".join(chance.choices(statements, k=6)) + "}\n"
        assert _described(split_text(LineIndex(text)).segments) == _described(split(text)), text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('%0 = f("/* a */");', '%0 = f("/* " */");'),
        ("%0 = meta[/* a */x][0];", "%0 = meta[/* ] */x][0];"),
        ('%0 = f("%1");', "%0 = f(%1);"),
        ("%0 = f(%1) /* %2 */;", "%0 = f(%1) /* ty */;"),
        ("%0 = f(%a/b);", "%0 = f(%a//b);"),
        ("%0 = f(%1);", "%a = f(%1);"),
        ("%0 = f(%1) //;\n;", "%0 = f(%1) /;\n;"),
        ("%0 = f(%x meta[a][1]);", "%0 = f(%xtype meta[a][1]);"),
        ("%0 = f(%x @g);", "%0 = f(%xdef @g);"),
    ],
)
def test_statements_that_look_alike_keep_their_pieces(first: str, second: str):
    for statements in (first, second), (second, first):
        text = _HEAD + "".join(f"  {each}\n" for each in statements) + "}\n"
        assert _described(split_text(LineIndex(text)).segments) == _described(split(text)), text
