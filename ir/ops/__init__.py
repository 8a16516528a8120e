"""Operators by family; importing this package registers them all."""

from . import (  # noqa: F401 - importing a module registers its operators
    annotation,
    debug,
    device,
    function_attributes,
    image,
    layout_rewriters,
    memory,
    nn,
    qnn,
    random,
    sparse,
    tensor,
    vision,
    vm,
)
from .operator import Argument, Op, OpPattern, RelationContext, RelationError, find, get, register, registered

__all__ = ["Argument", "Op", "OpPattern", "RelationContext", "RelationError", "find", "get", "register", "registered"]
