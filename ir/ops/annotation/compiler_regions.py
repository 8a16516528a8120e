"""The borders of regions that an external compiler takes: ``compiler_begin`` and ``compiler_end``.

Source of the rule: ``src/relay/op/annotation/annotation.cc``.
"""

from __future__ import annotations

from ...attributes import Attrs, attribute, attributes
from ..identity import identity_kernel, identity_relation
from ..layout_inference import elementwise_layout
from ..operator import Argument, Op, OpPattern, register

__all__ = ["CompilerAttrs"]


@attributes("relay.attrs.CompilerAttrs")
class CompilerAttrs(Attrs):
    """Attributes of ``annotation.compiler_begin`` and ``annotation.compiler_end``."""

    compiler: str = attribute(doc="Name of the compiler that the region belongs to; `default` is TVM's own.")


for _name, _where in (("compiler_begin", "enters"), ("compiler_end", "leaves")):
    register(
        Op(
            f"annotation.{_name}",
            doc=f"Mark where a value {_where} a region that belongs to an external compiler. The value is `data`.",
            arguments=(Argument("data", "The value that crosses the border; any type."),),
            metadata_attrs=CompilerAttrs,
            relation=identity_relation,
            pattern=OpPattern.OPAQUE,
            kernel=identity_kernel,
            infer_layout=elementwise_layout,
            level=10,
            without_code=True,
        )
    )
