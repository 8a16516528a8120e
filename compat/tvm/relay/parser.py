"""``tvm.relay.parser``: text to modules and expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relay_lsp.ir import parse as _parse
from relay_lsp.ir import parse_expr as _parse_expr
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.module import IRModule
from relay_lsp.passes import create
from relay_lsp.passes.infer_type import refuse_errors

from ...modules import MutableModule, frozen, thawed

__all__ = ["fromtext", "parse", "parse_expr"]


def parse(
    source: str,
    source_name: str = "from_string",
    init_module: IRModule | None = None,
    init_meta_table: Mapping[str, Sequence[object]] | None = None,
) -> MutableModule:
    """The module of a text, typed.

    The text may use the functions and types of ``init_module``, which the module has as well, and refer to the entries
    of ``init_meta_table``.

    Raises:
        TVMError: the text has a mistake.
    """
    base = None if init_module is None else frozen(init_module)
    parsed = _parse(source, name=source_name, module=base, metadata=init_meta_table)
    refuse_errors(parsed.diagnostics, "parse")
    return thawed(create("InferType")(parsed.module))


def fromtext(source: str, source_name: str | None = None) -> MutableModule:
    """As :func:`parse`."""
    return parse(source, source_name or "from_string")


def parse_expr(source: str) -> Expr:
    """The expression of a text.

    Raises:
        TVMError: the text has a mistake.
    """
    parsed = _parse_expr(source)
    refuse_errors(parsed.diagnostics, "parse")
    return parsed.expr
