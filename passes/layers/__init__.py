"""Layers of a framework in comments: reading which statement came from which, and writing it again after passes."""

from .comments import layer_annotation, layers_in
from .places import value_ends
from .span_edits import span_edits
from .writing import completing_edits, layer_edits, provenance_edits

__all__ = [
    "completing_edits",
    "layer_annotation",
    "layer_edits",
    "layers_in",
    "provenance_edits",
    "span_edits",
    "value_ends",
]
