"""Random numbers. PyTorch's generator is not Relay's: their distribution is the same, and not the numbers."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, TupleGetItem

from ...operators import cast
from ..node import TorchNode, converter
from .creation import wanted_dtype


def _key() -> Constant:
    """The key of the generator: seed 0 (TVM takes the time), and a fixed path.

    Source of the rule: ``threefry_key`` in ``python/tvm/relay/op/random/kernel.py``.
    """
    return Constant(np.array([0, 0, 0, 0, 0, 0, 0, 0, 1 << 63, 0], np.uint64))


def _drawn(node: TorchNode, name: str, shape: list[int], dtype: str, bounds: tuple[float, float]) -> Expr:
    first, second = (constant(bound, dtype) for bound in bounds)
    return TupleGetItem(call(name, _key(), first, second, out_shape=shape, out_dtype=dtype), 1)


@converter("aten::randn")
def randn(node: TorchNode) -> Expr:
    """``random.normal``."""
    dtype = wanted_dtype(node, len(node) - 4, "float32") if len(node) >= 5 else "float32"
    return _drawn(node, "random.normal", node.integers(0), dtype, (0.0, 1.0))


@converter("aten::randn_like")
def randn_like(node: TorchNode) -> Expr:
    """``random.normal``."""
    return _drawn(node, "random.normal", list(node.static_shape()), wanted_dtype(node, 1, node.dtype()), (0.0, 1.0))


@converter("aten::rand")
def rand(node: TorchNode) -> Expr:
    """``random.uniform``."""
    dtype = wanted_dtype(node, len(node) - 4, "float32") if len(node) >= 5 else "float32"
    return _drawn(node, "random.uniform", node.integers(0), dtype, (0.0, 1.0))


@converter("aten::rand_like")
def rand_like(node: TorchNode) -> Expr:
    """``random.uniform``."""
    return _drawn(node, "random.uniform", list(node.static_shape()), wanted_dtype(node, 1, node.dtype()), (0.0, 1.0))


@converter("aten::multinomial")
def multinomial(node: TorchNode) -> Expr:
    """``random.multinomial``, with replacement."""
    count = node.integer(1)
    node.require(count == 1 or node.flag(2) or not node.is_exported, "Relay draws with replacement", 2)
    drawn = TupleGetItem(call("random.multinomial", _key(), node.tensor(), num_samples=count), 1)
    return cast(drawn, "int64") if node.is_exported else drawn
