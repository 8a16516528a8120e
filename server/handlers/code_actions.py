"""Code actions: fixes, refactorings, and passes, whose edits are worked out when one is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsprotocol import types

from relay_lsp.ir.diagnostics import Diagnostic, Fix, Severity, TextEdit
from relay_lsp.ir.semantic.lints.stale_type_comments import type_comment_updates
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.documents import Document
from ..features.call_parts import attribute_around
from ..features.diagnostics.code_actions import (
    PassAction,
    are_edits_of_all,
    kinds_to_fix,
    near,
    pass_actions,
    quick_fixes,
)
from ..features.diagnostics.repairs import with_repairs
from ..features.diagnostics.repeated_fixes import edits_until_mended
from ..features.passes.normal_forms import normal_form_actions
from ..lsp.capabilities import RUN_PIPELINE
from ..lsp.message_codec import fields_of
from ..lsp.protocol import RelayLanguageServer, doubtful
from ..pass_calls import PassCallError, parse_pipeline
from ..scheduling.time_slices import in_slices
from .arguments import calls_in, open_document, version_in
from .explanations import EXPLANATION_KIND, explanation_actions
from .refactorings import refactoring_actions, resolve_refactoring
from .running import run_passes
from .views import View, moved_on, refusal, unchanged_view, view

__all__ = ["register"]

_RUN_PASS_KIND = "refactor.rewrite.relay"
_RUN_PIPELINE_KIND = "source.runPipeline.relay"
_FIX_ALL_KIND = "source.fixAll.relay"
_TYPE_COMMENTS_KIND = "source.updateTypeComments.relay"


async def on_code_action(server: RelayLanguageServer, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    """Fixes of what is wrong here, and passes that would change the buffer."""
    seen = await unchanged_view(server, params.text_document.uri)
    if seen is None:
        return None
    version = seen.version
    wanted = _Wanted(params.context.only)
    of_text, from_passes = server.state.diagnostics_by_source(seen.document, seen.snapshot)
    reported = with_repairs(seen.snapshot, [*of_text, *from_passes])
    actions: list[types.CodeAction] = []
    span = seen.converter.span(params.range)
    # A missing token is reported at the end of the statement before. Fixes of what is further away would not show here.
    around = TextSpan(seen.snapshot.statement_start(span.start, 1), seen.snapshot.statement_span(span.end).end)
    here = list(quick_fixes(near(reported, around), attribute_around(seen.snapshot, span) or span))
    if wanted("quickfix"):
        for item in here:
            action = _fix_action(seen, item.fix, "quickfix", version)
            action.diagnostics = [seen.converter.typed_diagnostic(item.diagnostic)]
            action.is_preferred = item.preferred
            actions.append(action)
    if wanted(_FIX_ALL_KIND) and are_edits_of_all(reported, at_least=1 if params.context.only else 2):
        actions.append(await _repeated_action(server, seen, "Fix everything that can be fixed", _FIX_ALL_KIND, ""))
    if wanted(_TYPE_COMMENTS_KIND) and (updates := type_comment_updates(seen.snapshot)):
        update = Fix("Update all type comments", tuple(updates))
        actions.append(_fix_action(seen, update, _TYPE_COMMENTS_KIND, version))
    for code, title in kinds_to_fix(reported, here):
        if wanted("quickfix"):
            actions.append(await _repeated_action(server, seen, title, "quickfix", code))
        if wanted.explicitly(f"{_FIX_ALL_KIND}.{code}"):
            actions.append(await _repeated_action(server, seen, title, f"{_FIX_ALL_KIND}.{code}", code))
    actions += (action for action in refactoring_actions(server, seen, span) if wanted(str(action.kind)))
    # What a pass found wrong the last time keeps no other pass from running.
    has_errors = any(item.severity is Severity.ERROR for item in of_text)
    if wanted(EXPLANATION_KIND) and not has_errors:
        actions += explanation_actions(seen, span.start)
    if wanted(_RUN_PASS_KIND) or wanted(_RUN_PIPELINE_KIND):
        # Editors ask again and again while the cursor moves; only an opened menu is worth waiting.
        invoked = params.context.trigger_kind != types.CodeActionTriggerKind.Automatic
        severities = [item.diagnostic.severity for item in here] if wanted("quickfix") else []
        has_fixes = Severity.ERROR in severities or Severity.WARNING in severities
        changing: Mapping[str, frozenset[str]] = {}
        if wanted(_RUN_PASS_KIND):
            changing = await server.state.changing_passes.of(
                seen.document, wait=invoked, has_errors=has_errors, has_fixes=has_fixes
            )
        function = seen.snapshot.function_around(span.start)
        pipeline: Sequence[str] = ()
        pipelines: Mapping[str, tuple[str, ...]] = {}
        if wanted(_RUN_PIPELINE_KIND):
            pipeline = _pipeline(server, seen.document)
            pipelines = server.state.settings_for(seen.document.uri).pipelines
        runs = [*pass_actions(changing, function.name if function else "", pipeline, pipelines)]
        if wanted(_RUN_PASS_KIND):
            runs += normal_form_actions(seen.snapshot, span)
        if not has_errors:
            actions += (_pass_action(server, run, seen.document.uri, version) for run in runs)
        elif server.supports("textDocument", "codeAction", "disabledSupport"):
            reason = types.CodeActionDisabled("passes run on a text without errors")
            actions += (types.CodeAction(run.title, kind=_kind(run), disabled=reason) for run in runs)
    return _disabled(server, actions, doubtful(seen.document)) if seen.document.doubt else actions


def _disabled(server: RelayLanguageServer, actions: Sequence[types.CodeAction], reason: str) -> list[types.CodeAction]:
    """What would change the text, as clients show what cannot be chosen; left out for those that do not show it."""
    shown = server.supports("textDocument", "codeAction", "disabledSupport")
    disabled = types.CodeActionDisabled(reason)
    return [
        action
        if action.kind == EXPLANATION_KIND
        else types.CodeAction(action.title, kind=action.kind, disabled=disabled)
        for action in actions
        if shown or action.kind == EXPLANATION_KIND
    ]


def _pipeline(server: RelayLanguageServer, document: Document) -> Sequence[str]:
    """The document's pipeline, a text for each pass; empty where it cannot be read, which saving it tells."""
    try:
        return [str(call) for call in parse_pipeline(server.state.passes.pipeline_for(document))]
    except PassCallError:
        return ()


class _Wanted:
    """The kinds of actions that a client asked for; all, where it named none."""

    def __init__(self, only: Sequence[types.CodeActionKind | str] | None) -> None:
        self._only = [kind.value if isinstance(kind, types.CodeActionKind) else kind for kind in only or ()]

    def __call__(self, kind: str) -> bool:
        return not self._only or any(
            kind == wanted or kind.startswith(f"{wanted}.") or wanted == "" for wanted in self._only
        )

    def explicitly(self, kind: str) -> bool:
        """Whether this very kind was asked for, or kinds below it."""
        return any(wanted == kind or wanted.startswith(f"{kind}.") for wanted in self._only)


def _fix_action(seen: View, fix: Fix, kind: str, version: int) -> types.CodeAction:
    return types.CodeAction(title=fix.title, kind=kind, edit=seen.converter.workspace_edit(fix.edits, version))


async def _repeated_action(
    server: RelayLanguageServer, seen: View, title: str, kind: str, code: str
) -> types.CodeAction:
    """All fixes, or all of one kind: worked out when it is chosen, since each round types the text anew."""
    action = types.CodeAction(title=title, kind=kind)
    if server.supports("textDocument", "codeAction", "resolveSupport"):
        action.data = {"uri": seen.document.uri, "version": seen.version, "fixes": code}
    else:
        action.edit = await _repeated_edit(server, seen, code)
    return action


async def _repeated_edit(server: RelayLanguageServer, seen: View, code: str) -> types.WorkspaceEdit:
    """One edit that leaves nothing to fix, or nothing of one kind.

    Raises:
        JsonRpcException: the text has changed meanwhile.
    """

    def diagnose(snapshot: Snapshot) -> Sequence[Diagnostic]:
        return with_repairs(snapshot, server.state.diagnostics(seen.document, snapshot))

    edits: Sequence[TextEdit] = ()
    async for known in in_slices(edits_until_mended(seen.snapshot, diagnose, code)):
        edits = known
        if seen.document.version != seen.version:
            raise moved_on()
    return seen.converter.workspace_edit(edits, seen.version)


async def _resolve_fixes(
    server: RelayLanguageServer, action: types.CodeAction, data: Mapping[str, object]
) -> types.CodeAction:
    seen = await view(server, str(data.get("uri")))
    if seen is None or seen.version != data.get("version"):
        raise moved_on()
    server.refuse_doubtful(seen.document.uri)
    action.edit = await _repeated_edit(server, seen, str(data["fixes"]))
    return action


def _kind(action: PassAction) -> str:
    return _RUN_PIPELINE_KIND if action.is_pipeline else _RUN_PASS_KIND


def _pass_action(server: RelayLanguageServer, action: PassAction, uri: str, version: int) -> types.CodeAction:
    """The action, whose edit is worked out when it is chosen; by a command for clients that cannot ask for it then."""
    made = types.CodeAction(title=action.title, kind=_kind(action))
    data = {"uri": uri, "version": version, "passes": list(action.passes), "isPipeline": action.is_pipeline}
    if action.function:
        data["function"] = action.function
    if server.supports("textDocument", "codeAction", "resolveSupport"):
        made.data = data
    else:
        made.command = types.Command(action.title, RUN_PIPELINE, arguments=[data])
    return made


async def on_code_action_resolve(server: RelayLanguageServer, action: types.CodeAction) -> types.CodeAction:
    """The edit of an action that was chosen, for the version of the text that it was offered for."""
    data = fields_of(action.data)
    if not data:
        return action
    if "refactoring" in data:
        return await resolve_refactoring(server, action, data)
    if "fixes" in data:
        return await _resolve_fixes(server, action, data)
    document = open_document(server, data.get("uri"))
    calls = calls_in(data.get("passes"), data.get("function"))
    text = document.text
    is_pipeline = data.get("isPipeline") is True
    outcome = await run_passes(server, document, calls, version_in(data.get("version")), gates=is_pipeline)
    if outcome.failed is not None:
        raise refusal(outcome.failed)
    # Before anything is waited for: what is typed meanwhile is another version of the text.
    converter = server.converter_for(document)
    action.edit = server.edit_of(converter, outcome.edits, document.version, f"Relay: {', '.join(map(str, calls))}")
    await server.state.passes.remember(document.uri, text, outcome)
    return action


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION)(on_code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(on_code_action_resolve)
