"""How a pass is declared: its name, level, requirements and options, all in one place.

::

    @declare_pass(opt_level=2)
    class FoldConstant(FunctionPass):
        \"\"\"Evaluate what does not depend on the function's parameters.\"\"\"

        fold_qnn: bool = option(False, doc="Whether operators of the qnn dialect are folded as well.")

The class becomes a frozen dataclass; an option is checked against its annotation wherever the pass is made.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from typing_extensions import dataclass_transform

from relay_lsp.ir.attributes import AttributeField, attribute

from ..pass_info import PassInfo
from .documentation import Example, examples_in
from .registry import register_pass

__all__ = ["Declaration", "declare_pass", "option", "read_declaration"]

option = attribute
"""A field of a pass: its default, documentation, inclusive bounds and accepted strings."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a pass's class says about it: everything that a picker, a hover or the documentation shows."""

    name: str
    """The name of the class, by which the pass is made."""
    info: PassInfo
    kind: str
    """``FunctionPass``, ``ModulePass`` or ``Sequential``."""
    options: Mapping[str, AttributeField]
    doc: str

    @property
    def summary(self) -> str:
        """The first sentence of the documentation."""
        return self.doc.partition("\n\n")[0].replace("\n", " ")

    @property
    def examples(self) -> Sequence[Example]:
        """The modules before and after that the documentation shows."""
        return examples_in(self.doc)


_Class = TypeVar("_Class", bound=type)


@dataclass_transform(frozen_default=True, field_specifiers=(attribute,))
def declare_pass(
    *, opt_level: int, required: Sequence[str] = (), name: str | None = None
) -> Callable[[_Class], _Class]:
    """Declare a pass and register it under the name of its class.

    ``required`` are the passes that a ``Sequential`` runs before it, unless they still hold. ``name`` is given only
    where TVM's name of the pass is not that of its factory.
    """

    def declare(cls: _Class) -> _Class:
        made = dataclass(frozen=True, repr=False)(cast("Any", cls))
        made.declared_info = PassInfo(opt_level, name or cls.__name__, tuple(required))
        register_pass(made)
        return cast("_Class", made)

    return declare


def read_declaration(cls: type[object], info: PassInfo, kind: str) -> Declaration:
    """The declaration of a class made by :func:`declare_pass` or by a decorator, or by hand as a dataclass."""
    options: dict[str, AttributeField] = dict(getattr(cls, "declared_options", {}))
    name, documentation = cls.__name__, cls.__doc__ or ""
    if dataclasses.is_dataclass(cls):
        annotations = typing.get_type_hints(cls)
        for field in dataclasses.fields(cls):
            metadata: Mapping[str, Any] = field.metadata
            options[field.name] = AttributeField(
                field.name,
                annotations[field.name],
                field.default,
                metadata.get("doc", ""),
                metadata.get("lower"),
                metadata.get("upper"),
                metadata.get("choices", ()),
            )
    return Declaration(name, info, kind, options, inspect.cleandoc(documentation))
