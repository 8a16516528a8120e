"""``tvm.relay.testing.temp_op_attr``: rules that operators have for a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relay_lsp.passes.infrastructure.operator_rules import find_rule, register_rule

from ...ir import register_op_attr

__all__ = ["TempOpAttr"]


class TempOpAttr:
    """Inside of ``with`` an operator has a rule, and behind it what it had before.

    Raises:
        TVMError: there are no rules under such an attribute, or there is no such operator.
    """

    def __init__(self, op_name: str, attr_key: str, attr_value: Callable[..., Any]) -> None:
        self._key = attr_key, op_name
        self._rule = attr_value
        self._before = find_rule(attr_key, op_name)

    def __enter__(self) -> TempOpAttr:
        attribute, operator = self._key
        register_op_attr(operator, attribute, self._rule)
        return self

    def __exit__(self, *_: object) -> None:
        attribute, operator = self._key
        register_rule(attribute, operator, self._before)
