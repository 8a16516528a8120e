"""Tables of patterns that an external compiler takes as one operator, by name, for ``MergeComposite``.

Of TVM's own table for DNNL stand here the convolutions and dense layers with a bias and one of the activations
``relu``, ``tanh``, ``sigmoid`` and ``clip``; not its patterns of ``gelu``, ``swish``, ``mish``, sums and quantised
operators.

Source of the rule: ``python/tvm/relay/op/contrib/dnnl.py``, ``register.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from relay_lsp.ir.expressions import Expr

from ..patterns import DFPattern, is_op, wildcard

__all__ = ["CompositePattern", "pattern_tables", "register_pattern_table"]

CompositePattern: TypeAlias = "tuple[str, DFPattern] | tuple[str, DFPattern, Callable[[Expr], bool]]"
"""A name such as ``dnnl.conv2d_relu``, what it looks like, and, where that is not enough, a check of each match."""

_tables: dict[str, Sequence[CompositePattern]] = {}


def register_pattern_table(name: str, table: Sequence[CompositePattern]) -> None:
    """Make a table of patterns known by name, so that ``MergeComposite[pattern_table=NAME]`` finds it."""
    _tables[name] = tuple(table)


def pattern_tables() -> Mapping[str, Sequence[CompositePattern]]:
    """Every registered table by name."""
    return _tables


_DNNL_NAMES = {
    "nn.conv1d": "conv1d",
    "nn.conv2d": "conv2d",
    "nn.conv3d": "conv3d",
    "nn.conv2d_transpose": "deconv2d",
    "nn.conv3d_transpose": "deconv3d",
    "nn.dense": "dense",
}


def _dnnl() -> Sequence[CompositePattern]:
    table: list[CompositePattern] = []
    for bias in (True, False):
        for activation in ("nn.relu", "tanh", "sigmoid", "clip", None):
            if not bias and activation is None:
                continue
            for op_name, name in _DNNL_NAMES.items():
                pattern: DFPattern = is_op(op_name)(wildcard(), wildcard())
                if bias:
                    pattern = is_op("add")(pattern, wildcard())
                    name += "_bias"
                if activation is not None:
                    pattern = is_op(activation)(pattern)
                    name += f"_{activation.removeprefix('nn.')}"
                table.append((f"dnnl.{name}", pattern))
    return table


register_pattern_table("dnnl", _dnnl())
