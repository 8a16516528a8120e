"""Which operators an external compiler takes.

TVM keeps this as operator attributes ``target.NAME``, which each integration registers. Here stands what TVM itself
registers for DNNL; others are added with :func:`register_target_support`, and users' rules come before both.

Source of the rule: ``python/tvm/relay/op/contrib/dnnl.py``.
"""

from __future__ import annotations

from collections.abc import Callable

from relay_lsp.ir.expressions import Call
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import TensorType

from ..infrastructure.operator_rules import TARGET_ATTRIBUTE, ask_rule, find_rule

__all__ = ["register_target_support", "supports"]

Predicate = Callable[[Call], bool]

_supported: dict[str, dict[str, Predicate]] = {}


def _always(call: Call) -> bool:
    del call
    return True


def register_target_support(target: str, *op_names: str, predicate: Predicate = _always) -> None:
    """Say that ``target`` takes calls of these operators that satisfy ``predicate``."""
    _supported.setdefault(target, {}).update(dict.fromkeys(op_names, predicate))


def supports(target: str, call: Call) -> bool:
    """Whether ``target`` takes this call of an operator.

    Raises:
        PassError: a user's rule fails.
    """
    if not isinstance(call.op, Op):
        return False
    users = find_rule(f"{TARGET_ATTRIBUTE}{target}", call.op.name)
    if users is not None:
        return bool(ask_rule(users, call, call))
    predicate = _supported.get(target, {}).get(call.op.name)
    return predicate is not None and predicate(call)


def _dnnl(call: Call) -> bool:
    types = (arg.checked_type for arg in call.args)
    if any(isinstance(type, TensorType) and type.dtype == "int64" for type in types):
        return False
    return not getattr(call.attrs, "ceil_mode", False)


_DNNL_OPERATORS = """
    nn.batch_norm nn.conv1d nn.conv2d nn.conv3d nn.conv2d_transpose nn.conv3d_transpose nn.dense nn.max_pool2d
    nn.avg_pool2d nn.global_avg_pool2d nn.max_pool3d nn.avg_pool3d abs clip exp log sqrt round nn.relu nn.leaky_relu
    tanh sigmoid nn.softmax add multiply nn.layer_norm nn.batch_matmul
"""

register_target_support("dnnl", *_DNNL_OPERATORS.split(), predicate=_dnnl)
