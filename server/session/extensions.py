"""Users' own passes and operators, as the server sees them: loaded in the worker only, and only once there is trust.

The server's own process never runs a line of them. It asks the worker to load each one by itself, so that one that
raises, loops or ends its process is known by name; those that loaded well go along with every job, because a worker
that was killed begins with none. Their operators come back as declarations (:mod:`.extension_operators`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from ..worker.worker import JobCancelled, JobError, Worker
from ..worker.worker_process import Job, Progress
from .regular_files import Stamp, stamp_of

if TYPE_CHECKING:
    from relay_lsp.passes.infrastructure.extensions import Extension, ExtensionFault

    from ..features.documentation.pass_documentation import PassEntry
    from .extension_operators import CallQuestion, ExtensionOperators, OperatorDeclaration

__all__ = ["Extensions", "LoadExtension", "Loaded", "WithExtensions"]

_LOAD_SECONDS = 30.0
_RELATION_SECONDS = 5.0
"""How long the type relations of users' operators may take for the calls of one text."""

_loaded: dict[str, Stamp | None] = {}
"""In the worker: which extensions it has loaded, and in which state of their files."""


class Loaded(msgspec.Struct, frozen=True):
    """What one entry of the setting brought. ``passes`` are described as ``relay/passes`` gives them."""

    passes: Sequence[PassEntry] = ()
    operators: Sequence[OperatorDeclaration] = ()
    faults: Sequence[ExtensionFault] = ()


class LoadExtension(msgspec.Struct, frozen=True):
    """Load one extension, and tell what it brought."""

    name: str
    """The path of a Python file, or the name of an installed package."""
    root: str = ""
    """The workspace's folder, from which an extension may import what has no name of anything installed."""

    def run(self, progress: Progress) -> Loaded:
        """Load it."""
        from relay_lsp.ir.ops import operator
        from relay_lsp.passes import find

        from ..features.documentation.pass_documentation import describe_pass
        from ..worker.read_texts import forget_snapshots
        from .extension_operators import declare

        progress(f"loading {self.name}")
        extensions = _load(self.name, self.root)
        forget_snapshots()
        classes = [find(name) for extension in extensions for name in extension.passes]
        return Loaded(
            [describe_pass(each.declaration()) for each in classes if each is not None],
            [declare(operator.get(name)) for extension in extensions for name in extension.operators],
            [extension.fault for extension in extensions if extension.fault is not None],
        )


Result_co = TypeVar("Result_co", covariant=True)


class WithExtensions(msgspec.Struct, Generic[Result_co], frozen=True):
    """A job for which these extensions must be there, in the state that they are known to load in."""

    job: Job[Result_co]
    extensions: tuple[tuple[str, Stamp | None], ...]
    root: str = ""

    def run(self, progress: Progress) -> Result_co:
        """Load what this process does not have yet, and do the job."""
        from ..worker.read_texts import forget_snapshots

        for name, stamp in self.extensions:
            if name not in _loaded or _loaded[name] != stamp:
                _load(name, self.root)
                forget_snapshots()
        return self.job.run(progress)


def _load(name: str, root: str) -> Sequence[Extension]:
    from relay_lsp.passes.infrastructure.extensions import allow_imports_from, load_file, load_package

    _loaded[name] = _stamp(name)
    if root:
        allow_imports_from(root)
    return (load_file(name),) if _is_file(name) else load_package(name)


def _is_file(name: str) -> bool:
    return name.endswith(".py")


def _stamp(name: str) -> Stamp | None:
    """The state of a file; ``None`` for a package, and where there is no file."""
    try:
        return stamp_of(Path(name)) if _is_file(name) else None
    except (OSError, ValueError):  # the name cannot be that of a file
        return None


class _Known(msgspec.Struct):
    stamp: Stamp | None
    loaded: Loaded = msgspec.field(default_factory=Loaded)

    @property
    def is_sound(self) -> bool:
        return not self.loaded.faults


class Extensions:
    """The extensions of one server.

    ``show`` is given what is wrong with a file: nothing, where it is well again. ``operators_changed`` is called when
    texts have to be read anew, because other operators are known, or more is known of what they give.
    """

    def __init__(
        self,
        worker: Worker,
        show: Callable[[str, Sequence[ExtensionFault]], object],
        operators_changed: Callable[[], object] = lambda: None,
    ) -> None:
        self.is_trusted = False
        """Whether the user has said that the code of this workspace may run."""
        self._worker = worker
        self._show = show
        self._operators_changed = operators_changed
        self._names: tuple[str, ...] = ()
        self._root = ""
        self._known: dict[str, _Known] = {}
        self._shown: dict[str, list[ExtensionFault]] = {}
        """What is shown to be wrong, by the file or package."""
        self._met: dict[str, ExtensionFault] = {}
        """What came up last while a pass or a type relation ran, by the file, until that is written again."""
        self._operators: ExtensionOperators | None = None

    def configure(self, names: Collection[str], root: Path | None) -> None:
        """Take over the setting. Paths are relative to the ``root`` of the workspace."""
        base = root or Path.cwd()
        self._root = str(root or "")
        self._names = tuple(dict.fromkeys(str(base / name) if _is_file(name) else name for name in names))
        self._known = {name: known for name, known in self._known.items() if name in self._names}
        self._met = {path: fault for path, fault in self._met.items() if self._entry_around(path) in self._names}
        self._show_faults()
        self._install()

    @property
    def loaded_names(self) -> tuple[str, ...]:
        """Those that jobs have: of a file its name without the folder, or a package's."""
        return tuple(Path(name).name for name, known in self._known.items() if self.is_trusted and known.is_sound)

    @property
    def are_withheld(self) -> bool:
        """Whether there are extensions that may not be loaded."""
        return bool(self._names) and not self.is_trusted

    @property
    def are_awaited(self) -> bool:
        """Whether there are extensions that may be loaded and have not been yet: they may bring any operator."""
        return self.is_trusted and any(name not in self._known for name in self._names)

    @property
    def passes(self) -> list[PassEntry]:
        """The descriptions of the passes that extensions have brought."""
        return [described for known in self._known.values() for described in known.loaded.passes]

    @property
    def pass_names(self) -> list[str]:
        """The names of the passes that extensions have brought."""
        return [str(described["name"]) for described in self.passes]

    async def refresh(self) -> None:
        """Load what is new or has been written since, if there is trust, and show what is wrong with it."""
        if not self.is_trusted:
            return
        was_written = False
        for name in self._names:
            stamp = _stamp(name)
            known = self._known.get(name)
            if known is not None and known.stamp == stamp:
                continue
            was_written = True
            try:
                loaded = await self._worker.run(LoadExtension(name, self._root), timeout=_LOAD_SECONDS)
            except JobCancelled:
                return  # the worker was stopped meanwhile, which is not the extension's fault: it is tried again
            except JobError as error:
                loaded = Loaded(faults=[_fault(name, f"loading it failed: {error.message}")])
            if name not in self._names:
                continue  # the settings have changed meanwhile
            self._known[name] = _Known(stamp, loaded)
            self._met = {path: fault for path, fault in self._met.items() if self._entry_around(path) != name}
            self._show_faults()
        if was_written:
            self._install(anew=True)

    def _install(self, anew: bool = False) -> None:
        """Let the operators that are declared now stand in for those in the worker, ``anew`` with other code."""
        declared = [each for known in self._known.values() for each in known.loaded.operators]
        if self._operators is None and declared:
            # Imported only now: it takes all operators along, which the start of a server does not wait for.
            from .extension_operators import ExtensionOperators

            self._operators = ExtensionOperators()
        changed = self._operators is not None and self._operators.install(declared)
        if self._operators is not None and anew:
            self._operators.forget_answers()
        if changed or anew:
            self._operators_changed()

    def withdraw(self) -> None:
        """Leave no trace of the users' operators in this process."""
        if self._operators is not None:
            self._operators.withdraw()

    @property
    def has_questions(self) -> bool:
        """Whether calls came up whose types only the worker knows."""
        return self._operators is not None and self.is_trusted and self._operators.has_questions

    async def answer_calls(self) -> bool:
        """Ask the type relations in the worker about the calls that came up; tells whether anything was learned.

        Where the worker cannot be asked, they stay unknown until they come up again.
        """
        operators = self._operators
        if operators is None or not self.has_questions:
            return False
        before = operators.revision
        to_ask = [operators.questions()]
        while to_ask:
            to_ask.extend(await self._answer(to_ask.pop()))
        if operators.revision == before:
            return False
        self._operators_changed()
        return True

    async def _answer(self, questions: tuple[CallQuestion, ...]) -> Sequence[tuple[CallQuestion, ...]]:
        """Ask about calls; where that failed, what is to be asked one by one."""
        from .extension_operators import AnswerCalls

        assert self._operators is not None
        try:
            # A worker that has to start first takes its time, which is not the relations' fault.
            from ..worker.jobs import Prepare

            await self._worker.run(self.job(Prepare()), timeout=_LOAD_SECONDS)
        except JobError:
            return ()
        try:
            answers = await self._worker.run(self.job(AnswerCalls(questions)), timeout=_RELATION_SECONDS)
        except JobCancelled:
            return ()
        except JobError as error:
            if len(questions) > 1:
                return [(question,) for question in questions]
            name = next(iter(questions)).name
            self._operators.give_up(name)
            self.report(_fault(self._entry_of(name), f"the type relation of {name} failed: {error.message}"))
            return ()
        self._operators.learn(dict(zip(questions, answers, strict=True)))
        for answer in answers:
            if answer.fault is not None:
                self.report(answer.fault)
        return ()

    def _entry_of(self, operator: str) -> str:
        """The entry of the setting that brought an operator."""
        entries = [
            name for name, known in self._known.items() for each in known.loaded.operators if each.name == operator
        ]
        return entries[0] if entries else operator

    def job(self, job: Job[Result_co]) -> Job[Result_co]:
        """``job``, with the extensions that are known to load."""
        if not self.is_trusted:
            return job
        sound = [(name, self._known[name].stamp) for name in self._names if name in self._known]
        return WithExtensions(job, tuple(item for item in sound if self._known[item[0]].is_sound), self._root)

    def report(self, fault: ExtensionFault) -> None:
        """Show a fault that came up while a pass ran, until the file is written again."""
        self._met[fault.path] = fault
        self._show_faults()

    def _entry_around(self, path: str) -> str:
        """The entry of the setting that a file came with: that file, or else a package, whose files are not known."""
        for name in self._names:
            if path == name or (_is_file(name) and path == str(Path(name).resolve())):
                return name
        return next((name for name in self._names if not _is_file(name)), path)

    def _show_faults(self) -> None:
        """Show what is wrong now where that is something else than what is shown."""
        by_path: dict[str, list[ExtensionFault]] = {}
        for name, known in self._known.items():
            for fault in known.loaded.faults:
                by_path.setdefault(fault.path or name, []).append(fault)
        by_path.update({path: [fault] for path, fault in self._met.items()})
        for path in {**self._shown, **by_path}:
            faults = by_path.get(path, [])
            if faults != self._shown.get(path):
                self._show(path, faults)
        self._shown = by_path


def _fault(name: str, message: str) -> ExtensionFault:
    from relay_lsp.passes.infrastructure.extensions import ExtensionFault

    return ExtensionFault(name, 1, 1, message)
