"""Operators of users' own, as the server's process knows them: by what they declare, without a line of their code.

The worker tells what each operator declares (:func:`declare`), and here an operator with the same name, arguments,
attributes and documentation stands for it, which hover, completion, signature help and inference read like any other.
Its type relation is code, so it runs in the worker too. The first time that a call of some types and attributes is
typed, its result is unknown and silent, and the call becomes a :class:`CallQuestion`; once :class:`AnswerCalls` has
been run, the answer is used wherever it fits. What cannot be asked stays unknown and causes no error: calls with types
other than tensors, tuples of them and types that are still to be found, and results of other types.
"""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from typing import Any

from relay_lsp.ir.attributes import Attrs, attribute, attributes
from relay_lsp.ir.dimensions import ANY, AnyDim, Dim, IntImm
from relay_lsp.ir.expressions import Constant, Expr, Var
from relay_lsp.ir.internal_errors import words_of
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.operator import Argument, Op, OpPattern, RelationContext, RelationError
from relay_lsp.ir.ops.relation_results import require_type
from relay_lsp.ir.type_visitor import distinct_parts, tuple_leaves
from relay_lsp.ir.types import ERROR, DataType, GlobalTypeVar, IncompleteType, TensorType, TupleType, Type

from ..worker.worker_process import Progress

if typing.TYPE_CHECKING:
    from relay_lsp.passes.infrastructure.extensions import ExtensionFault

__all__ = ["AnswerCalls", "CallAnswer", "CallQuestion", "ExtensionOperators", "OperatorDeclaration", "declare"]

_LARGEST_CONSTANT = 4096
"""Bytes of a constant argument up to which a relation is shown it."""

_MOST_TUPLES = 100
_MOST_FIELDS = 10_000
"""How many tuples a type of an argument may hold, and fields as it would be written out, for a relation to be asked."""

_MOST_ANSWERS = 10_000

PlainType = tuple[Any, ...]
"""A type as plain data: ``("tensor", shape, dtype)``, ``("tuple", fields)``, ``("incomplete",)``."""


@dataclass(frozen=True)
class AttributeDeclaration:
    """One attribute. ``annotation`` is of Relay's own kinds; what only the user's code knows is ``Any``."""

    name: str
    annotation: Any
    default: object
    required: bool
    doc: str
    lower: float | None
    upper: float | None
    choices: tuple[str, ...]


@dataclass(frozen=True)
class OperatorDeclaration:
    """What an operator says about itself, as data. ``attributes`` is ``None`` for one that has none."""

    name: str
    doc: str
    arguments: tuple[tuple[str, str, str], ...]
    attributes: tuple[AttributeDeclaration, ...] | None
    pattern: int
    stateful: bool
    level: int
    variadic: bool
    has_relation: bool


@dataclass(frozen=True)
class CallQuestion:
    """A call to be typed. ``constants`` are those of the arguments that are small: dtype, shape and bytes."""

    name: str
    types: tuple[PlainType, ...]
    attrs: tuple[tuple[str, object], ...]
    constants: tuple[tuple[str, tuple[int, ...], bytes] | None, ...]


@dataclass(frozen=True)
class CallAnswer:
    """What the relation said: a result, what it found for arguments, or a refusal; nothing where it cannot tell."""

    result: PlainType | None = None
    assigned: tuple[tuple[int, PlainType], ...] = ()
    refusal: tuple[str, int | None, str | None, str, tuple[tuple[int, str], ...]] | None = None
    fault: ExtensionFault | None = None
    """Where in the user's file the relation failed."""
    is_silent: bool = False
    """Whether nothing is known, and nothing is to be said of it."""


# In the worker


def declare(op: Op) -> OperatorDeclaration:
    """What an operator declares, without anything that only its own code could read back."""
    fields = None
    if op.attrs_type is not None:
        fields = tuple(
            AttributeDeclaration(
                each.name,
                each.annotation if _is_known(each.annotation) else Any,
                None if each.required or not _is_plain(each.default) else each.default,
                each.required,
                each.doc,
                each.lower,
                each.upper,
                each.choices,
            )
            for each in op.attrs_type.fields().values()
        )
    arguments = tuple((argument.name, argument.doc, argument.type) for argument in op.arguments)
    return OperatorDeclaration(
        op.name,
        op.doc,
        arguments,
        fields,
        int(op.pattern),
        op.stateful,
        op.support_level,
        op.variadic,
        op.relation is not None,
    )


def _is_known(annotation: Any) -> bool:
    """Whether an annotation is made of Python's and Relay's own types alone."""
    if annotation is Any or annotation is None or annotation is Ellipsis:
        return True
    if arguments := typing.get_args(annotation):
        return all(map(_is_known, arguments))
    return isinstance(annotation, type) and (
        annotation.__module__ == "builtins" or annotation.__module__.startswith(DataType.__module__.rpartition(".")[0])
    )


def _is_plain(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain, typing.cast("Sequence[object]", value)))
    return value is None or isinstance(value, (bool, int, float, str))


@dataclass(frozen=True)
class AnswerCalls:
    """Ask the type relations of users' operators about calls."""

    questions: tuple[CallQuestion, ...]

    def run(self, progress: Progress) -> tuple[CallAnswer, ...]:
        """The answers, in order."""
        return tuple(map(_answer, self.questions))


def _answer(question: CallQuestion) -> CallAnswer:
    from relay_lsp.passes.infrastructure.extensions import extension_of_operator, fault_of

    op = operator.find(question.name)
    if op is None or op.relation is None:
        return CallAnswer(is_silent=True)
    try:
        given = dict(question.attrs)
        attrs = None if op.attrs_type is None else op.attrs_type(**given)
        context = _Context(question, attrs)
        result = op.relation(context)
        if result is not None:
            require_type(result, op.name)
    except RelationError as error:
        return CallAnswer(refusal=(error.message, error.argument, error.attribute, error.code, error.related))
    except Exception as error:
        # A fault in the user's code is reported at its line, and as an error of the call that met it.
        extension = extension_of_operator(op.name)
        fault = fault_of(error, extension.path) if extension is not None and extension.path else None
        message = f"its type relation failed on these arguments ({words_of(error)})"
        return CallAnswer(refusal=(message, None, None, "relation-failed", ()), fault=fault)
    assigned = tuple((index, plain) for index, type in context.assigned.items() if (plain := _plain(type)) is not None)
    plain = None if result is None else _plain(result)
    return CallAnswer(plain, assigned, is_silent=result is not None and plain is None)


class _Context:
    """What a relation sees of a call that stands in another process."""

    def __init__(self, question: CallQuestion, attrs: Attrs | None) -> None:
        self.types: Sequence[Type] = [_type(plain) for plain in question.types]
        self.attrs: Any = attrs
        self.output: Type = IncompleteType()
        self.arguments: Sequence[Expr] = [
            Var(f"argument{index}") if constant is None else _constant(constant)
            for index, constant in enumerate(question.constants)
        ]
        self.assigned: dict[int, Type] = {}

    def assign(self, argument: int, type: Type) -> None:
        given = self.types[argument]
        if isinstance(given, IncompleteType):
            self.assigned[argument] = type
        elif given != type and not _may_agree(given, type):
            raise RelationError(f"expected {type!r}, found {given!r}", argument=argument)

    def require_equal(self, lhs: Dim, rhs: Dim) -> bool:
        return lhs == rhs or not (isinstance(lhs, int) and isinstance(rhs, int))

    def find_type(self, name: str) -> GlobalTypeVar | None:
        return None


def _may_agree(left: Type, right: Type) -> bool:
    """Whether two types can be the same once the dimensions that are not known are."""
    if isinstance(left, TensorType) and isinstance(right, TensorType):
        return (
            left.dtype == right.dtype
            and len(left.shape) == len(right.shape)
            and all(
                a == b or not (isinstance(a, int) and isinstance(b, int))
                for a, b in zip(left.shape, right.shape, strict=True)
            )
        )
    if isinstance(left, TupleType) and isinstance(right, TupleType):
        return len(left.fields) == len(right.fields) and all(map(_may_agree, left.fields, right.fields))
    return isinstance(left, IncompleteType) or isinstance(right, IncompleteType)


def _constant(plain: tuple[str, tuple[int, ...], bytes]) -> Constant:
    import numpy as np

    from relay_lsp.ir.arrays import numpy_dtype

    dtype, shape, data = plain
    return Constant(np.frombuffer(data, numpy_dtype(dtype)).reshape(shape), dtype)


# In the server


@dataclass
class ExtensionOperators:
    """The operators that extensions declare, standing in this process's registry for those in the worker's."""

    _installed: dict[str, OperatorDeclaration] = field(default_factory=dict[str, OperatorDeclaration])
    _answers: dict[CallQuestion, CallAnswer] = field(default_factory=dict[CallQuestion, CallAnswer])
    _asked: dict[CallQuestion, None] = field(default_factory=dict[CallQuestion, None])
    _given_up: set[str] = field(default_factory=set[str])
    revision: int = 0
    """Grows whenever more is known of what calls give."""

    def install(self, declarations: Iterable[OperatorDeclaration]) -> bool:
        """Take over what is declared now; tells whether that is something else than before."""
        wanted = {declared.name: declared for declared in declarations}
        changed = wanted != self._installed
        if changed:
            self.withdraw()
            for declared in wanted.values():
                if operator.find(declared.name) is None:
                    operator.register(_stand_in(declared, self))
                    self._installed[declared.name] = declared
        return changed

    def withdraw(self) -> None:
        """Take every operator out of the registry again."""
        for name in self._installed:
            operator.unregister(name)
        self._installed = {}
        self.forget_answers()

    def forget_answers(self) -> None:
        """Ask anew: the users' code may answer something else."""
        self._answers = {}
        self._asked = {}
        self._given_up = set()

    @property
    def has_questions(self) -> bool:
        """Whether something came up since :meth:`questions` was last asked."""
        return bool(self._asked)

    def questions(self) -> tuple[CallQuestion, ...]:
        """What came up since this was last asked for."""
        asked, self._asked = tuple(self._asked), {}
        return asked

    def learn(self, answers: Mapping[CallQuestion, CallAnswer]) -> None:
        """Use these answers from now on."""
        # One text may need more answers than the limit: evicting some would repeat the questions for ever.
        if len(self._answers) > _MOST_ANSWERS and len(answers) < _MOST_ANSWERS // 10:
            self._answers = {}
        self._answers.update(answers)
        self.revision += 1

    def give_up(self, name: str) -> None:
        """Ask nothing more about an operator, whose relation does not come to an end."""
        self._given_up.add(name)
        self.revision += 1

    def type_call(self, name: str, context: RelationContext) -> Type | None:
        """What a type relation gives: the worker's answer, or an unknown type while there is none.

        Raises:
            RelationError: the user's relation refuses the call.
        """
        question = _question(name, context)
        answer = self._answers.get(question) if question is not None else None
        if answer is None and question is not None and name not in self._given_up:
            self._asked[question] = None
        if answer is None or answer.is_silent:
            for index, given in enumerate(context.types):
                if isinstance(given, IncompleteType):
                    context.assign(index, ERROR)
            return ERROR
        if answer.refusal is not None:
            message, argument, attribute_name, code, related = answer.refusal
            raise RelationError(message, argument=argument, attribute=attribute_name, code=code, related=related)
        for index, plain in answer.assigned:
            context.assign(index, _type(plain))
        return None if answer.result is None else _type(answer.result)


def _stand_in(declared: OperatorDeclaration, operators: ExtensionOperators) -> Op:
    return Op(
        declared.name,
        doc=declared.doc,
        arguments=[Argument(*argument) for argument in declared.arguments],
        attrs=None if declared.attributes is None else _attributes_class(declared.name, declared.attributes),
        relation=(lambda context: operators.type_call(declared.name, context)) if declared.has_relation else None,
        pattern=OpPattern(declared.pattern),
        stateful=declared.stateful,
        level=declared.level,
        variadic=declared.variadic,
    )


def _attributes_class(name: str, declared: Sequence[AttributeDeclaration]) -> type[Attrs]:
    members: dict[str, Any] = {"__annotations__": {each.name: each.annotation for each in declared}}
    for each in declared:
        default = MISSING if each.required else each.default
        members[each.name] = attribute(default, doc=each.doc, lower=each.lower, upper=each.upper, choices=each.choices)
    members["__module__"] = __name__
    return attributes()(type(f"Attributes of {name}", (Attrs,), members))


def _question(name: str, context: RelationContext) -> CallQuestion | None:
    types = [_plain(given) if _is_small(given) else None for given in context.types]
    attrs: Attrs | None = context.attrs
    values: tuple[tuple[str, Any], ...] = ()
    if attrs is not None:
        values = tuple((field, getattr(attrs, field)) for field in type(attrs).fields())
    if any(plain is None for plain in types) or not all(_is_plain(value) for _, value in values):
        return None
    constants = tuple(_plain_constant(argument) for argument in context.arguments)
    question = CallQuestion(name, tuple(plain for plain in types if plain is not None), values, constants)
    with contextlib.suppress(TypeError):  # A list among the attributes cannot be looked up.
        hash(question)
        return question
    return None


def _plain_constant(argument: Expr) -> tuple[str, tuple[int, ...], bytes] | None:
    if isinstance(argument, Constant) and argument.data.nbytes <= _LARGEST_CONSTANT:
        return str(argument.dtype), tuple(argument.data.shape), argument.data.tobytes()
    return None


def _is_small(type: Type) -> bool:
    """Whether a type can be sent as data: written out, one that shares its parts may be larger than any memory."""
    tuples = sum(isinstance(part, TupleType) for part in distinct_parts(type))
    return tuples <= _MOST_TUPLES and sum(count for _, count in tuple_leaves(type)) <= _MOST_FIELDS


def _plain(type: Type) -> PlainType | None:
    """A type as data, if it is one that can be asked about."""
    if isinstance(type, TensorType):
        known = all(isinstance(dim, (int, AnyDim)) for dim in type.shape)
        return ("tensor", tuple(_plain_dims(type.shape)), str(type.dtype)) if known else None
    if isinstance(type, TupleType):
        fields = [_plain(part) for part in type.fields]
        return None if any(part is None for part in fields) else ("tuple", tuple(fields))
    return ("incomplete",) if isinstance(type, IncompleteType) else None


def _plain_dims(shape: Iterable[Dim]) -> Iterator[object]:
    for dim in shape:
        if isinstance(dim, IntImm):
            yield (int(dim), dim.dtype)
        else:
            yield dim if isinstance(dim, int) else "?"


def _type(plain: PlainType) -> Type:
    if plain[0] == "tensor":
        return TensorType(tuple(map(_dim, plain[1])), plain[2])
    return TupleType(tuple(map(_type, plain[1]))) if plain[0] == "tuple" else IncompleteType()


def _dim(plain: Any) -> Dim:
    if isinstance(plain, tuple):
        return IntImm(*typing.cast("tuple[int, str]", plain))
    return plain if isinstance(plain, int) else ANY
