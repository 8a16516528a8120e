"""Marks on a value for a later pass: fusion, recomputation, casts, bit packing, functions.

Source of the rule: ``src/relay/op/annotation/annotation.cc``.
"""

from __future__ import annotations

from ...attributes import Attrs, attribute, attributes
from ...types import DataType
from ..identity import identity_kernel, identity_relation
from ..layout_inference import elementwise_layout
from ..operator import Argument, Op, OpPattern, register


@attributes("relay.attrs.CastHintAttrs")
class CastHintAttrs(Attrs):
    """Attributes of ``annotation.cast_hint``."""

    dtype: DataType = attribute(doc="The dtype that the value is to be cast to.")


def _marker(name: str, doc: str, attrs: type[Attrs] | None = None, without_code: bool = False) -> Op:
    return Op(
        f"annotation.{name}",
        doc=doc,
        arguments=(Argument("data", "The value that is marked; any type."),),
        metadata_attrs=attrs,
        relation=identity_relation,
        pattern=OpPattern.OPAQUE,
        kernel=identity_kernel,
        infer_layout=elementwise_layout,
        level=10,
        without_code=without_code,
    )


register(_marker("stop_fusion", "Keep `data` from being fused with what uses it. The value is `data`."))
register(
    _marker(
        "checkpoint",
        "Keep `data` for the backward pass; what lies between checkpoints is computed again. The value is `data`.",
    )
)
register(
    _marker("cast_hint", "Ask that `data` be cast to `dtype` when it is quantised. The value is `data`.", CastHintAttrs)
)
register(_marker("bitpack_start", "Mark where packing of bits begins. The value is `data`.", without_code=True))
register(_marker("bitpack_end", "Mark where packing of bits ends. The value is `data`.", without_code=True))


register(
    Op(
        "annotation.with_funcid",
        doc="Mark a function with an identifier. TVM 0.12 registers it without a type relation, so a call of it "
        "cannot be typed.",
        arguments=(Argument("func", "The function that is marked.", "Function"),),
        level=10,
        without_pattern=True,
    )
)
