"""What a user's pass has made must have a text: attributes and numbers may be any objects of Python's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import cast

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.dimensions import AnyDim
from relay_lsp.ir.expressions import Call, Constant, Expr, Function
from relay_lsp.ir.lazy_numpy import np
from relay_lsp.ir.metadata import MetadataError, type_key_of
from relay_lsp.ir.metadata.tensors import tensor_pieces
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import DataType
from relay_lsp.ir.visitor import post_order

from .errors import PassError

__all__ = ["require_writable"]


def require_writable(module: IRModule) -> None:
    """Make sure that every attribute and every constant of a module can be written into a text.

    Raises:
        PassError: one cannot; it names the operator or function and the attribute.
    """
    for name, value in module.attrs.items():
        _require_attribute("the module", name, value, None)
    names: dict[Expr, str] = {function: f"@{var.name_hint}" for var, function in module.functions.items()}
    for expr in post_order(*module.functions.values()):
        if isinstance(expr, Constant) and not _is_stored(expr.dtype):
            raise PassError(f"made a constant of the dtype {expr.dtype}, which no text can say", place=expr)
        for name, value in _attributes(expr):
            _require_attribute(_called(expr, names), name, value, expr)


@cache
def _is_stored(dtype: DataType) -> bool:
    try:
        _ = tensor_pieces(np.empty(0), dtype)
    except MetadataError:
        return False
    return True


def _attributes(expr: Expr) -> Iterator[tuple[str, object]]:
    if isinstance(expr, Call) and expr.attrs is not None:
        yield from ((name, expr.attrs[name]) for name in expr.attrs.keys())  # noqa: SIM118 - attributes are no mapping
    elif isinstance(expr, Function):
        yield from expr.attrs.items()


def _called(expr: Expr, names: Mapping[Expr, str]) -> str:
    if isinstance(expr, Call):
        return expr.op.name if isinstance(expr.op, Op) else "a call"
    return names.get(expr, "a function")


def _require_attribute(owner: str, name: str, root: object, place: Expr | None) -> None:
    stack = [root]
    while stack:
        value = stack.pop()
        if isinstance(value, (tuple, list)):
            stack.extend(cast("Sequence[object]", value))
        elif isinstance(value, Mapping):
            for key, item in cast("Mapping[object, object]", value).items():
                stack += (key, item)
        elif isinstance(value, Attrs):
            stack.extend(value[name] for name in value.keys())  # noqa: SIM118 - attributes are no mapping
        elif value is not None and not isinstance(value, (str, int, float, AnyDim)):
            try:
                _ = type_key_of(value)
            except MetadataError:
                raise PassError(
                    f"the attribute {name} that it gave {owner} holds a value of the class {type(value).__name__}, "
                    "which no text can say: an attribute is a number, a string, None, or a list or mapping of such",
                    place=place,
                ) from None
