"""A pass described from its declaration, for pickers, forms and documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relay_lsp.ir.ops.documentation import value_text

from .markdown import markdown

if TYPE_CHECKING:
    from relay_lsp.passes import Declaration

__all__ = ["describe_pass"]


def describe_pass(declaration: Declaration) -> dict[str, Any]:
    """What a picker and a form need to know of a pass, as JSON; documentation is Markdown."""
    options = [
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
