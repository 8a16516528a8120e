"""``Pass`` and its kinds: over a module, over each function, over a list of passes.

Source of the rule: ``src/ir/transform.cc``, ``src/relay/ir/transform.cc``.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Mapping, Sequence
from typing import ClassVar
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from relay_lsp.ir.diagnostics import Diagnostic, Place
from relay_lsp.ir.expressions import Expr, Function, GlobalVar
from relay_lsp.ir.garbage_collection import without_collection
from relay_lsp.ir.module import IRModule

from ..pass_info import PassInfo
from ..provenance.record import Record, current_record, recording
from ..provenance.remarks import Remarks
from ..provenance.trace import active_trace
from ..provenance.trace_step import TraceStep
from . import registry
from .context import PassContext
from .declaration import Declaration, read_declaration
from .errors import BrokenModuleError, PassError
from .given_module import GivenModule
from .writable import require_writable

__all__ = ["FunctionPass", "ModulePass", "Pass", "Pipeline", "Sequential", "is_optimizable"]

INFER_TYPE = "InferType"
_OURS = f"{__name__.partition('.')[0]}."

_holding: WeakKeyDictionary[IRModule, frozenset[str]] = WeakKeyDictionary()
"""The passes that hold for a module: what made it what it is, and what ran over it since without changing it."""


class _Running(threading.local):
    def __init__(self) -> None:
        self.pipelines: list[str] = []
        """The names of the pipelines that are running, outermost first."""
        self.requirements = 0
        """How many of the running passes run only because another requires them."""


_running = _Running()


class Pass:
    """Turns one module into another. Call it with a module, under the current :class:`PassContext`.

    A class declared with ``declare_pass`` is registered under its name.
    """

    declared_info: ClassVar[PassInfo] = PassInfo(0, "")
    kind: ClassVar[str] = ""
    gives_spans: ClassVar[bool] = False
    """Whether spans are all that the pass gives: where it runs over a text, they are written behind the values."""
    shows_spans: ClassVar[bool] = False
    """Whether the pass prints expressions with their spans; where it runs over a text, they are worked out for it."""

    def __post_init__(self) -> None:
        """Check every option against its declaration.

        Raises:
            PassError: one is of the wrong kind, out of bounds, or not among its choices.
        """
        for field in self.declaration().options.values():
            value = getattr(self, field.name)
            object.__setattr__(self, field.name, registry.checked_option(field, value, type(self).__name__))

    @property
    def info(self) -> PassInfo:
        """Level, name and requirements."""
        return self.declared_info

    @classmethod
    def declaration(cls) -> Declaration:
        """What the class says about the pass."""
        known = cls.__dict__.get("_declaration")
        if known is None:
            known = read_declaration(cls, cls.declared_info, cls.kind)
            cls._declaration = known
        return known

    _declaration: ClassVar[Declaration | None] = None

    @property
    def options(self) -> Mapping[str, object]:
        """The options of this pass by name."""
        return {name: getattr(self, name) for name in self.declaration().options}

    def __call__(self, module: IRModule, context: PassContext | None = None) -> IRModule:
        """What the pass makes of ``module``; ``module`` itself where an instrument does not let it run.

        Raises:
            PassError: the pass cannot do its work on this module, or gives something that is none.
            TypeError: it is called with something else than a module.
        """
        if not isinstance(module, IRModule):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{self.info.name} takes an IRModule, and got {_kind_of(module)}")
        context = context or PassContext.current()
        if not context.instrument_before_pass(module, self.info):
            return module
        after = self.run(module, context)
        context.instrument_after_pass(after, self.info)
        return after

    def run(self, module: IRModule, context: PassContext) -> IRModule:
        """Run without asking the instruments, and record what came from what."""
        if INFER_TYPE in self.info.required or self.reads_types(module):
            module = _typed_before(module, context)
        started = time.perf_counter()
        trace = active_trace()
        remarks = Remarks() if trace is not None and trace.remarks else None
        with without_collection(), recording(module, remarks) as record:
            given = None if self.written_in().startswith(_OURS) else GivenModule(module)
            try:
                after = self.apply(module, record, context)
                _require(after, IRModule, "the pass")
                if given is not None:
                    given.require_unchanged()
                    _require_functions(after)
                    if after is not module:
                        require_writable(after)
            except PassError as error:
                error.pass_name = error.pass_name or self.info.name
                raise
            record.settle(after)
        seconds = time.perf_counter() - started
        _note_holding(self, module, after)
        self._report(record, module, after, seconds)
        return after

    def written_in(self) -> str:
        """The Python module that says what the pass does. What is not one of ours is looked at more closely."""
        return type(self).__module__

    def reads_types(self, module: IRModule) -> bool:
        """Whether the pass may look at types of ``module`` though it does not require them; then it gets them."""
        del module
        return False

    def apply(self, module: IRModule, record: Record, context: PassContext) -> IRModule:
        """The work itself."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it does")

    def infer_types(self, module: IRModule, context: PassContext) -> IRModule:
        """``module``, which this pass has made while it runs, with types: for a pass that may have made it ill-typed.

        Raises:
            BrokenModuleError: it is.
        """
        record = current_record()
        record.settle(module)
        return self._typed_afterwards(module, record, context)

    def _typed_afterwards(self, module: IRModule, record: Record, context: PassContext) -> IRModule:
        try:
            return _ensure(INFER_TYPE, module, context)
        except PassError as error:
            # Inference found it, but this pass made it.
            diagnostics = [_at_origin(diagnostic, record) for diagnostic in error.diagnostics]
            message = f"left an ill-typed module: {error.message}"
            raise BrokenModuleError(message, pass_name=self.info.name, diagnostics=diagnostics) from error

    def _report(self, record: Record, before: IRModule, after: IRModule, seconds: float) -> None:
        outer = current_record()
        trace = active_trace()
        if outer.before is None and trace is None:
            return
        changed = after is not before
        sources = record.new_expressions(after) if changed else dict[Expr, tuple[Expr, ...]]()
        joined = record.joined(after) if changed else dict[Expr, tuple[Expr, ...]]()
        if outer.before is not None:
            outer.absorb(sources, joined)
            if outer.remarks is not None:
                outer.remarks.extend(record.settled_remarks())
            return
        if trace is not None:
            gone = record.gone(after) if changed else frozenset[Expr]()
            used = {source for old in (*sources.values(), *joined.values()) for source in old}
            path = tuple(_running.pipelines)
            trace.append(
                TraceStep(
                    info=self.info,
                    options=self.options,
                    path=path,
                    is_requirement=_running.requirements > 0,
                    before=before,
                    after=after,
                    seconds=seconds,
                    sources=sources,
                    joined=joined,
                    removed=gone - used,
                    replaced=gone & used,
                    unexplained=tuple(expr for expr in record.unexplained if expr in sources),
                    remarks=record.settled_remarks(),
                    factory=self._factory(),
                )
            )

    def _factory(self) -> str:
        name = type(self).__name__
        return name if name != self.info.name and name in registry.registered_now() else ""

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{type(self).__name__}({options})"


def _at_origin(diagnostic: Diagnostic, record: Record) -> Diagnostic:
    """``found`` at what the expression at fault stems from in the module that the pass got."""
    origins = record.origins(diagnostic.place.expr) if diagnostic.place is not None else ()
    return replace(diagnostic, place=Place(origins[0])) if origins else diagnostic


class ModulePass(Pass):
    """A pass that sees the whole module. Override :meth:`transform_module`."""

    kind: ClassVar[str] = "ModulePass"

    def apply(self, module: IRModule, record: Record, context: PassContext) -> IRModule:
        """Run :meth:`transform_module`."""
        return self.transform_module(module, context)

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module that ``module`` becomes; ``module`` itself where nothing changes."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it does to a module")


class FunctionPass(Pass):
    """A pass that sees one function at a time, and cannot add or remove any. Override :meth:`transform_function`.

    Functions for an external compiler, external functions, and those marked ``SkipOptimization`` are left alone. What
    changed has its types inferred afterwards, by ``InferType``, which the instruments see as a pass inside this one.
    """

    kind: ClassVar[str] = "FunctionPass"

    def reads_types(self, module: IRModule) -> bool:
        """A pass over functions usually does."""
        del module
        return True

    def apply(self, module: IRModule, record: Record, context: PassContext) -> IRModule:
        """Run :meth:`transform_function` over every function, then infer types.

        Raises:
            BrokenModuleError: what the functions became is ill-typed.
        """
        changed: dict[GlobalVar, Function] = {}
        for var, function in tuple(module.functions.items()):
            if is_optimizable(function):
                new = self.transform_function(function, module, context)
                _require(new, Function, f"what the pass does to {var!r}", function)
                if new is not function:
                    changed[var] = new
        if changed:
            for var, new in changed.items():
                if not record.origins(new):
                    record.record(new, module.functions[var])
            module = module.with_functions({**module.functions, **changed})
            record.settle(module)
        return self._typed_afterwards(module, record, context) if changed else _ensure(INFER_TYPE, module, context)

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function that ``function`` becomes; ``function`` itself where nothing changes."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it does to a function")


class Pipeline(Pass):
    """Passes one after the other, each if the context enables it, each after what it requires. Override :meth:`passes`.

    A requirement that still holds is not run again.
    """

    kind: ClassVar[str] = "Sequential"

    def passes(self) -> Sequence[Pass]:
        """The passes in order."""
        raise NotImplementedError(f"{type(self).__name__} does not say which passes it runs")

    def run(self, module: IRModule, context: PassContext) -> IRModule:
        """Run what the context enables.

        Raises:
            PassError: something in the pipeline is no pass.
        """
        _running.pipelines.append(self.info.name)
        try:
            for item in self.passes():
                if not isinstance(item, Pass):  # pyright: ignore[reportUnnecessaryIsInstance]
                    raise PassError(f"{_kind_of(item)} is in the pipeline, and is no Pass", pass_name=self.info.name)
                if not context.pass_enabled(item.info):
                    _note_skipped(item.info, context)
                    continue
                for required in item.info.required:
                    module = _ensure(required, module, context)
                module = item(module, context)
        finally:
            _running.pipelines.pop()
        return module


class Sequential(Pipeline):
    """The pipeline of the passes that it is given."""

    def __init__(
        self,
        passes: Sequence[Pass] | None = None,
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] | None = None,
    ) -> None:
        """Make a pipeline.

        Raises:
            TypeError: ``passes`` is not a list of passes, or ``required`` not a list of names.
        """
        if not isinstance(passes or [], (list, tuple)):
            raise TypeError("passes must be a list of Pass objects.")
        for item in passes or ():
            if not isinstance(item, Pass):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f"passes must be a list of Pass objects, and {item!r} is none.")
        if not isinstance(required or [], (list, tuple)):
            raise TypeError("Required is expected to be the type of list/tuple.")
        self._passes = tuple(passes or ())
        self._info = PassInfo(opt_level, name, tuple(required or ()))

    @property
    def info(self) -> PassInfo:
        """Level, name and requirements."""
        return self._info

    def passes(self) -> Sequence[Pass]:
        """The passes in order."""
        return self._passes

    def __repr__(self) -> str:
        return f"Sequential([{', '.join(map(repr, self.passes()))}])"


def is_optimizable(function: Function) -> bool:
    """Whether function passes may touch ``function`` (``src/relay/ir/function.cc``, ``AsOptimizableFunctionNode``)."""
    attrs = function.attrs
    if not attrs:
        return True
    return not (attrs.get("Compiler") is not None or attrs.get("Extern") or attrs.get("SkipOptimization"))


def _require(made: object, kind: type, what: str, place: Expr | None = None) -> None:
    """Make sure that a pass, which may be a user's, has given what it has to.

    Raises:
        PassError: it has given something else.
    """
    if not isinstance(made, kind):
        raise PassError(f"{what} gave {_kind_of(made)}, and must give {_kind_of(kind)}", place=place)


def _require_functions(module: IRModule) -> None:
    """Make sure that a module that a user's pass has made has one function under each name.

    Raises:
        PassError: it has something else, or two.
    """
    names: set[str] = set()
    for var, function in module.functions.items():
        _require(var, GlobalVar, "the pass, for the name of a function,")
        _require(function, Function, f"the pass, for {var!r},")
        if var.name_hint in names:
            raise PassError(f"the pass gave a module with two functions {var!r}", place=function)
        names.add(var.name_hint)


def _kind_of(value: object) -> str:
    if value is None:
        return "nothing (None)"
    name = (value if isinstance(value, type) else type(value)).__name__
    return f"{'an' if name[0] in 'AEIOUaeio' else 'a'} {name}"


def has_run(name: str, module: IRModule) -> bool:
    """Whether a pass, with the options that it has by itself, made this very module or left it as it is."""
    return name in _holding.get(module, ())


def _typed_before(module: IRModule, context: PassContext) -> IRModule:
    """``module`` with types for a pass that is called outside of a pipeline. TVM's instruments see nothing of it."""
    if has_run(INFER_TYPE, module):
        return module
    _running.requirements += 1
    try:
        return registry.create(INFER_TYPE).run(module, context)
    finally:
        _running.requirements -= 1


def _announce(name: str, module: IRModule, context: PassContext) -> None:
    """Tell the instruments of a pass that need not run again, as TVM runs it: they see the same calls as there."""
    required = registry.create(name)
    if context.instrument_before_pass(module, required.info):
        if isinstance(required, FunctionPass):
            _announce(INFER_TYPE, module, context)
        context.instrument_after_pass(module, required.info)


def _ensure(name: str, module: IRModule, context: PassContext) -> IRModule:
    if has_run(name, module):
        if context.instruments:
            _announce(name, module, context)
        return module
    _running.requirements += 1
    try:
        return registry.create(name)(module, context)
    finally:
        _running.requirements -= 1


def _note_skipped(info: PassInfo, context: PassContext) -> None:
    trace = active_trace()
    if trace is not None and current_record().before is None:
        reason = "disabled" if info.name in context.disabled_pass else "level"
        trace.skip(info, tuple(_running.pipelines), reason)


def _note_holding(item: Pass, before: IRModule, after: IRModule) -> None:
    holding = set(_holding.get(before, ())) if after is before else set[str]()
    holding |= _holding.get(after, frozenset())
    options = item.declaration().options.values()
    if dataclasses.is_dataclass(item) and all(getattr(item, field.name) == field.default for field in options):
        holding.add(type(item).__name__)
    _holding[after] = frozenset(holding)
