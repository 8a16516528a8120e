"""``tvm.relay.qnn``: quantised operators as functions, ``qnn.op.conv2d``."""

from __future__ import annotations

from ...operator_functions import OperatorNamespace

__all__ = ["op"]

op = OperatorNamespace("qnn.", "relay.qnn.op")
