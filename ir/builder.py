"""Building expressions from Python: variables, constants, calls of operators by name, scopes, and spans.

What an importer of models uses, and the networks of :mod:`.testing`. Attributes are checked against the operator's
declaration when a call is built, so a mistake shows where it is made. Types come from inference later.

Source of the rule for spans: ``set_span`` and ``_SpanFiller`` in ``python/tvm/relay/frontend/common.py``; for scopes:
``python/tvm/relay/scope_builder.py``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from .arrays import numpy_dtype
from .attributes import AttributeValueError, Attrs, has_float_text
from .expressions import Call, Constant, Constructor, Expr, Function, GlobalVar, Let, TupleGetItem, Var
from .lazy_numpy import np
from .ops.operator import Op, find
from .ops.window_arguments import spell_out
from .spans import AnySpan, SequentialSpan, SourceName, Span
from .types import Shape, TensorType, Type
from .visitor import children, free_type_vars, free_vars

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "BuilderError",
    "LayerAnnotator",
    "ScopeBuilder",
    "SpanFilling",
    "call",
    "configure_span_filling",
    "constant",
    "function",
    "item",
    "operator",
    "set_span",
    "span_filling",
    "var",
]

Annotator: TypeAlias = "Callable[[Expr], str | AnySpan | None]"
"""Gives an expression a span of its own; ``None`` leaves it the layer's."""

LayerAnnotator: TypeAlias = "Callable[[str], str | AnySpan | None]"
"""Gives the span of a layer by its name; ``None`` stands for a span of that name."""

Symbol = TypeVar("Symbol")


class BuilderError(ValueError):
    """A call that the operator's declaration does not admit; the message says what it does."""


def var(name: str, shape: Shape | None = None, dtype: str = "float32", type_annotation: Type | None = None) -> Var:
    """A variable: of a tensor type where ``shape`` is given, else of ``type_annotation``, else without a type."""
    if type_annotation is None and shape is not None:
        type_annotation = TensorType(tuple(shape), dtype)
    return Var(name, type_annotation)


def constant(value: npt.ArrayLike, dtype: str | None = None) -> Constant:
    """A constant tensor. Python numbers become ``int32`` and ``float32`` unless ``dtype`` says otherwise.

    Raises:
        TypeError: numpy cannot hold ``dtype``.
    """
    array = np.asarray(value)
    if dtype is None and not isinstance(value, (np.ndarray, np.generic)):
        dtype = {"int64": "int32", "float64": "float32"}.get(array.dtype.name)
    if dtype is None:
        return Constant(array)
    return Constant(array.astype(numpy_dtype(dtype)), dtype)


def operator(name: str) -> Op:
    """The operator called ``name``.

    Raises:
        BuilderError: there is none.
    """
    declared = find(name)
    if declared is None:
        raise BuilderError(f"there is no operator {name}")
    return declared


def call(callee: str | Expr, *args: Expr, **attributes: object) -> Call:
    """Call an operator (by name or itself) with attributes by name, or any other function value.

    Paddings and windows may be given as TVM's functions take them: ``padding=1`` stands for every side of every axis.

    Raises:
        BuilderError: the operator or an attribute does not exist, a value is not of the attribute's kind, or a required
            attribute is missing.
    """
    op = operator(callee) if isinstance(callee, str) else callee
    if not isinstance(op, Op):
        if attributes:
            raise BuilderError(f"only calls of operators have attributes, not {', '.join(attributes)}")
        return Call(op, args)
    return Call(op, args, _attributes(op, attributes))


def _attributes(op: Op, given: dict[str, object]) -> Attrs | None:
    declared = op.attrs_type or op.metadata_attrs_type
    if declared is None:
        if given:
            raise BuilderError(f"{op.name} takes no attributes, not {', '.join(given)}")
        return None
    fields = declared.fields()
    try:
        given = spell_out(op.name, given)
    except ValueError as error:
        raise BuilderError(f"{op.name}: {error}") from None
    unknown = [name for name in given if name not in fields]
    if unknown:
        raise BuilderError(f"{op.name} has no attribute {unknown[0]}; it has {', '.join(fields)}")
    missing = [name for name, field in fields.items() if field.required and name not in given]
    if missing:
        raise BuilderError(f"{op.name} needs the attribute {missing[0]}")
    try:
        values = {name: fields[name].convert(value) for name, value in given.items()}
    except AttributeValueError as error:
        raise BuilderError(f"{op.name}: {error}") from None
    for name, value in values.items():
        for each in _in_lists(value):
            if isinstance(each, float) and not has_float_text(each):
                raise BuilderError(f"{op.name}: attribute {name} takes a number of float32, not {each}")
    return declared(**values)


def _in_lists(value: object) -> Iterator[object]:
    """What is in a list, and in the lists in it; a value that is none by itself."""
    if isinstance(value, tuple):
        for each in cast("tuple[object, ...]", value):
            yield from _in_lists(each)
    else:
        yield value


def item(value: Expr, index: int) -> TupleGetItem:
    """``value.index``."""
    return TupleGetItem(value, index)


def function(body: Expr, params: Sequence[Var] | None = None, ret_type: Type | None = None) -> Function:
    """A function of ``params``, or of the free variables of ``body`` in the order of their first use."""
    chosen = tuple(free_vars(body) if params is None else params)
    return Function(chosen, body, ret_type, tuple(free_type_vars(body)))


class ScopeBuilder:
    """Collects ``let`` bindings in order, and then the value they lead to."""

    def __init__(self) -> None:
        self._bindings: list[tuple[Var, Expr]] = []

    def let(self, name: str, value: Expr, type_annotation: Type | None = None) -> Var:
        """Bind ``value`` to a new variable."""
        return self.bind(Var(name, type_annotation), value)

    def bind(self, variable: Var, value: Expr) -> Var:
        """Bind ``value`` to a variable."""
        self._bindings.append((variable, value))
        return variable

    def result(self, value: Expr) -> Expr:
        """``value`` inside all the bindings made so far."""
        for bound, bound_value in reversed(self._bindings):
            value = Let(bound, bound_value, value)
        return value


@dataclass(frozen=True, slots=True)
class SpanFilling:
    """Whether importers write layers' names into expressions, and what gives a span for a name."""

    enabled: bool = True
    annotator: LayerAnnotator | None = None


_configured: Callable[[], SpanFilling] = SpanFilling


def configure_span_filling(source: Callable[[], SpanFilling]) -> None:
    """Ask ``source`` each time how spans are filled. Called once, by the module that knows the configuration."""
    global _configured
    _configured = source


def span_filling() -> SpanFilling:
    """How spans are filled now: as configured; the environment variable ``TVM_SPANFILLING=0`` switches it off."""
    configured = _configured()
    if os.environ.get("TVM_SPANFILLING", "1") == "0":
        return SpanFilling(False, configured.annotator)
    return configured


def set_span(symbol: Symbol, span: str | bytes | AnySpan, annotate: Annotator | None = None) -> Symbol:
    """Give ``span`` to every expression of ``symbol`` that has none yet, down to those that have one.

    An importer calls this with the layer's name once it has translated a layer: the layers before it have their spans
    already. Operators, global names and constructors are shared by all and get none.

    Args:
        symbol: an expression, a list or tuple of them, or anything else, which is left alone.
        span: the layer's name, or a span.
        annotate: asked for each expression first, for a finer place than the layer's name.

    Returns:
        ``symbol`` itself.
    """
    if not span_filling().enabled:
        return symbol
    default = _span(span)
    whole: object = symbol
    parts = cast("Sequence[object]", whole) if isinstance(whole, (list, tuple)) else (whole,)
    stack = [part for part in parts if isinstance(part, Expr)]
    while stack:
        expr = stack.pop()
        if expr.span is not None or isinstance(expr, (Op, GlobalVar, Constructor)):
            continue
        own = annotate(expr) if annotate is not None else None
        expr.span = default if own is None else _span(own)
        stack.extend(children(expr))
    return symbol


def _span(span: str | bytes | AnySpan) -> AnySpan:
    if isinstance(span, (Span, SequentialSpan)):
        return span
    return Span(SourceName(span if isinstance(span, str) else span.decode("utf-8")))
