"""``AnnotateTarget``."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import (
    Call,
    Expr,
    Function,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op

from ..infrastructure import FunctionPass, PassContext, declare_pass, option
from ..provenance import ExprMutator
from ..provenance.remarks import name_of
from .annotations import compiler_begin, compiler_end, compiler_of, is_begin, is_end
from .targets import supports

_DEFAULT = "default"


@declare_pass(opt_level=0, required=("InferType",))
class AnnotateTarget(FunctionPass):
    """Mark each operator for the first compiler in ``targets`` that takes it.

    The marks are ``annotation.compiler_begin`` on what enters and ``annotation.compiler_end`` on what leaves.
    What no compiler takes goes to ``default``. A function marked ``Composite="NAME.…"`` goes to the compiler ``NAME``.
    Which operators a compiler takes is known for ``dnnl`` and for what ``register_target_support`` was given. Source of
    the rule: ``src/relay/transforms/annotate_target.cc``.

    Before (targets=["dnnl"])::

        def @main(%x: Tensor[(4), float32]) {
          nn.relu(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          %0 = annotation.compiler_begin(%x, meta[relay.attrs.CompilerAttrs][0]);
          %1 = nn.relu(%0);
          annotation.compiler_end(%1, meta[relay.attrs.CompilerAttrs][1])
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.attrs.CompilerAttrs"], "data": [2]},
            {"type_key": "Array", "data": [3, 4]},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}}
          ],
          "b64ndarrays": [],
          "attrs": {"tvm_version": "0.12.0"}
        }
    """

    targets: tuple[str, ...] | str = option(default=(), doc="The compilers, in order of preference.")
    include_non_call_ops: bool = option(default=True, doc="Also mark tuples, projections, references and bindings.")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with its operators marked."""
        targets = (self.targets,) if isinstance(self.targets, str) else self.targets
        annotator = _TargetAnnotator if self.include_non_call_ops else _CallAnnotator
        return annotator(targets).visit_function(function)


class _TargetAnnotator(ExprMutator):
    def __init__(self, targets: Sequence[str]) -> None:
        super().__init__()
        self.targets = targets
        self.target_of: dict[Expr, str] = {}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if is_begin(pre):
            return post
        if is_end(pre):
            self.target_of.setdefault(post.args[0], compiler_of(post))
            return post
        if pre.args and is_begin(pre.args[0]) and compiler_of(pre.args[0]) != _DEFAULT:
            # An earlier run has marked it.
            return post
        if isinstance(pre.op, Var) and (called := self.call_of_var(post)) is not None:
            return called
        target = self._target(pre)
        if self.record.remarks is not None:
            if target == _DEFAULT:
                words = f"not marked: none of {', '.join(self.targets) or 'no compilers'} takes {name_of(pre)}"
                self.record.remarks.missed("unsupported", pre, words)
            else:
                self.record.remarks.passed("marked", pre, f"marked for {target}")
        _, args = self._annotate(post.args, target)
        new = Call(post.op, tuple(args), post.attrs, (), pre.span)
        self.target_of[new] = target
        return new

    def _target(self, call: Call) -> str:
        if isinstance(call.op, Op):
            return next((target for target in self.targets if supports(target, call)), _DEFAULT)
        if isinstance(call.op, Function):
            composite, dot, _ = str(call.op.attrs.get("Composite", "")).partition(".")
            if dot and composite in self.targets:
                return composite
        return _DEFAULT

    def call_of_var(self, call: Call) -> Call | None:
        """What a call of a variable becomes; ``None`` where it is marked like any other."""
        del call
        return None

    def _annotate(self, args: Sequence[Expr], target: str = "") -> tuple[str, list[Expr]]:
        """The target, by default the one on which the arguments agree, and the arguments as they enter its region."""
        reference = ""
        begins: list[Expr] = []
        ends: list[Expr] = []
        for arg in args:
            own = _DEFAULT
            if is_begin(arg):
                if compiler_of(arg) == _DEFAULT:
                    ends.append(arg.args[0])
                else:
                    begins.append(arg)
                if is_end(arg.args[0]):
                    own = compiler_of(arg.args[0])
            elif arg in self.target_of:
                own = self.target_of[arg]
                # A call without arguments is like an input.
                nullary = isinstance(arg, Call) and not arg.args
                ends.append(arg if nullary else compiler_end(arg, own))
            else:
                ends.append(arg)
            reference = own if reference in ("", own) else _DEFAULT
        if not reference:
            return target, list(args)
        chosen = target or reference
        begins.extend(compiler_begin(end, chosen) for end in ends)
        return chosen, begins

    def end(self, expr: Expr) -> Expr:
        """``expr`` as it leaves its region, if it is in one."""
        target = self.target_of.get(expr)
        if target is not None:
            return self._ended(expr, target) if _ends(expr) else expr
        if is_end(expr) and compiler_of(expr) == _DEFAULT:
            inner = expr.args[0]
            return self._ended(inner, self.target_of.get(inner, ""))
        return expr

    def _ended(self, expr: Expr, target: str) -> Expr:
        ended = compiler_end(expr, target)
        self.target_of[ended] = target
        return ended

    def _marked(self, new: Expr, target: str) -> Expr:
        self.target_of[new] = target
        return new

    def rewrite_tuple(self, pre: Tuple, post: Tuple) -> Expr:
        target, fields = self._annotate(post.fields)
        same = len(fields) == len(post.fields) and all(a is b for a, b in zip(fields, post.fields, strict=True))
        return self._marked(post if same else Tuple(tuple(fields), post.span), target)

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        target, (value,) = self._annotate((post.tuple_value,))
        return self._marked(TupleGetItem(value, post.index), target)

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        if "Composite" in pre.attrs:
            # A composite function is one operator: nothing inside it is marked.
            return pre
        body = self.end(post.body)
        if body is post.body:
            return post
        return Function(post.params, body, post.ret_type, post.type_params, post.attrs, post.span, post.virtual_device)

    def rewrite_let(self, pre: Let, post: Let) -> Expr:
        body = self.end(post.body)
        if isinstance(post.value, Function):
            return post if body is post.body else Let(post.var, post.value, body)
        _, (value,) = self._annotate((post.value,))
        return Let(post.var, value, body)

    def rewrite_if(self, pre: If, post: If) -> Expr:
        return If(self.end(post.cond), self.end(post.true_branch), self.end(post.false_branch))

    def rewrite_ref_create(self, pre: RefCreate, post: RefCreate) -> Expr:
        target, (value,) = self._annotate((post.value,))
        return self._marked(RefCreate(value), target)

    def rewrite_ref_read(self, pre: RefRead, post: RefRead) -> Expr:
        target, (ref,) = self._annotate((post.ref,))
        return self._marked(RefRead(ref), target)

    def rewrite_ref_write(self, pre: RefWrite, post: RefWrite) -> Expr:
        target, (ref, value) = self._annotate((post.ref, post.value))
        return self._marked(RefWrite(ref, value), target)


def _ends(expr: Expr) -> bool:
    """Whether a value leaves a region; what has no inputs never entered one."""
    if isinstance(expr, Call):
        return bool(expr.args)
    if isinstance(expr, Tuple):
        return bool(expr.fields)
    return isinstance(expr, (RefWrite, RefCreate, RefRead, TupleGetItem))


class _CallAnnotator(_TargetAnnotator):
    """Marks calls only; what stands between them is outside of every region."""

    def call_of_var(self, call: Call) -> Call:
        return Call(call.op, tuple(self.end(arg) for arg in call.args), call.attrs)

    def rewrite_tuple(self, pre: Tuple, post: Tuple) -> Expr:
        fields = tuple(self.end(field) for field in post.fields)
        same = all(a is b for a, b in zip(fields, post.fields, strict=True))
        return post if same else Tuple(fields, post.span)

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        return TupleGetItem(self.end(post.tuple_value), post.index)

    def rewrite_ref_create(self, pre: RefCreate, post: RefCreate) -> Expr:
        return RefCreate(self.end(post.value))

    def rewrite_ref_read(self, pre: RefRead, post: RefRead) -> Expr:
        return RefRead(self.end(post.ref))

    def rewrite_ref_write(self, pre: RefWrite, post: RefWrite) -> Expr:
        return RefWrite(self.end(post.ref), self.end(post.value))
