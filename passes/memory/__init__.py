"""What is live where, and what follows from it: the end of each variable's life, and the memory in use."""

from .lifetimes import manifest_lifetimes
from .liveness import LiveVariables, walk_backwards
from .usage import annotate_used_memory

__all__ = ["LiveVariables", "annotate_used_memory", "manifest_lifetimes", "walk_backwards"]
