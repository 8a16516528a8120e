"""Attributes that belong to no operator, and can stand in a call of any function by ``attrs_type_key=…``.

Source of the declaration: ``src/support/ffi_testing.cc``, which is part of every build of TVM.
"""

from __future__ import annotations

from ..attributes import Attrs, attribute, attributes
from ..dimensions import Dim

__all__ = ["TestAttrs"]


@attributes("attrs.TestAttrs")
class TestAttrs(Attrs):
    """Attributes that TVM's own tests put into calls: ``%f(%x, name="a", attrs_type_key="attrs.TestAttrs")``."""

    axis: int = attribute(default=10, doc="An axis.", lower=1, upper=10)
    name: str = attribute(doc="A name.")
    padding: tuple[Dim, ...] = attribute(default=(0, 0), doc="A padding.")
    func: object | None = attribute(default=None, doc="A function of the environment.")
