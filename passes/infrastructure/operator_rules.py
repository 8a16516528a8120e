"""Rules that a user gives operators: what a call becomes, in which layout or precision, by which compiler.

They go by the names that TVM has for such attributes of operators, are called as TVM calls them, and come before ours.
What a rule gives is checked where it is asked.

Source of the rule: ``include/tvm/relay/op_attr_types.h``, ``python/tvm/relay/op/op.py``,
``src/relay/transforms/to_mixed_precision.cc``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from relay_lsp.ir.cancellation import WorkCancelled
from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.internal_errors import frame_in, words_of
from relay_lsp.ir.ops import operator as operators

from .errors import PassError, did_you_mean

__all__ = [
    "RULE_ATTRIBUTES",
    "TARGET_ATTRIBUTE",
    "OperatorRule",
    "OperatorRules",
    "ask_for",
    "ask_rule",
    "find_rule",
    "operator_rules",
    "register_rule",
]

OperatorRule: TypeAlias = Callable[..., Any]
OperatorRules: TypeAlias = Mapping[tuple[str, str], OperatorRule]
"""The rules by attribute and operator."""

_LEGALIZE: Final = "(attrs, inputs, types) -> expression or None; the last of the types is that of the result"
RULE_ATTRIBUTES: Final[Mapping[str, str]] = {
    "FTVMLegalize": _LEGALIZE,
    "FTVMQnnLegalize": _LEGALIZE,
    "FTVMQnnCanonicalize": _LEGALIZE,
    "FTVMAlterOpLayout": "(attrs, inputs, types, result_type) -> call or None",
    "FTVMConvertOpLayout": "(attrs, inputs, types, desired_layouts) -> call or None",
    "FTVMMixedPrecisionConversionType": (
        "(call, dtype) -> [0 always, 1 follow or 2 never, the dtype of sums, that of the result]"
    ),
}
"""The attributes under which there are rules, and what a rule takes and gives."""

TARGET_ATTRIBUTE: Final = "target."
"""Under this and the name of a compiler stands whether that takes a call: ``(call) -> bool``."""

Made = TypeVar("Made", bound=Expr)

_rules: dict[tuple[str, str], OperatorRule] = {}


def register_rule(attribute: str, operator: str, rule: OperatorRule | None) -> None:
    """Give an operator a rule, in the place of one that it may have; ``None`` takes it away.

    A compiler may take an operator that is not declared, or not yet.

    Raises:
        ValueError: there is no such attribute, or no such operator; the message has the nearest.
    """
    if not attribute.startswith(TARGET_ATTRIBUTE):
        if attribute not in RULE_ATTRIBUTES:
            known, nearest = ", ".join(RULE_ATTRIBUTES), did_you_mean(attribute, RULE_ATTRIBUTES)
            message = f"{attribute} cannot be registered here, only {TARGET_ATTRIBUTE}NAME of a compiler, {known}"
            raise ValueError(message + nearest)
        if operators.find(operator) is None:
            raise ValueError(f"there is no operator {operator}{did_you_mean(operator, operators.registered())}")
    if rule is None:
        _rules.pop((attribute, operator), None)
    else:
        _rules[attribute, operator] = rule


def find_rule(attribute: str, operator: str) -> OperatorRule | None:
    """The rule that a user gave an operator."""
    return _rules.get((attribute, operator))


def ask_rule(rule: OperatorRule, call: Call, *given: object) -> object:
    """What a rule makes of a call.

    Raises:
        PassError: it fails; the message says where in its file.
    """
    try:
        return rule(*given)
    except (PassError, MemoryError, WorkCancelled):
        raise
    except Exception as error:  # a user's code may raise anything
        file = inspect.getsourcefile(inspect.unwrap(rule)) if inspect.isroutine(rule) else None
        frame = None if file is None else frame_in(error, file)
        place = "" if frame is None else f" ({Path(frame.filename).name}, line {frame.lineno})"
        raise PassError(f"the rule for {call.op!r} failed with {words_of(error)}{place}", place=call) from error


def ask_for(kind: type[Made], rule: OperatorRule, call: Call, *given: object) -> Made | None:
    """The expression that a rule makes of a call; ``None`` where it leaves that as it is.

    Raises:
        PassError: the rule fails, or gives something of another ``kind``: :class:`.Call`, or any :class:`.Expr`.
    """
    made = ask_rule(rule, call, *given)
    if made is not None and not isinstance(made, kind):
        wanted = "a call" if kind is Call else "an expression"
        raise PassError(f"the rule for {call.op!r} gave {made!r}, and must give {wanted}, or None", place=call)
    return made


def operator_rules() -> OperatorRules:
    """Every rule that a user gave, as they are now."""
    return dict(_rules)
