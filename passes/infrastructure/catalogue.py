"""The page of all passes in Markdown, from their declarations.

``docs/passes.md`` is what :func:`document_passes` gives; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.ops.documentation import value_text

from .declaration import Declaration
from .registry import registered

__all__ = ["document_pass", "document_passes"]

_PREFACE = """\
# Passes

Generated from the declarations in `passes` by `relay-lsp passes --markdown`; do not edit.

An option without a default must be given. *Level* is the lowest `opt_level` of a `PassContext` at which a pipeline runs
the pass; *requires* are the passes that run before it, unless they still hold. What a pass does is that of TVM v0.12.0.
"""

_LITERAL = re.compile(r"(?<!`)``(?!`)(.+?)(?<!`)``(?!`)", re.DOTALL)
_ROLE = re.compile(r":\w+:(`[^`]+`)")
_KINDS = {"FunctionPass": "function pass", "ModulePass": "module pass", "Sequential": "pipeline"}


def document_pass(declaration: Declaration) -> str:
    """All about one pass: what it does, its level and requirements, its options, an example."""
    info = declaration.info
    facts = [f"A {_KINDS.get(declaration.kind, declaration.kind)} of level {info.opt_level}"]
    if info.required:
        facts.append("requires " + ", ".join(f"`{name}`" for name in info.required))
    if info.name != declaration.name:
        facts.append(f"called `{info.name}` in a `PassContext`")
    lines = [f"## `{declaration.name}`", "", _markdown(declaration.doc), "", "; ".join(facts) + ".", ""]
    if declaration.options:
        lines += ["| option | takes | default | |", "|---|---|---|---|"]
        lines += [_row(field) for field in declaration.options.values()]
        lines.append("")
    return "\n".join(lines)


def document_passes(declarations: Iterable[Declaration] | None = None) -> str:
    """The whole of ``docs/passes.md``: every pass of this package, or ``declarations``, by name."""
    if declarations is None:
        package = __name__.rsplit(".", 2)[0]
        declarations = [
            each.declaration() for each in registered().values() if each.__module__.startswith(f"{package}.")
        ]
    ordered = sorted(declarations, key=lambda declaration: declaration.name)
    rows = [f"| [`{each.name}`](#{each.name.lower()}) | {_cell(each.summary)} |" for each in ordered]
    table = ["| pass | |", "|---|---|", *rows]
    return "\n".join([_PREFACE, *table, "", *map(document_pass, ordered)]).rstrip("\n") + "\n"


def _row(field: AttributeField) -> str:
    default = "" if field.required else f"`{_cell(value_text(field.default))}`"
    choices = " or ".join(f"`{choice}`" for choice in field.choices)
    return f"| `{field.name}` | {choices or _cell(field.kind)} | {default} | {_cell(field.doc)} |"


def _cell(text: str) -> str:
    return _markdown(" ".join(text.split())).replace("|", "\\|")


def _markdown(documentation: str) -> str:
    """Documentation as Markdown: a literal block becomes a fenced one, ``code`` becomes `code`."""
    lines: list[str] = []
    block = False
    for line in documentation.splitlines():
        if block and line and not line.startswith(" "):
            while lines[-1] == "":
                lines.pop()
            lines += ["```", ""]
            block = False
        if not block and line.endswith("::"):
            lines += [line[:-1], "", "```relay"]
            block = True
        elif block and lines[-1] == "```relay" and not line:
            continue
        else:
            lines.append(line[4:] if block else line)
    if block:
        lines.append("```")
    return _ROLE.sub(r"\1", _LITERAL.sub(r"`\1`", "\n".join(lines)))
