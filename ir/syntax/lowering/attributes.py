"""The attributes of calls: written ones are checked and converted by what the operator declares."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

import msgspec

from ...attributes import AttributeField, AttributeValueError, Attrs, find_attributes
from ...diagnostics import Fix, TextEdit
from ...ops.operator import Op
from ...text.text_span import TextSpan
from ...types import DataType
from ..programs import Step
from ..shapes import ShapeNode
from ..suggestions import DTYPES, closest, replacement
from .context import FAILED, LoweringContext

__all__ = ["AttributeLowering", "GivenAttribute"]


_LONGEST_VALUE: Final = 200
_NUMBERS: Final = re.compile(r"[(\[]?[-\d, ]+[)\]]?")
"""A number, or several between brackets."""


class GivenAttribute(msgspec.Struct, frozen=True):
    """An attribute as it was written."""

    name: str
    value: Any
    name_token: int
    node: ShapeNode


class AttributeLowering(LoweringContext):
    """The actions of the rules that read attributes, and their conversion."""

    def _do_attributes(self, step: Step, values: list[Any]) -> list[GivenAttribute]:
        return values

    def _do_attribute(self, step: Step, values: list[Any]) -> GivenAttribute:
        token = self.statement.token(step.node.first)
        return GivenAttribute(self._texts[token], values[0], token, step.node)

    def _keyed_attributes(self, given: list[GivenAttribute]) -> Attrs | None:
        """The attributes of a call of a function, which name their own class."""
        key = next((item for item in given if item.name == "attrs_type_key"), None)
        if key is None:
            for item in given:
                self.report(
                    "unknown-attribute",
                    "only operators take attributes (a function does where `attrs_type_key` names their class)",
                    self.unit.span(item.name_token),
                    [self._removal(item)],
                )
            return None
        if key.value in ("", FAILED):
            return None
        declared = find_attributes(key.value) if isinstance(key.value, str) else None
        if declared is None:
            self.report("unknown-attribute", f"unknown class of attributes {key.value}", self._range(key.node))
            return None
        return self._convert(declared, str(key.value), [item for item in given if item is not key], key)

    def _operator_attributes(
        self, op: Op, given: list[GivenAttribute] | None, call: ShapeNode, broken: bool
    ) -> Attrs | None:
        declared = op.attrs_type
        if declared is None:
            for item in given or ():
                self.report(
                    "unknown-attribute",
                    f"{op.name} takes no attributes",
                    self.unit.span(item.name_token),
                    [self._removal(item)],
                )
            return None
        return self._convert(declared, op.name, given or [], call, broken)

    def _convert(
        self,
        declared: type[Attrs],
        owner: str,
        given: list[GivenAttribute],
        call: ShapeNode | GivenAttribute,
        broken: bool = False,
    ) -> Attrs | None:
        """The attributes of a call, or of the class that an attribute names."""
        fields = declared.fields()
        converted: dict[str, Any] = {}
        failed = False
        for item in given:
            field = fields.get(item.name)
            if field is None:
                failed = True
                span = self.unit.span(item.name_token)
                near = self.names.nearest.closest(item.name, lambda: fields)
                hint = f"; did you mean {near[0]}?" if near else ""
                self.report(
                    "unknown-attribute",
                    f"{owner} has no attribute {item.name}{hint}",
                    span,
                    [*(replacement(span, name) for name in near), self._removal(item)],
                )
            elif item.value is FAILED:
                failed = True
            else:
                try:
                    converted[item.name] = field.convert(item.value)
                except AttributeValueError as error:
                    failed = True
                    value = item.node.children[-1]
                    span = self._range(value) if isinstance(value, ShapeNode) else self.unit.span(item.name_token)
                    near = closest(item.value, field.choices) if isinstance(item.value, str) else []
                    if not near and field.annotation is DataType and isinstance(item.value, str):
                        near = closest(item.value, DTYPES)
                    written = [f'"{name}"' for name in near] or _in_other_brackets(field, self._written(span))
                    fixes = [replacement(span, other) for other in written]
                    self.report("invalid-attribute-value", f"{error} (in {owner})", span, fixes)
        missing = [field for field in declared.required_fields() if field.name not in converted]
        if failed or (missing and broken):  # an argument that could not be read may have been the attribute
            return None
        if missing:
            is_named = isinstance(call, GivenAttribute)
            span = self.unit.span(call.name_token) if is_named else self._range(call.nodes()[0])
            needed = ", ".join(f"{field.name} ({field.kind})" for field in missing)
            writable = all(field.placeholder for field in missing)
            fixes = [self._addition(call, missing)] if not is_named and writable else []
            self.report("missing-attribute", f"{owner} needs the attribute {needed}", span, fixes)
            return None
        return declared(**converted)

    def _written(self, span: TextSpan) -> str:
        base = self.unit.base
        return self.unit.segment.text[span.start - base : span.end - base]

    def _addition(self, call: ShapeNode, missing: list[AttributeField]) -> Fix:
        """The fix that writes the attributes that a call lacks, each with a value of its kind to begin with."""
        written = ", ".join(f"{field.name}={field.placeholder}" for field in missing)
        last = self.unit.span(self.statement.token(call.last))
        end = last.start if self.statement.index[call.last] >= 0 else last.end  # a parenthesis that is missing
        separator = "" if self.statement.kinds[call.last - 1] in "(," else ", "
        return Fix(f"Add `{written}`", (TextEdit(TextSpan(end, end), separator + written),))

    def _removal(self, item: GivenAttribute) -> Fix:
        """The fix that takes an attribute out of its list, with one comma."""
        span = self._range(item.node)
        kinds = self.statement.kinds
        before, after = item.node.first - 1, item.node.last + 1
        if before >= 0 and kinds[before] == ",":
            span = TextSpan(self.unit.span(self.statement.token(before)).start, span.end)
        elif kinds[after : after + 1] == ",":
            end = self.statement.token(after + 1)
            span = TextSpan(span.start, self.unit.span(end).start)
        return Fix(f"Remove `{item.name}`", (TextEdit(span, ""),))


def _in_other_brackets(field: AttributeField, text: str) -> list[str]:
    """What was meant by a tuple or a number where the attribute takes a list, or by a list where it takes a number."""
    if len(text) > _LONGEST_VALUE or not _NUMBERS.fullmatch(text):
        return []
    inner = text.strip("()[], ")
    for other in (f"[{inner}]", inner):
        try:
            field.convert(ast.literal_eval(other))
        except (AttributeValueError, SyntaxError, ValueError):
            continue
        return [other]
    return []
