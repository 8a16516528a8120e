"""``relay-lsp passes`` and ``ops``: list the passes and the operators, each with its documentation."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from relay_lsp.ir import ops
from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.ops import Op
from relay_lsp.ir.ops.documentation import document_operator, document_operators, value_text

from ..features.markdown import markdown
from .problems import EXIT_OK, CommandError

__all__ = ["operators", "passes"]


def passes(options: argparse.Namespace) -> int:
    """List the passes, or explain one."""
    from relay_lsp.passes import registered

    known = registered()
    if options.name is None and options.markdown:
        from relay_lsp.passes.infrastructure.catalogue import document_passes

        print(document_passes(), end="")
        return EXIT_OK
    if options.name is None:
        described = [kind.declaration() for kind in known.values()]
        if options.format == "json":
            print(json.dumps([_pass_json(item) for item in described], indent=2, ensure_ascii=False))
        else:
            _list((item.name, markdown(item.summary)) for item in described)
        return EXIT_OK
    if options.name not in known:
        raise CommandError(f"there is no pass called {options.name}{_near(options.name, known)}")
    declaration = known[options.name].declaration()
    if options.format == "json":
        print(json.dumps(_pass_json(declaration), indent=2, ensure_ascii=False))
        return EXIT_OK
    print(f"{declaration.name}  ({declaration.kind}, level {declaration.info.opt_level})")
    if declaration.info.required:
        print(f"requires {', '.join(declaration.info.required)}")
    print(f"\n{markdown(declaration.doc)}")
    if declaration.options:
        print("\noptions:")
        _list((_option_head(field), markdown(field.doc)) for field in declaration.options.values())
    return EXIT_OK


def _option_head(field: AttributeField) -> str:
    return f"{field.name} ({field.kind})" if field.required else f"{field.name}={value_text(field.default)}"


def _pass_json(declaration: Any) -> dict[str, Any]:
    return {
        "name": declaration.name,
        "kind": declaration.kind,
        "level": declaration.info.opt_level,
        "required": list(declaration.info.required),
        "summary": declaration.summary,
        "documentation": declaration.doc,
        "options": [_field_json(field) for field in declaration.options.values()],
    }


def _field_json(field: AttributeField) -> dict[str, Any]:
    return {
        "name": field.name,
        "kind": field.kind,
        "required": field.required,
        "default": None if field.required else value_text(field.default),
        "choices": list(field.choices),
        "documentation": field.doc,
    }


def operators(options: argparse.Namespace) -> int:
    """List the operators, or explain one."""
    known = ops.registered()
    if options.name is None:
        if options.markdown:
            print(document_operators(), end="")
        elif options.format == "json":
            print(json.dumps([_operator_json(known[name]) for name in sorted(known)], indent=2, ensure_ascii=False))
        else:
            _list((name, _summary(known[name])) for name in sorted(known))
        return EXIT_OK
    op = ops.find(options.name)
    if op is None:
        raise CommandError(f"there is no operator called {options.name}{_near(options.name, known)}")
    if options.format == "json":
        print(json.dumps(_operator_json(op), indent=2, ensure_ascii=False))
        return EXIT_OK
    print(document_operator(op), end="")
    return EXIT_OK


def _summary(op: Op) -> str:
    return markdown(op.doc).partition("\n\n")[0].replace("\n", " ")


def _operator_json(op: Op) -> dict[str, Any]:
    return {
        "name": op.name,
        "documentation": op.doc,
        "arguments": [{"name": item.name, "type": item.type, "documentation": item.doc} for item in op.arguments],
        "attributes": [_field_json(field) for field in op.attrs_type.fields().values()] if op.attrs_type else [],
        "pattern": op.pattern.name,
        "level": op.support_level,
        "stateful": op.stateful,
    }


def _list(rows: Iterable[tuple[str, str]]) -> None:
    rows = list(rows)
    width = min(max((len(name) for name, _ in rows), default=0), 40)
    for name, words in rows:
        print(f"  {name:<{width}}  {words}")


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), 3)
    return f"; did you mean {' or '.join(near)}?" if near else ""
