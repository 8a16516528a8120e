"""The passes that a command line asks for: those named, those of a build, and the parameters bound before them."""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple

from msgspec.structs import replace

from relay_lsp.passes.targets import Target, TargetError

from ..features.passes.pipeline_comment import pipeline_comment, pipeline_context
from ..pass_calls import PassCall, PassCallError, parse_pipeline
from ..pass_contexts import ContextOptions, config_entry, read_context_comment, unknown_passes
from .calls import read_calls
from .problems import CommandError

__all__ = ["CommandPipeline", "read_pipeline"]

_LEVEL = re.compile(r"O([0-4])")
_EXECUTORS = ("graph", "vm")


class CommandPipeline(NamedTuple):
    """The passes in order, and the context that they run in."""

    calls: tuple[PassCall, ...]
    context: ContextOptions


def read_pipeline(options: argparse.Namespace, text: str) -> CommandPipeline:
    """The pipeline that a command line asks for: its passes, or those that ``text`` names where it names none.

    The context gates the passes of a text, as everywhere, and others where the command line says anything of which are
    to run. What the command line says of it comes before what the text says.

    Raises:
        CommandError: there are no passes, or a pass, a build, a target or a part of the context is not written as one;
            there is no such pass.
    """
    params = [PassCall("BindParams", {"file": options.params})] if options.params else []
    calls: list[PassCall] = []
    context = ContextOptions()
    if options.build:
        build, level = _build(options)
        calls.append(build)
        context = replace(context, opt_level=level)
    elif options.targets:
        raise CommandError(
            "--target says what --build is for; passes take it as an option, as AlterOpLayout[target=llvm]"
        )
    calls += read_calls(options.passes)
    if not calls and (own := pipeline_comment(text)) is not None:
        try:
            calls += parse_pipeline(own)
            context = read_context_comment(pipeline_context(text), replace(context, gates=True))
        except PassCallError as error:
            raise CommandError(f"the pipeline of the file: {error}") from None
    if not calls and not params:
        raise CommandError("name passes with --pass, or a build with --build O3")
    context = _with_options(context, options)
    for unknown in unknown_passes((*(call.name for call in calls), *context.required, *context.disabled)):
        raise CommandError(unknown.message)
    function: str = getattr(options, "function", "")  # some commands are over whole modules
    return CommandPipeline(tuple(replace(call, function=function) for call in params + calls), context)


def _with_options(context: ContextOptions, options: argparse.Namespace) -> ContextOptions:
    """The context with what the command line says of it."""
    says_which_run = options.opt_level is not None or bool(options.require or options.disable)
    try:
        config = dict(map(config_entry, options.config))
    except PassCallError as error:
        raise CommandError(str(error)) from None
    return ContextOptions(
        context.opt_level if options.opt_level is None or options.build else options.opt_level,
        (*context.required, *options.require, *(["BindParams"] if options.params else ())),
        (*context.disabled, *options.disable),
        {**context.config, **config},
        context.gates or says_which_run,
    )


def _build(options: argparse.Namespace) -> tuple[PassCall, int]:
    level, executor = 3 if options.opt_level is None else options.opt_level, "graph"
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
