"""What ``ConvertLayout`` is made of: each operator's own conversion, and what joins the layouts between operators."""

from .forward import convert_layouts

__all__ = ["convert_layouts"]
