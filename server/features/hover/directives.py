"""The version line and the metadata section."""

from __future__ import annotations

import re

from relay_lsp.ir.semantic.snapshot import Token
from relay_lsp.ir.text.text_span import TextSpan

from ..documentation.markdown import code_span
from .contents import Hover

__all__ = ["directive_hover"]

_VERSION = re.compile(r"#\[version\s*=\s*\"(?P<version>[^\"]*)\"\]")
_KINDS = re.compile(r'"type_key":\s*"Map",\s*"keys":\s*\[(?P<keys>[^\]]*)\]')
_LONGEST_HEAD = 4000
"""The table of kinds stands at the beginning of the section."""


def directive_hover(token: Token) -> Hover | None:
    """What the version line says, and what is in the metadata section."""
    match = _VERSION.match(token.text)
    if match is not None:
        words = "Version of Relay's text format: TVM v0.12.0 writes `0.0.5`, and reads a text only with such a line."
        return Hover(token.span, match[0], words)
    if not token.text.startswith("#[metadata]"):
        return None
    keys = _KINDS.search(token.text, 0, _LONGEST_HEAD)
    kinds = [key.strip().strip('"') for key in keys["keys"].split(",")] if keys is not None else []
    named = ": " + ", ".join(code_span(f"meta[{kind}]") for kind in kinds if kind) if any(kinds) else ""
    words = f"What the text above refers to as `meta[kind][index]`{named}."
    return Hover(TextSpan(token.span.start, token.span.start + len("#[metadata]")), "#[metadata]", words)
