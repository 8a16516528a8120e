"""How each attribute of an operator is written: in place, or as a node of its own."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..attributes import Attrs
from ..types import DataType
from .objects import Kind

__all__ = ["attribute_kinds"]

_BOXED: Final[Mapping[str, tuple[str, ...]]] = {
    "attrs.TestAttrs": ("name",),
    "AdaptivePool1DAttrs": ("out_layout",),
    "AdaptivePool2DAttrs": ("out_layout",),
    "AdaptivePool3DAttrs": ("out_layout",),
    "AvgPool1DAttrs": ("out_layout",),
    "AvgPool2DAttrs": ("layout", "out_layout"),
    "AvgPool3DAttrs": ("out_layout",),
    "Conv1DAttrs": ("data_layout", "kernel_layout", "out_layout"),
    "Conv2DAttrs": ("data_layout", "kernel_layout", "out_layout"),
    "Conv2DWinogradAttrs": ("data_layout", "kernel_layout", "out_layout"),
    "Conv3DAttrs": ("data_layout", "kernel_layout", "out_layout"),
    "Conv3DTransposeAttrs": ("data_layout", "kernel_layout", "out_layout"),
    "CorrelationAttrs": ("layout",),
    "DFTAttrs": ("inverse",),
    "DensePackAttrs": ("weight_layout",),
    "EinsumAttrs": ("equation",),
    "GatherAttrs": ("axis",),
    "GatherNDAttrs": ("batch_dims",),
    "GlobalPool2DAttrs": ("layout", "out_layout"),
    "GridSampleAttrs": ("method", "layout", "padding_mode"),
    "MaxPool1DAttrs": ("out_layout",),
    "MaxPool2DAttrs": ("layout", "out_layout"),
    "MaxPool3DAttrs": ("out_layout",),
    "MetaRefAttrs": ("node_type_key",),
    "MultinomialAttrs": ("num_samples",),
    "PadAttrs": ("pad_mode",),
    "RepeatAttrs": ("repeats", "axis"),
    "ReshapeLikeAttrs": ("lhs_end", "rhs_end"),
    "ReverseAttrs": ("axis",),
    "ReverseSequenceAttrs": ("seq_axis", "batch_axis"),
    "ScanopAttrs": ("axis", "exclusive"),
    "ScatterElementsAttrs": ("axis", "reduction"),
    "ScatterNDAttrs": ("mode",),
    "StackAttrs": ("axis",),
    "StridedSliceAttrs": ("slice_mode",),
    "TakeAttrs": ("batch_dims", "axis", "mode"),
    "UpSamplingAttrs": ("layout", "method"),
    "YoloReorgAttrs": ("stride",),
}
"""Which strings, integers and booleans TVM declares as objects (``String``, ``Integer``, ``Bool``), and so writes as
nodes, where it writes a ``std::string``, ``int`` or ``bool`` in place. From ``include/tvm/relay/attrs/*.h``."""


def attribute_kinds(cls: type[Attrs]) -> Sequence[tuple[str, Kind]]:
    """The attributes of ``cls`` in order, with how each is written."""
    boxed = _BOXED.get(cls.type_key.removeprefix("relay.attrs."), ())
    return [
        (name, "node" if name in boxed else _written_as(declared.annotation)) for name, declared in cls.fields().items()
    ]


def _written_as(annotation: Any) -> Kind:
    if annotation is DataType:
        return "dtype"
    if annotation is bool:
        return "bool"
    if annotation is int:
        return "int"
    if annotation is float:
        return "float"
    if annotation is str:
        return "string"
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        options = [option for option in typing.get_args(annotation) if option is not type(None)]
        if options == [DataType]:
            return "dtype"
    return "node"
