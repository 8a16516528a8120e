"""Layers of a framework in comments: reading which statement came from which, and writing it again after passes."""

from .comments import layer_annotation, layers_in
from .span_edits import span_edits
from .writing import layer_edits, provenance_edits

__all__ = ["layer_annotation", "layer_edits", "layers_in", "provenance_edits", "span_edits"]
