"""What ``DeadCodeElimination`` must know: which values are pure, and how often each is used."""

from .purity import pure_bindings
from .usage import Usage

__all__ = ["Usage", "pure_bindings"]
