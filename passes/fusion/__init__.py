"""The analysis that ``FuseOps`` stands on: which operators may run as one kernel."""

from .forward_graph import ForwardGraph, Node
from .groups import Group, partition

__all__ = ["ForwardGraph", "Group", "Node", "partition"]
