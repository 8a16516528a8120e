"""The context that passes run in, as users state it: on the command line, in settings, in a comment of a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec
from msgspec.structs import replace

from .pass_calls import PassCallError, option_parts, option_value

if TYPE_CHECKING:
    from relay_lsp.passes import PassContext
    from relay_lsp.passes.infrastructure import PassInstrument

__all__ = [
    "ContextOptions",
    "UnknownPass",
    "config_entry",
    "known_to_contexts",
    "read_context_comment",
    "unknown_passes",
]


class ContextOptions(msgspec.Struct, frozen=True):
    """The fields of a ``PassContext``; ``gates`` says whether they decide which passes of a pipeline run.

    Otherwise every pass was asked for by its name, and runs.
    """

    opt_level: int = 3
    required: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    config: Mapping[str, object] = msgspec.field(default_factory=dict[str, object])
    gates: bool = False

    def admitting(self, names: Sequence[str]) -> ContextOptions:
        """The same for passes that were asked for by name: none of these is skipped. Contexts know TVM's names, too."""
        required, disabled = known_to_contexts(self.required), known_to_contexts(self.disabled)
        if self.gates:
            return replace(self, required=required, disabled=disabled)
        asked_for = known_to_contexts(names)
        disabled = tuple(name for name in disabled if name not in asked_for)
        return replace(self, required=(*required, *asked_for), disabled=disabled)

    def pass_context(self, instruments: Sequence[PassInstrument] = ()) -> PassContext:
        """The context itself.

        Raises:
            PassError: an entry of the config is not known, or of another type.
        """
        from relay_lsp.passes import PassContext, PassError

        try:
            return PassContext(self.opt_level, self.required, self.disabled, instruments, config=self.config)
        except (AttributeError, TypeError) as error:
            raise PassError(f"the context cannot be made: {error}") from None

    def why_not(self, name: str, level: int) -> str:
        """Why the fields do not admit a pass of a level; empty where they do."""
        if name in self.disabled:
            return "it is disabled"
        if level > self.opt_level and name not in self.required:
            return f"its level {level} is above {self.opt_level}, and it is not required"
        return ""


def known_to_contexts(names: Sequence[str]) -> tuple[str, ...]:
    """``names``, and TVM's for those passes that it calls otherwise than the factory, as ``CombineParallelConv2d``."""
    from relay_lsp.passes.infrastructure.registry import find, has_file, registered_now

    known = dict.fromkeys(names)
    for name in names:
        kind = registered_now().get(name) or (find(name) if has_file(name) else None)
        if kind is not None and kind.declared_info.name:
            known[kind.declared_info.name] = None
    return tuple(known)


class UnknownPass(NamedTuple):
    """A name that no pass has, and the name that is nearest to it, if there is one."""

    name: str
    near: str | None

    @property
    def hint(self) -> str:
        """What a message about the name ends with."""
        from relay_lsp.passes.infrastructure.errors import suggestion

        return suggestion(self.near)

    @property
    def message(self) -> str:
        """What is wrong."""
        from relay_lsp.passes.infrastructure.errors import no_such_pass

        return no_such_pass(self.name, self.hint)


def unknown_passes(names: Iterable[str], of_extensions: Collection[str] = ()) -> Iterator[UnknownPass]:
    """Those of ``names`` that no pass has, neither one of ours nor ``of_extensions``.

    Passes are imported: not on the event loop.
    """
    for name in names:
        from relay_lsp.passes.infrastructure.errors import nearest  # not loaded where no pass is named
        from relay_lsp.passes.infrastructure.registry import find, registered

        if name not in of_extensions and find(name) is None:
            yield UnknownPass(name, nearest(name, [*registered(), *of_extensions]))


def config_entry(text: str) -> tuple[str, object]:
    """Read ``KEY=VALUE`` of a context's config.

    Raises:
        PassCallError: it is written in another way.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise PassCallError(f"{text.strip()!r} is no option of the context; write KEY=VALUE")
    return key.strip(), option_value(value.strip())


_WORDS = {"opt_level", "require", "disable", "config"}


def read_context_comment(text: str, context: ContextOptions) -> ContextOptions:
    """The context of a pipeline's comment: ``opt_level=2, require=A, disable=[B, C], config={"key": 1}``.

    What it does not say is as in ``context``.

    Raises:
        PassCallError: a part is something else.
    """
    for part in option_parts(text):
        key, value = config_entry(part)
        if key not in _WORDS:
            raise PassCallError(f"{key!r} is no option of a context; there are {', '.join(sorted(_WORDS))}")
        if key == "opt_level":
            if not isinstance(value, int) or isinstance(value, bool):
                raise PassCallError(f"opt_level is a number, not {value!r}")
            context = replace(context, opt_level=value)
        elif key == "config":
            if not isinstance(value, Mapping):
                raise PassCallError('config is a dictionary, such as {"relay.FuseOps.max_depth": 4}')
            context = replace(context, config={**context.config, **value})
        else:
            names = _names(value)
            context = replace(context, **{"required" if key == "require" else "disabled": names})
    return context


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(map(str, cast("Sequence[object]", value)))
    return tuple(name.strip() for name in str(value).strip("[]").split(",") if name.strip())
