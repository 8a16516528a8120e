"""The types that TVM's importer puts into every module: lists, options, trees, and tensors in arrays.

Source of the rule: ``python/tvm/relay/prelude.py`` and ``python/tvm/relay/std/prelude.rly``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from relay_lsp.ir.module import IRModule, TypeData
from relay_lsp.ir.types import GlobalTypeVar

__all__ = ["prelude_types"]

_DTYPES = ("float16", "float32", "float64", "int16", "int32", "int64", "int8", "uint16", "uint8")
_MOST_DIMENSIONS = 6


@cache
def _prelude() -> IRModule:
    from relay_lsp.ir.syntax.parsing import parse

    lines = ['#[version = "0.0.5"]', "type List[A] { Cons(A, List[A]), Nil, }", "type Option[A] { Some(A), None, }"]
    lines.append("type Tree[A] { Rose(A, List[Tree[A]]), }")
    for dtype in _DTYPES:
        constructors = [f"tensor_nil_{dtype}", f"tensor0_{dtype}({dtype})"]
        for rank in range(1, _MOST_DIMENSIONS + 1):
            constructors.append(f"tensor{rank}_{dtype}(Tensor[({', '.join('?' * rank)}), {dtype}])")
        lines.append(f"type tensor_{dtype}_t {{ {', '.join(constructors)}, }}")
    return parse("\n".join(lines)).module


def prelude_types() -> Mapping[GlobalTypeVar, TypeData]:
    """The definitions of the types, by name."""
    return _prelude().type_definitions
