"""Pooling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...inspection import rank_of, shape_of
from ...operators import expand_dims, squeeze
from ..node import TorchNode, converter
from .convolution import both_sides
from .quantization import by_way_of_integers, is_quantized

_LAYOUTS = ("NCW", "NCHW", "NCDHW")


class _Window(TypedDict):
    """The window of a pool as Relay has it; the padding before all dimensions stands before that behind them."""

    pool_size: list[int]
    strides: list[int]
    padding: tuple[int, ...]
    layout: str


def _rank(node: TorchNode) -> int:
    """The number of spatial dimensions: what the operator's name says."""
    return int(node.operator[node.operator.index("pool") + 4])


def _batched(data: Expr, rank: int, compute: Callable[[Expr], Expr]) -> Expr:
    """What ``compute`` makes of a batch of images; a single image is a batch for that while."""
    if rank_of(data) == rank + 1:
        return squeeze(compute(expand_dims(data, 0)), [0])
    return compute(data)


def _each(values: list[int], rank: int) -> list[int]:
    return values * rank if len(values) == 1 else values


@converter("aten::adaptive_avg_pool1d", "aten::adaptive_avg_pool2d", "aten::adaptive_avg_pool3d")
def adaptive_avg_pool(node: TorchNode) -> Expr:
    """``nn.adaptive_avg_pool1d`` to ``…3d``; quantised numbers are averaged as ``int32``, cut off as in TVM."""
    rank = _rank(node)
    sizes = _adaptive_sizes(node, rank)

    def compute(data: Expr) -> Expr:
        return call(f"nn.adaptive_avg_pool{rank}d", data, output_size=sizes, layout=_LAYOUTS[rank - 1])

    if is_quantized(node):
        return by_way_of_integers(node.tensor(), compute)
    return _batched(node.tensor(), rank, compute)


@converter("aten::_adaptive_avg_pool2d", "aten::_adaptive_avg_pool3d")
def adaptive_avg_pool_of_core(node: TorchNode) -> Expr:
    """``nn.adaptive_avg_pool2d`` or ``nn.adaptive_avg_pool3d``."""
    return adaptive_avg_pool(node)


def _adaptive_sizes(node: TorchNode, rank: int) -> list[int]:
    values = node[1]
    if not isinstance(values, list):
        return _each(node.integers(1), rank)
    shape = shape_of(node.tensor())[-rank:]
    sizes: list[int] = []
    for value, size in zip(values, shape, strict=True):
        known = size if value is None else node.known_int(value)
        node.require(isinstance(known, int), "the size of the output must be known", 1)
        assert isinstance(known, int)
        sizes.append(known)
    return sizes


@converter("aten::adaptive_max_pool1d", "aten::adaptive_max_pool2d", "aten::adaptive_max_pool3d")
def adaptive_max_pool(node: TorchNode) -> tuple[Expr, None]:
    """``nn.adaptive_max_pool1d`` to ``nn.adaptive_max_pool3d``; the indices of the maxima are not computed."""
    _refuse_indices(node)
    rank = _rank(node)
    sizes = _adaptive_sizes(node, rank)
    options = {"output_size": sizes, "layout": _LAYOUTS[rank - 1]}
    return _batched(node.tensor(), rank, lambda data: call(f"nn.adaptive_max_pool{rank}d", data, **options)), None


def _refuse_indices(node: TorchNode) -> None:
    node.require(not node.is_used(1), "Relay's max_pool does not give the indices of the maxima")


def _rounds_up(node: TorchNode, window: _Window, dilation: Sequence[int]) -> bool:
    """Whether Relay's ``ceil_mode`` gives what PyTorch's does, which has no window that begins in the padding behind.

    Raises:
        ConversionError: it does in one dimension and not in another.
    """
    pool_size, strides, padding = window["pool_size"], window["strides"], window["padding"]
    kept: set[bool] = set()
    for axis, size in enumerate(node.shape()[-len(pool_size) :]):
        if not isinstance(size, int):
            continue
        free = size + 2 * padding[axis] - dilation[axis] * (pool_size[axis] - 1) - 1
        if free % strides[axis]:
            kept.add(-(-free // strides[axis]) * strides[axis] < size + padding[axis])
    node.require(len(kept) < 2, "a last window begins in the padding in one dimension, and not in another", 0)
    return kept != {False}


def _window(node: TorchNode, rank: int) -> _Window:
    size = _each(node.integers(1), rank)
    strides = _each(node.optional_integers(2) or size, rank)
    padding = _each(node.optional_integers(3) or [0], rank)
    return {"pool_size": size, "strides": strides, "padding": both_sides(padding), "layout": _LAYOUTS[rank - 1]}


@converter("aten::max_pool1d", "aten::max_pool2d", "aten::max_pool3d")
def max_pool(node: TorchNode) -> Expr:
    """``nn.max_pool1d`` to ``nn.max_pool3d``."""
    rank = _rank(node)
    dilation = _each(node.optional_integers(4) or [1], rank)
    window = _window(node, rank)
    options = {**window, "dilation": dilation, "ceil_mode": node.flag(5) and _rounds_up(node, window, dilation)}
    return _batched(node.tensor(), rank, lambda data: call(f"nn.max_pool{rank}d", data, **options))


@converter("aten::max_pool1d_with_indices", "aten::max_pool2d_with_indices", "aten::max_pool3d_with_indices")
def max_pool_with_indices(node: TorchNode) -> tuple[Expr, None]:
    """``nn.max_pool1d`` to ``nn.max_pool3d``; the indices of the maxima are not computed."""
    _refuse_indices(node)
    return max_pool(node), None


@converter("aten::avg_pool1d", "aten::avg_pool2d", "aten::avg_pool3d")
def avg_pool(node: TorchNode) -> Expr:
    """``nn.avg_pool1d`` to ``nn.avg_pool3d``; of quantised numbers as ``int32``, cut off as in TVM."""
    rank = _rank(node)
    node.require(node[6] is None or is_quantized(node), "Relay divides by the size of the window: divisor_override", 6)
    window = _window(node, rank)
    options = {
        **window,
        "dilation": (1,) * rank,
        "ceil_mode": node.flag(4) and _rounds_up(node, window, (1,) * rank),
        "count_include_pad": node.flag(5, True),
    }

    def compute(data: Expr) -> Expr:
        return call(f"nn.avg_pool{rank}d", data, **options)

    if is_quantized(node):
        return by_way_of_integers(node.tensor(), compute)
    return _batched(node.tensor(), rank, compute)
