"""Conversions that are not needed: casts that change nothing or that the next operator makes superfluous, and
dequantising values that are only compared."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops.application import apply, attrs_of
from relay_lsp.ir.ops.tensor.unary import ClipAttrs
from relay_lsp.ir.types import DataType

from ..patterns import is_op, wildcard
from ..patterns.matcher import Matches
from .rewrite import TypedRewrite, inferred_tensor_type

__all__ = [
    "SimplifyCastClip",
    "SimplifyClipAndConsecutiveCast",
    "SimplifyConsecutiveCast",
    "SimplifyDequantizedChoice",
    "SimplifySameCast",
]


class SimplifySameCast(TypedRewrite):
    """A cast to the dtype that the value has is the value."""

    def __init__(self) -> None:
        super().__init__()
        self.data = wildcard()
        self.pattern = is_op("cast_like")(self.data, wildcard()) | is_op("cast")(self.data)

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The value."""
        before = inferred_tensor_type(pre.args[0]) if isinstance(pre, Call) else None
        after = inferred_tensor_type(pre)
        if before is None or after is None or before.dtype != after.dtype:
            return post
        return node_map[self.data][0]


class SimplifyConsecutiveCast(TypedRewrite):
    """Of two casts the first goes where it only widens."""

    def __init__(self) -> None:
        super().__init__()
        self.data = wildcard()
        self.first = is_op("cast_like")(self.data, wildcard()) | is_op("cast")(self.data)
        self.pattern = is_op("cast_like")(self.first, wildcard()) | is_op("cast")(self.first)

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """One cast."""
        data = node_map[self.data][0]
        types = inferred_tensor_type(data), inferred_tensor_type(node_map[self.first][0]), inferred_tensor_type(pre)
        if any(type is None for type in types):
            return post
        origin, middle, final = (type.dtype for type in types if type is not None)
        return apply("cast", data, dtype=final) if _widens(origin, middle) else post


# The order in which a dtype of one kind is thought to hold those of another (``DLDataTypeCode``).
_KINDS = {"int": 0, "uint": 1, "bool": 1, "float": 2, "handle": 3, "bfloat": 4}


def _widens(origin: DataType, cast: DataType) -> bool:
    codes = _KINDS.get(origin.code, 5), _KINDS.get(cast.code, 5)
    if codes[0] == codes[1]:
        return origin.bits <= cast.bits
    if "bfloat" in (origin.code, cast.code):
        return False
    return codes[0] < codes[1] and origin.bits <= cast.bits


def _spans_dtype(attrs: ClipAttrs, dtype: DataType) -> bool:
    """Whether a clip keeps just the range of ``dtype``."""
    if dtype == "bool":
        least, most = 0.0, 1.0
    elif dtype.is_int or dtype.is_uint:
        integers = np.iinfo(numpy_dtype(dtype))
        least, most = float(integers.min), float(integers.max)
    elif dtype.is_float:
        floats = np.finfo(numpy_dtype(dtype))
        least, most = float(floats.min), float(floats.max)
    else:
        return False
    return attrs.a_min == least and attrs.a_max == most


class SimplifyClipAndConsecutiveCast(TypedRewrite):
    """``clip``, a cast to the dtype of just that range and a cast back are the ``clip``."""

    def __init__(self) -> None:
        super().__init__()
        self.clip = is_op("clip")(wildcard())
        self.first = is_op("cast")(self.clip)
        self.pattern = is_op("cast")(self.first)

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The ``clip``."""
        clip = node_map[self.clip][0]
        types = inferred_tensor_type(clip), inferred_tensor_type(node_map[self.first][0]), inferred_tensor_type(pre)
        if not isinstance(clip, Call) or any(type is None for type in types):
            return post
        clipped, middle, final = (type.dtype for type in types if type is not None)
        return clip if clipped == final and _spans_dtype(attrs_of(clip, ClipAttrs), middle) else post


class SimplifyCastClip(TypedRewrite):
    """A ``clip`` to the range of the dtype that was cast to is the cast."""

    def __init__(self) -> None:
        super().__init__()
        self.cast = is_op("cast")(wildcard())
        self.pattern = is_op("clip")(self.cast)

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The cast."""
        cast = node_map[self.cast][0]
        type = inferred_tensor_type(cast)
        if not isinstance(pre, Call) or type is None:
            return post
        return cast if _spans_dtype(attrs_of(pre, ClipAttrs), type.dtype) else post


class SimplifyDequantizedChoice(TypedRewrite):
    """``argmax``, ``argmin`` or ``argsort`` of dequantised values is that of the quantised ones."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.value = wildcard()
        self.pattern = is_op(name)(is_op("qnn.dequantize")(self.value, wildcard(), wildcard()))

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """The same choice, without dequantising."""
        return Call(pre.op, (node_map[self.value][0],), pre.attrs) if isinstance(pre, Call) else post
