"""A pass described from its declaration, for pickers, forms and documentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from relay_lsp.ir.ops.documentation import value_text

from .markdown import markdown

if TYPE_CHECKING:
    from relay_lsp.passes import Declaration

__all__ = ["OptionEntry", "PassEntry", "describe_pass", "describe_passes"]


class OptionEntry(TypedDict):
    """An option of a pass; there is no default where it is required."""

    name: str
    kind: str
    default: str | None
    documentation: str
    choices: Sequence[object]


class PassEntry(TypedDict):
    """What a picker and a form need to know of a pass; documentation is Markdown."""

    name: str
    summary: str
    documentation: str
    level: int
    required: Sequence[str]
    options: Sequence[OptionEntry]


def describe_passes() -> list[PassEntry]:
    """Every registered pass."""
    from relay_lsp.passes import registered  # a start does without it

    return [describe_pass(kind.declaration()) for kind in registered().values()]


def describe_pass(declaration: Declaration) -> PassEntry:
    """What a picker and a form need to know of a pass."""
    options: list[OptionEntry] = [
        {
            "name": option.name,
            "kind": option.kind,
            "default": None if option.required else value_text(option.default),
            "documentation": markdown(option.doc),
            "choices": list(option.choices),
        }
        for option in declaration.options.values()
    ]
    return {
        "name": declaration.name,
        "summary": markdown(declaration.summary),
        "documentation": markdown(declaration.doc),
        "level": declaration.info.opt_level,
        "required": list(declaration.info.required),
        "options": options,
    }
