"""``tvm.relay.qnn``: quantised operators as functions, ``qnn.op.conv2d``, and the passes that lower them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Final

from relay_lsp.passes import Pass

from ...operator_functions import operator_module
from ...pass_classes import pass_class

__all__ = ["op", "transform"]

op = operator_module(__name__, "op", "qnn.", "relay.qnn.op")


def _canonicalize_ops() -> Pass:
    return pass_class("QnnCanonicalize")()


def _legalize() -> Pass:
    return pass_class("QnnLegalize")()


transform: Final = SimpleNamespace(CanonicalizeOps=_canonicalize_ops, Legalize=_legalize)
