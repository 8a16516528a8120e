"""What ``ConvertLayout`` is made of: each operator's own conversion, and what joins the layouts between operators."""

from .config import LayoutConfig
from .conversion import convert_layouts
from .forward import rewrite_layouts

__all__ = ["LayoutConfig", "convert_layouts", "rewrite_layouts"]
