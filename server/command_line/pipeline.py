"""The passes that a command line asks for: those named, those of a build, and the parameters bound before them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from relay_lsp.passes import find, registered
from relay_lsp.passes.infrastructure import did_you_mean
from relay_lsp.passes.targets import Target, TargetError

from ..features.passes.pipeline_comment import pipeline_comment, pipeline_context
from ..pass_calls import PassCall, PassCallError, parse_pipeline
from ..pass_contexts import ContextOptions, config_entry, read_context_comment
from .calls import read_calls
from .problems import CommandError

__all__ = ["read_context", "read_pipeline"]

_LEVEL = re.compile(r"O([0-4])")
_EXECUTORS = ("graph", "vm")


def read_pipeline(options: argparse.Namespace, text: str = "") -> tuple[Sequence[PassCall], int]:
    """The passes in order, and the level that they run at; where none are named, those that ``text`` names for itself.

    Raises:
        CommandError: there are none, or a pass, a build or a target is not written as one; there is no such pass.
    """
    calls: list[PassCall] = []
    if options.params:
        calls.append(PassCall("BindParams", {"file": options.params}))
    level = _level(options)
    if options.build:
        build, level = _build(options)
        calls.append(build)
    elif options.targets:
        raise CommandError(
            "--target says what --build is for; passes take it as an option, as AlterOpLayout[target=llvm]"
        )
    calls += read_calls(options.passes)
    if not calls and (own := pipeline_comment(text)) is not None:
        try:
            calls += parse_pipeline(own)
        except PassCallError as error:
            raise CommandError(f"the pipeline of the file: {error}") from None
    if not calls:
        raise CommandError("name passes with --pass, or a build with --build O3")
    for call in calls:
        _known_pass(call.name)
    return calls, level


def _known_pass(name: str) -> None:
    if find(name) is None:
        raise CommandError(f"there is no pass called {name}{did_you_mean(name, registered())}")


def read_context(options: argparse.Namespace, opt_level: int, text: str = "") -> ContextOptions:
    """The context that the passes run in. It gates them where the command line says anything of which are to run.

    Raises:
        CommandError: an option of its config is not written as one, or a pass that is required or left out is none.
    """
    for name in (*options.require, *options.disable):
        _known_pass(name)
    gates = options.opt_level is not None or bool(options.require or options.disable)
    try:
        config = dict(map(config_entry, options.config))
        context = ContextOptions(opt_level, tuple(options.require), tuple(options.disable), config, gates)
        is_own = not (options.passes or options.build or gates or config)
        return read_context_comment(pipeline_context(text), context) if is_own else context
    except PassCallError as error:
        raise CommandError(str(error)) from None


def _level(options: argparse.Namespace) -> int:
    return 3 if options.opt_level is None else options.opt_level


def _build(options: argparse.Namespace) -> tuple[PassCall, int]:
    level, executor = _level(options), "graph"
    for word in options.build:
        match = _LEVEL.fullmatch(word)
        if match is not None:
            level = int(match[1])
        elif word in _EXECUTORS:
            executor = word
        else:
            raise CommandError(f"--build takes a level, O0 to O4, or graph or vm, not {word!r}")
    try:
        targets = tuple(str(Target.parse(text)) for text in options.targets)
    except TargetError as error:
        raise CommandError(str(error)) from None
    return PassCall("RelayBuild", {"targets": targets, "executor": executor}), level
