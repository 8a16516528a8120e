"""Expressions as the text format writes them: what gets a number, what stands in place, in which order.

A value that is used where it cannot stand in place becomes a statement ``%0 = …;`` of the innermost scope, numbered in
the order in which a parent first needs it; the value at the end of a scope (and of a ``let``) stands in place if it is
used once. Names of variables are made unique over the whole text; numbers and names go on from function to function.

The walk keeps its own stack: the parts that nest (functions, branches, arms, ``let``) are generators that yield the
generator whose result they need. Calls, tuples and projections, which are nearly everything, need none.

Source of the rule: ``src/relay/printer/relay_text_printer.cc``, ``src/relay/analysis/dependency_graph.cc`` for what is
used once, and ``ExpandDataflow`` in ``include/tvm/relay/expr_functor.h`` for the order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from ..expressions import (
    Call,
    Constant,
    Constructor,
    ErrorExpr,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
    VirtualDevice,
)
from ..module import IRModule, TypeData
from ..ops.operator import Op
from ..syntax.lexer import NAME_PATTERN, RESERVED_PATTERN
from ..visitor import children
from .document import NEW_LINE, Document, Indented, Positioned, join
from .types import TypePrinter, TypeTooLongError
from .values import AttributeTexts, MetadataTable, attribute_texts, scalar_text, value_text

__all__ = ["ExprPrinter"]

Walk: TypeAlias = "Generator[Walk, Document, Document]"

_ALWAYS_INLINE: Final = (GlobalVar, Constant, Op, Var, Constructor)
_DATAFLOW: Final = frozenset((Call, Tuple, TupleGetItem))
_COMMENTED: Final = (Constant, Call, Var, Function, Tuple, TupleGetItem)
_UNCONSTRAINED: Final = VirtualDevice()


def _run(walk: Walk) -> Document:
    """The result of ``walk``, with those that it yields run in its place, one stack for all."""
    stack = [walk]
    result: Document | None = None
    while stack:
        try:
            step = next(stack[-1]) if result is None else stack[-1].send(result)
        except StopIteration as stop:
            stack.pop()
            result = stop.value
        else:
            stack.append(step)
            result = None
    return "" if result is None else result


_NO_NAME_CHARACTER: Final = re.compile(r"[^A-Za-z0-9_/]")
_NAME: Final = re.compile(RESERVED_PATTERN + NAME_PATTERN)


def _readable(name: str) -> str:
    """``name``, which begins with a letter, as the lexer reads one: TVM prints ``%w.data`` and does not read it."""
    name = _NO_NAME_CHARACTER.sub("_", name)
    return name if _NAME.fullmatch(name) and not name.endswith("/") else f"{name}_"


class ExprPrinter:
    """Prints into one text; the state is what makes names and numbers unique."""

    def __init__(
        self,
        table: MetadataTable,
        annotate: Callable[[Expr], str] | None,
        show_types: bool,
        show_spans: bool,
        keep_positions: bool,
        attribute_texts: AttributeTexts | None = None,
        read_back: bool = False,
    ) -> None:
        self.table: Final = table
        self.types: Final = TypePrinter(table)
        self._annotate = annotate
        self._show_types = show_types
        self.show_spans = show_spans
        self._keep_positions = keep_positions
        self._has_comments: Final = annotate is not None or show_types or show_spans
        self._attribute_texts = AttributeTexts() if attribute_texts is None else attribute_texts
        self._read_back: Final = read_back
        self._scopes: list[list[Document]] = [[]]
        self._written: dict[Expr, Document] = {}
        """What stands for an expression: first its text, and once it is used, what every further use prints."""
        self._used: dict[Expr, Document] = {}
        """What a further use of an expression prints, for those that have been used."""
        self._declarations: dict[Expr, Document] = {}
        """Variables that were met before a declaration: free ones, with the declaration to print."""
        self._commented: set[Expr] = set()
        self._patterns: dict[Pattern, Document] = {}
        self._names: dict[str, int] = {}
        self._uses: dict[Expr, int] = {}
        self._next_number = 0
        self._simple: Mapping[type, Callable[[Any], Document]] = {
            Var: self._declare,
            Constant: self._constant,
            Op: lambda op: op.name,
            GlobalVar: lambda var: f"@{var.name_hint}",
            Constructor: lambda constructor: constructor.name_hint,
            Call: self._call,
            Tuple: self._tuple,
            TupleGetItem: self._tuple_get_item,
            ErrorExpr: self._error,
        }
        self._nested: Mapping[type, Callable[[Any], Walk]] = {
            Function: lambda function: self._function("fn ", function),
            If: self._if,
            Let: self._let,
            Match: self._match,
            RefCreate: self._ref_create,
            RefRead: self._ref_read,
            RefWrite: self._ref_write,
        }

    # Whole texts

    def module(self, module: IRModule) -> Document:
        """A module: data types and then functions, each in the order of their names."""
        pieces: list[Document] = []
        for var in sorted(module.type_definitions, key=lambda var: var.name):
            if pieces:
                pieces.append(NEW_LINE)
            pieces += [self._type_definition(module.type_definitions[var]), NEW_LINE]
        for var in sorted(module.functions, key=lambda var: var.name_hint):
            function = module.functions[var]
            self._count_uses(function)
            if pieces:
                pieces.append(NEW_LINE)
            pieces += [self._at(function, _run(self._function(f"def @{var.name_hint}", function))), NEW_LINE]
        return pieces

    def expression(self, expr: Expr) -> Document:
        """An expression by itself; its free variables are declared in front of it."""
        self._count_uses(expr)
        return _run(self._scope(expr))

    def _count_uses(self, root: Expr) -> None:
        """How often each expression is used below ``root``."""
        uses: dict[Expr, int] = {}
        stack = [root]
        while stack:
            for part in children(stack.pop()):
                if part in uses:
                    uses[part] += 1
                else:
                    uses[part] = 1
                    stack.append(part)
        self._uses = uses

    def _type_definition(self, data: TypeData) -> Document:
        header = self.types.text(data.header)
        if data.type_vars:
            header += f"[{', '.join(self.types.text(var) for var in data.type_vars)}]"
        body: list[Document] = []
        for constructor in data.constructors:
            inputs = ", ".join([self.types.text(input) for input in constructor.inputs])
            text = f"{constructor.name_hint}({inputs})" if inputs else constructor.name_hint
            body += [NEW_LINE, self._at(constructor, text), ","]
        return [f"type {header} {{", Indented(2, body or [NEW_LINE]), NEW_LINE, "}"]

    # One expression where it is used

    def _print(self, expr: Expr, try_inline: bool = False) -> Walk:
        """``expr`` where its parent needs it: in place, or as a number after a statement of its own."""
        inline = isinstance(expr, _ALWAYS_INLINE) or (try_inline and self._uses.get(expr, 0) < 2)
        text = self._written.get(expr)
        if text is None:
            text = yield self._write(expr)
        return self._use(expr, text, inline)

    def _print_written(self, expr: Expr) -> Document:
        """The same for an expression whose text has been made."""
        text = self._used.get(expr)
        if text is None:
            text = self._use(expr, self._written[expr], isinstance(expr, _ALWAYS_INLINE))
        return text

    def _use(self, expr: Expr, text: Document, inline: bool) -> Document:
        if isinstance(expr, Let) and not inline:
            text = ["(", Indented(2, [NEW_LINE, text]), NEW_LINE, ")"]
        printed = self._used.get(expr)
        comment = self._comment(expr)
        if isinstance(expr, Var):
            if printed is None and expr in self._declarations:
                self._scopes[-1] += ["free_var ", self._declarations[expr], ";", NEW_LINE]
            printed = self._written[expr]
        elif inline:
            printed = text if not comment else text + comment if isinstance(text, str) else [text, comment]
        elif printed is None:
            printed = f"%{self._next_number}"
            self._next_number += 1
            end = f"{comment};"
            self._scopes[-1] += (
                (f"{printed} = {text}{end}", NEW_LINE)
                if isinstance(text, str)
                else (f"{printed} = ", text, end, NEW_LINE)
            )
        self._written[expr] = self._used[expr] = printed
        return printed

    def _comment(self, expr: Expr) -> str:
        """``/* ty=… span=… */``, the first time that ``expr`` is used."""
        if not self._has_comments or expr in self._commented:
            return ""
        self._commented.add(expr)
        if self._annotate is not None:
            return self._annotate(expr)
        if not isinstance(expr, _COMMENTED):
            return ""
        type_part = ""
        if expr.checked_type is not None and self._show_types:
            # A comment may go without a type that is too long to be written; a declaration may not.
            with suppress(TypeTooLongError):
                type_part = f" ty={self.types.text(expr.checked_type)}"
        if expr.span is not None and self.show_spans:
            return f" /*{type_part} span={expr.span} */"
        return f" /*{type_part} */" if type_part else ""

    # The text of one expression, before it is decided where it stands

    def _write(self, root: Expr) -> Walk:
        """The text of ``root``, after that of everything below it that calls, tuples and projections lead to."""
        written = self._written
        stack: list[tuple[Expr, bool]] = [(root, False)]
        while stack:
            expr, expanded = stack.pop()
            if expr in written:
                continue
            kind = type(expr)
            if kind in _DATAFLOW and not expanded:
                stack.append((expr, True))
                stack += [(part, False) for part in reversed(_dataflow_parts(expr)) if part not in written]
                continue
            make = self._simple.get(kind)
            text = make(expr) if make is not None else (yield self._nested[kind](expr))
            if self._keep_positions:
                text = Positioned(expr, text)
            if expr in written:
                self._declarations[expr] = text
            else:
                written[expr] = text
        return written[root]

    def _at(self, expr: Expr, text: Document) -> Document:
        return Positioned(expr, text) if self._keep_positions else text

    def _declare(self, var: Var) -> Document:
        """Give ``var`` its name in the text, and return its declaration."""
        if var in self._written:
            return [self._written[var], "-malformed-ir"]
        name = var.name_hint
        if not name[:1].isascii() or not name[:1].isalpha():
            name = "v" + name
        name = self._unique_name("%" + (_readable(name) if self._read_back else name))
        self._written[var] = name
        declaration = name
        if var.virtual_device is not None and var.virtual_device != _UNCONSTRAINED:
            declaration += f" {{virtual_device={value_text(var.virtual_device, self.table)}}}"
        if var.type_annotation is not None:
            declaration += f": {self.types.text(var.type_annotation)}"
        comment = self._comment(var)
        if self._keep_positions:
            return [Positioned(var, declaration[: len(name)]), declaration[len(name) :], comment]
        return declaration + comment

    def _unique_name(self, wanted: str) -> str:
        name = wanted
        if wanted in self._names:
            while name in self._names:
                self._names[wanted] += 1
                name = f"{wanted}{self._names[wanted]}"
        self._names[name] = 0
        return name

    def _constant(self, constant: Constant) -> Document:
        return scalar_text(constant, self._read_back) or self.table.reference(constant)

    def _call(self, call: Call) -> Document:
        used = self._used
        args = [used[arg] if arg in used else self._print_written(arg) for arg in call.args]
        if call.attrs is not None:
            args += self._call_attributes(call)
        op = call.op
        if isinstance(op, Constructor):
            if not op.inputs:
                return op.name_hint
            callee: Document = op.name_hint
        else:
            callee = self._print_written(op)
        arguments = join(args, ", ")
        if isinstance(callee, str) and isinstance(arguments, str):
            return f"{callee}({arguments})"
        return [callee, "(", arguments, ")"]

    def _call_attributes(self, call: Call) -> Sequence[str]:
        attrs = call.attrs
        if attrs is None:
            return ()
        if not isinstance(call.op, Op):
            return (*attribute_texts(attrs, self.table), f'attrs_type_key="{attrs.type_key}"')
        declared = call.op.attrs_type
        if self.table.show and (declared is None or declared.type_key != attrs.type_key):
            # The parser takes attributes by name only where they are of the operator's own class.
            return (self.table.reference(attrs),)
        return self._attribute_texts.of(attrs, self.table)

    def _tuple(self, tuple_: Tuple) -> Document:
        fields = join([self._print_written(field) for field in tuple_.fields], ", ")
        closing = ",)" if len(tuple_.fields) == 1 else ")"
        return f"({fields}{closing}" if isinstance(fields, str) else ["(", fields, closing]

    def _tuple_get_item(self, item: TupleGetItem) -> Document:
        value = self._print_written(item.tuple_value)
        return f"{value}.{item.index}" if isinstance(value, str) else [value, f".{item.index}"]

    def _error(self, error: ErrorExpr) -> Document:
        """Broken code has no text; this one does not parse either."""
        return "<error>"

    # Expressions that nest

    def _scope(self, expr: Expr) -> Walk:
        """The statements of a scope and its last expression."""
        self._scopes.append([])
        last = yield self._print(expr, try_inline=True)
        pieces = self._scopes.pop()
        pieces.append(last)
        return pieces

    def _body(self, expr: Expr) -> Walk:
        scope = yield self._scope(expr)
        return ["{", Indented(2, [NEW_LINE, scope]), NEW_LINE, "}"]

    def _function(self, prefix: str, function: Function) -> Walk:
        pieces: list[Document] = [prefix]
        if function.type_params:
            pieces.append(f"[{', '.join(var.name for var in function.type_params)}]")
        params: list[Document] = [self._declare(param) for param in function.params]
        params += [f"{name}={value_text(value, self.table)}" for name, value in function.attrs.items()]
        if function.virtual_device is not None and function.virtual_device != _UNCONSTRAINED:
            params.append(f"virtual_device={value_text(function.virtual_device, self.table)}")
        pieces += ["(", join(params, ", "), ") "]
        if function.ret_type is not None:
            pieces.append(f"-> {self.types.text(function.ret_type)} ")
        pieces.append((yield self._body(function.body)))
        return pieces

    def _if(self, if_: If) -> Walk:
        cond = yield self._print(if_.cond)
        true_branch = yield self._body(if_.true_branch)
        false_branch = yield self._body(if_.false_branch)
        return ["if (", cond, ") ", true_branch, " else ", false_branch]

    def _let(self, let: Let) -> Walk:
        """A chain of ``let``: what a value needs is stated behind the ``let`` before it."""
        outer = len(self._scopes)
        chain: list[Let] = []
        body: Expr = let
        while isinstance(body, Let):
            declaration = self._declare(body.var)
            value = yield self._print(body.value, try_inline=True)
            self._scopes.append(["let ", declaration, " = ", value, ";", NEW_LINE])
            chain.append(body)
            body = body.body
        last = yield self._scope(body)
        scopes = self._scopes[outer:]
        del self._scopes[outer:]
        if not self._keep_positions:
            return [*scopes, last]
        # Each let of the chain reaches to the end of the scope; the first is the caller's to place.
        for inner, pieces in zip(reversed(chain[1:]), reversed(scopes[1:]), strict=True):
            last = Positioned(inner, [pieces, last])
        return [scopes[0], last]

    def _match(self, match: Match) -> Walk:
        data = yield self._print(match.data)
        arms: list[Document] = []
        for clause in match.clauses:
            pattern = self._pattern(clause.lhs)
            scope = yield self._scope(clause.rhs)
            arms += [NEW_LINE, pattern, " => {", Indented(2, [NEW_LINE, scope]), NEW_LINE, "},"]
        keyword = "match" if match.complete else "match?"
        return [f"{keyword} (", data, ") {", Indented(2, arms or [NEW_LINE]), NEW_LINE, "}"]

    def _ref_create(self, ref: RefCreate) -> Walk:
        value = yield self._print(ref.value)
        return ["ref(", value, ")"]

    def _ref_read(self, ref: RefRead) -> Walk:
        value = yield self._print(ref.ref)
        return ["ref_read(", value, ")"]

    def _ref_write(self, write: RefWrite) -> Walk:
        ref = yield self._print(write.ref)
        value = yield self._print(write.value)
        return ["ref_write(", ref, ", ", value, ")"]

    def _pattern(self, root: Pattern) -> Document:
        pieces: list[Document] = []
        stack: list[Pattern | str] = [root]
        while stack:
            pattern = stack.pop()
            if isinstance(pattern, str):
                pieces.append(pattern)
            elif isinstance(pattern, PatternVar):
                # Two matches may share a pattern; its variable is declared once and shown the same twice.
                if pattern not in self._patterns:
                    self._patterns[pattern] = self._declare(pattern.var)
                pieces.append(self._patterns[pattern])
            elif isinstance(pattern, (PatternConstructor, PatternTuple)):
                if isinstance(pattern, PatternConstructor):
                    pieces.append(pattern.constructor.name_hint)
                    if not pattern.patterns:
                        continue
                pieces.append("(")
                stack.append(")")
                for index in range(len(pattern.patterns) - 1, -1, -1):
                    stack.append(pattern.patterns[index])
                    if index:
                        stack.append(", ")
            else:
                pieces.append("_")
        return pieces


def _dataflow_parts(expr: Any) -> Sequence[Expr]:
    """What is written before ``expr``: its callee and arguments, in the order in which TVM looks at them."""
    if isinstance(expr, Call):
        return (expr.op, *expr.args)
    if isinstance(expr, Tuple):
        return expr.fields
    return (expr.tuple_value,)
