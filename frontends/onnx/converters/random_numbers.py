"""Random numbers, from a key that the attribute ``seed`` gives (0 where the model has none: TVM draws one then)."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Constant, Expr, TupleGetItem

from ...diagnostics import ConversionError
from ...inspection import dtype_of, static_shape_of
from ...operators import cast
from ..node import OnnxNode, converter
from ..tensors import dtype_name


def _key(node: OnnxNode) -> Constant:
    """The key of the generator: the seed and a fixed path.

    Source of the rule: ``threefry_key`` in ``python/tvm/relay/op/random/kernel.py``.
    """
    seed = int(node.float("seed", 0.0))
    return Constant(np.array([seed, 0, 0, 0, 0, 0, 0, 0, 1 << 63, 0], np.uint64))


def _dtype(node: OnnxNode, default: str) -> str:
    dtype = dtype_name(node.int("dtype")) if "dtype" in node else default
    if dtype not in ("float32", "float64"):
        raise ConversionError(f"Relay draws float32 and float64 numbers, not {dtype}", attribute="dtype")
    return dtype


def _drawn(node: OnnxNode, shape: tuple[int, ...], dtype: str) -> Expr:
    kind = "normal" if "Normal" in node.operator else "uniform"
    first, second = ("mean", "scale") if kind == "normal" else ("low", "high")
    values = {first: node.float(first, 0.0), second: node.float(second, 1.0)}
    options: dict[str, object] = {name: _number(value, dtype) for name, value in values.items()}
    drawn = _call_random(f"random.{kind}", _key(node), shape, dtype, options)
    return TupleGetItem(drawn, 1)


def _number(value: float, dtype: str) -> Constant:
    return Constant(np.array(value, dtype))


def _call_random(name: str, key: Expr, shape: tuple[int, ...], dtype: str, options: dict[str, object]) -> Expr:
    return call(name, key, *options.values(), out_shape=shape, out_dtype=dtype)  # type: ignore[arg-type]


@converter("RandomNormal", "RandomUniform")
def random(node: OnnxNode) -> Expr:
    """``random.normal`` or ``random.uniform``."""
    return _drawn(node, node.required_ints("shape"), _dtype(node, "float32"))


@converter("RandomNormalLike", "RandomUniformLike")
def random_like(node: OnnxNode) -> Expr:
    """``random.normal`` or ``random.uniform`` of the shape of the input."""
    return _drawn(node, static_shape_of(node.input()), _dtype(node, dtype_of(node.input())))


@converter("Bernoulli", since=15)
def bernoulli(node: OnnxNode) -> Expr:
    """Whether numbers of ``random.uniform`` are less than the probabilities."""
    probabilities, dtype = node.input(), node.dtype()
    if dtype not in ("float32", "float64"):
        raise ConversionError(f"probabilities must be float32 or float64, not {dtype}", input="0")
    options: dict[str, object] = {"low": _number(0.0, dtype), "high": _number(1.0, dtype)}
    drawn = _call_random("random.uniform", _key(node), static_shape_of(probabilities), dtype, options)
    wanted = dtype_name(node.int("dtype")) if "dtype" in node else dtype
    return cast(call("less", TupleGetItem(drawn, 1), probabilities), wanted)


@converter("Multinomial", since=7)
def multinomial(node: OnnxNode) -> Expr:
    """``random.multinomial``."""
    drawn = call("random.multinomial", _key(node), node.input(), num_samples=node.int("sample_size", 1))
    return cast(TupleGetItem(drawn, 1), dtype_name(node.int("dtype", 6)))
