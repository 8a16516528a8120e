"""``relay-lsp passes`` and ``ops``: list the passes and the operators, each with its documentation."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relay_lsp.ir import ops
from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.ops import Op
from relay_lsp.ir.ops.documentation import (
    document_operator,
    document_operators,
    kind_text,
    operator_properties,
    signature,
    value_text,
)
from relay_lsp.ir.syntax.suggestions import closest

from ..features.documentation.markdown import markdown
from .problems import EXIT_OK, CommandError
from .terminal import columns_of, definitions, documentation, wrapped

if TYPE_CHECKING:
    from relay_lsp.passes import Declaration

__all__ = ["operators", "passes"]


def passes(options: argparse.Namespace) -> int:
    """List the passes, or explain one."""
    from relay_lsp.passes import registered
    from relay_lsp.passes.infrastructure.errors import no_such_pass

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
        raise CommandError(no_such_pass(options.name, _near(options.name, known)))
    declaration = known[options.name].declaration()
    if options.markdown:
        from relay_lsp.passes.infrastructure.catalogue import document_pass

        print(document_pass(declaration), end="")
    elif options.format == "json":
        print(json.dumps(_pass_json(declaration), indent=2, ensure_ascii=False))
    else:
        _print(_pass_lines(declaration, columns_of(sys.stdout)))
    return EXIT_OK


def _pass_lines(declaration: Declaration, columns: int) -> Iterator[str]:
    yield f"{declaration.name}  ({declaration.kind}, level {declaration.info.opt_level})"
    if declaration.info.required:
        yield from wrapped(f"requires {', '.join(declaration.info.required)}", columns)
    yield ""
    yield from documentation(declaration.doc, columns)
    yield from _field_lines("options:", declaration.options.values(), columns)


def _field_lines(heading: str, fields: Iterable[AttributeField], columns: int) -> Iterator[str]:
    rows = [(_field_head(field), f"{_sentence(field.doc)} Takes {kind_text(field)}.") for field in fields]
    if rows:
        yield from ("", heading)
        yield from definitions(rows, columns)


def _field_head(field: AttributeField) -> str:
    return field.name if field.required else f"{field.name}={value_text(field.default)}"


def _sentence(doc: str) -> str:
    text = markdown(doc).strip()
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def _pass_json(declaration: Declaration) -> dict[str, object]:
    return {
        "name": declaration.name,
        "kind": declaration.kind,
        "level": declaration.info.opt_level,
        "required": list(declaration.info.required),
        "summary": declaration.summary,
        "documentation": declaration.doc,
        "options": [_field_json(field) for field in declaration.options.values()],
    }


def _field_json(field: AttributeField) -> dict[str, object]:
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
    if options.markdown:
        print(document_operator(op), end="")
    elif options.format == "json":
        print(json.dumps(_operator_json(op), indent=2, ensure_ascii=False))
    else:
        _print(_operator_lines(op, columns_of(sys.stdout)))
    return EXIT_OK


def _operator_lines(op: Op, columns: int) -> Iterator[str]:
    yield op.name
    yield ""
    yield from wrapped(signature(op), columns, "  ", "      ")
    yield ""
    yield from documentation(op.doc, columns)
    if op.arguments:
        yield from ("", "arguments:")
        yield from definitions([(argument.name, markdown(argument.doc)) for argument in op.arguments], columns)
    if op.attrs_type is not None:
        yield from _field_lines("attributes:", op.attrs_type.fields().values(), columns)
    elif op.metadata_attrs_type is not None:
        heading = f"attributes, which a text gives as meta[{op.metadata_attrs_type.type_key}][…]:"
        yield from _field_lines(heading, op.metadata_attrs_type.fields().values(), columns)
    yield ""
    yield from wrapped(operator_properties(op), columns)


def _summary(op: Op) -> str:
    return markdown(op.doc).partition("\n\n")[0].replace("\n", " ")


def _operator_json(op: Op) -> dict[str, object]:
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
    """Print a line for each; on a terminal, what does not fit goes on below its beginning."""
    if sys.stdout.isatty():
        _print(definitions(rows, columns_of(sys.stdout)))
        return
    rows = list(rows)
    width = min(max((len(name) for name, _ in rows), default=0), 40)
    _print(f"  {name:<{width}}  {words}" for name, words in rows)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _near(name: str, known: Iterable[str]) -> str:
    near = closest(name, known, 3)
    return f"; did you mean {' or '.join(near)}?" if near else ""
