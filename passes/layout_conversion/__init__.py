"""Converting operators to other data layouts, and what joins the layouts between them."""

from .config import LayoutConfig

__all__ = ["LayoutConfig"]
