"""Users' own passes and operators from an editor: trusted or not, sound or broken."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.protocol.conftest import URI, Editor, leave, start
from tests.server.protocol.test_passes import after, ask, run
from tests.server.worker.test_file_confinement import VERSION

landlock = pytest.mark.skipif(VERSION < 3, reason="the kernel has no Landlock, or an early one")
pytestmark = pytest.mark.asyncio(loop_scope="module")

SOUND = '''from relay_lsp.ir.expressions import Call
from relay_lsp.ir.attributes import Attrs, attribute, attributes
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes import FunctionPass, declare_pass, option
from relay_lsp.passes.provenance import ExprMutator


def keeps_the_type(context):
    return context.types[0]


operator.register(
    operator.Op("user.twice", doc="Twice its argument.", arguments=(operator.Argument("x"),), relation=keeps_the_type)
)


@attributes("user.attrs.RepeatAttrs")
class RepeatAttrs(Attrs):
    count: int = attribute(doc="How often.", lower=1)
    axis: int = attribute(0, doc="Along which axis.")


def repeated(context):
    (given,) = context.types
    if given.ndim <= context.attrs.axis:
        operator.reject(f"there is no axis {context.attrs.axis}", argument=0)
    shape = list(given.shape)
    shape[context.attrs.axis] *= context.attrs.count
    return type(given)(tuple(shape), given.dtype)


operator.register(
    operator.Op(
        "user.repeat",
        doc="Its argument, several times.",
        arguments=(operator.Argument("data", "What is repeated."),),
        attrs=RepeatAttrs,
        relation=repeated,
    )
)


@declare_pass(opt_level=1)
class ReplaceRelu(FunctionPass):
    """Put another operator in the place of relu."""

    by: str = option(default="exp", doc="The operator.")

    def transform_function(self, function, module, context):
        return _Replacer(self.by).visit_function(function)


class _Replacer(ExprMutator):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def rewrite_call(self, pre, post):
        return apply(self.by, *post.args) if post.op is operator.get("nn.relu") else post
'''
RAISES = '''

@declare_pass(opt_level=1)
class Raises(FunctionPass):
    """Fail."""

    def transform_function(self, function, module, context):
        return function.no_such_thing
'''
ENDS_THE_PROCESS = "import os\n\nos._exit(3)\n"
MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  nn.relu(%x)
}
"""


async def opened(tmp_path: Path, text: str, *, root: Path | None = None, **more: Any) -> tuple[Editor, Path]:
    """An editor whose settings name a file with this text, and a model; it has the folder ``root`` open."""
    file = tmp_path / "mine.py"
    file.write_text(text)
    settings = {"history": {"folder": str(tmp_path)}, "extensions": [str(file)], **more}
    editor = await start("visual-studio-code", settings, root=root)
    editor.open(MODEL)
    return editor, file


async def faults(editor: Editor, file: Path, expected: int) -> list[types.Diagnostic]:
    """What is shown in the user's file, once there is as much as expected."""
    for _ in range(4000):
        published = editor.published.get(file.as_uri())
        if published is not None and len(published.diagnostics) == expected:
            return list(published.diagnostics)
        await asyncio.sleep(0.02)
    raise AssertionError(f"published are {editor.published}")


async def test_a_users_pass_is_a_pass_like_any_other(tmp_path: Path) -> None:
    editor, _ = await opened(tmp_path, SOUND, trusted=True)
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ReplaceRelu[by='tanh']"})
    assert answer["applied"], answer
    assert "tanh(%x)" in after(MODEL, editor.applied[-1])
    described = {item["name"]: item for item in await ask(editor, "relay/passes")}
    assert described["ReplaceRelu"]["summary"] == "Put another operator in the place of relu."
    assert described["ReplaceRelu"]["options"][0]["name"] == "by"
    await leave(editor)


SCRIPT_FOR_TVM = '''from relay_lsp.compat.tvm import relay
from relay_lsp.compat.tvm.relay.dataflow_pattern import DFPatternCallback, is_op, rewrite, wildcard


class Replacement(DFPatternCallback):
    def __init__(self, scale):
        super().__init__(require_type=True)
        self.x, self.scale = wildcard(), scale
        self.pattern = is_op("nn.relu")(self.x)

    def callback(self, pre, post, node_map):
        return relay.tanh(node_map[self.x][0]) * relay.const(self.scale)


@relay.transform.function_pass(opt_level=1)
class ReluAsTanh:
    """Put a scaled tanh in the place of relu."""

    def __init__(self, scale=2.0):
        self.scale = scale

    def transform_function(self, func, mod, ctx):
        return rewrite(Replacement(self.scale), func)
'''


async def test_a_pass_in_tvms_spelling_is_a_pass_like_any_other(tmp_path: Path) -> None:
    editor, _ = await opened(tmp_path, SCRIPT_FOR_TVM, trusted=True)
    described = {item["name"]: item for item in await ask(editor, "relay/passes")}
    assert described["ReluAsTanh"]["summary"] == "Put a scaled tanh in the place of relu."
    assert described["ReluAsTanh"]["options"][0]["name"] == "scale"
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ReluAsTanh[scale=3.0]"})
    assert answer["applied"], answer
    text = after(MODEL, editor.applied[-1])
    assert "tanh(%x)" in text
    assert "multiply(%0, 3f)" in text
    await leave(editor)


async def test_a_users_operator_is_known(tmp_path: Path) -> None:
    editor, _ = await opened(tmp_path, SOUND, trusted=True)
    editor.change(MODEL.replace("nn.relu", "user.twice"))
    assert await editor.diagnostics(lambda diagnostics: not diagnostics) == []
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ToANormalForm"})
    assert answer["applied"], answer
    await leave(editor)


def hovered(hover: types.Hover | None) -> str:
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


async def test_a_users_operator_is_typed_and_told_of_like_any_other(tmp_path: Path) -> None:
    editor, file = await opened(tmp_path, SOUND, trusted=True)
    text = MODEL.replace("nn.relu(%x)", "%0 = user.repeat(%x, count=3);\n  add(%0, %x)")
    editor.change(text)
    (mismatch,) = await editor.diagnostics(lambda diagnostics: len(diagnostics) == 1)
    assert mismatch.code == "type-mismatch"
    assert "12" in mismatch.message
    place = types.Position(2, 10)
    value = hovered(await editor.client.text_document_hover_async(types.HoverParams(editor.document, place)))
    assert "Tensor[(12), float32]" in value
    assert "Its argument, several times." in value
    attribute = types.Position(2, 24)
    value = hovered(await editor.client.text_document_hover_async(types.HoverParams(editor.document, attribute)))
    assert "How often." in value
    help = await editor.client.text_document_signature_help_async(
        types.SignatureHelpParams(editor.document, types.Position(2, 19))
    )
    assert help is not None
    assert help.signatures[0].label.startswith("user.repeat(data, count=")
    editor.change(MODEL.replace("nn.relu(%x)", "user.rep"))
    listed = await editor.client.text_document_completion_async(
        types.CompletionParams(editor.document, types.Position(2, 10))
    )
    items = listed.items if isinstance(listed, types.CompletionList) else listed or []
    assert "user.repeat" in [item.label for item in items]
    # What its relation refuses, and what its declaration refuses.
    editor.change(MODEL.replace("nn.relu(%x)", "user.repeat(%x, count=2, axis=1)"))
    (refused,) = await editor.diagnostics(lambda diagnostics: len(diagnostics) == 1)
    assert refused.message == "user.repeat: there is no axis 1"
    editor.change(MODEL.replace("nn.relu(%x)", "user.repeat(%x, count=0)"))
    (refused,) = await editor.diagnostics(lambda diagnostics: len(diagnostics) == 1)
    assert refused.message == "attribute count must be at least 1, not 0 (in user.repeat)"
    # Another relation in the file, and the text is typed anew.
    editor.change(text)
    await editor.diagnostics(lambda diagnostics: len(diagnostics) == 1)
    file.write_text(SOUND.replace("*= context.attrs.count", "*= 1"))
    await run(editor, "relay-lsp.runPass", **{"pass": "ToANormalForm"})
    assert await editor.diagnostics(lambda diagnostics: not diagnostics) == []
    await leave(editor)


BAD_RELATIONS = {
    "raises": ("return context.nothing", "AttributeError: '_Context' object has no attribute 'nothing'"),
    "gives no type": ("return 3", "TypeError: the relation of user.bad gave 3 (int), which is no type"),
    "does not end": ("\n    while True: pass", "the type relation of user.bad failed: stopped after 5 seconds"),
    "ends the process": (
        "\n    import os; os._exit(3)",
        "the type relation of user.bad failed: the worker process ended",
    ),
}


@pytest.mark.parametrize("how", BAD_RELATIONS)
async def test_a_relation_that_fails_is_shown_in_the_users_file_and_hurts_nothing_else(
    tmp_path: Path, how: str
) -> None:
    code, message = BAD_RELATIONS[how]
    bad = f"""
def bad(context): {code}


operator.register(operator.Op("user.bad", doc="Fails.", arguments=(operator.Argument("x"),), relation=bad))
"""
    editor, file = await opened(tmp_path, SOUND + bad, trusted=True)
    editor.change(MODEL.replace("nn.relu(%x)", "%0 = user.bad(%x);\n  %1 = user.repeat(%x, count=2);\n  (%0, %1)"))
    (fault,) = await faults(editor, file, 1)
    assert fault.message.startswith(message)
    if how == "raises":
        assert fault.range.start.line == (SOUND + bad).splitlines().index(f"def bad(context): {code}")
        (diagnostic,) = await editor.diagnostics(lambda diagnostics: len(diagnostics) == 1)
        assert diagnostic.code == "relation-failed"
    editor.change(MODEL)
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ToANormalForm"})
    assert answer["applied"], answer
    await leave(editor)


@landlock
async def test_an_instrument_writes_in_the_open_folder_and_in_folders_that_are_there(tmp_path: Path) -> None:
    folder, there, missing = tmp_path / "opened", tmp_path / "there", tmp_path / "missing"
    folder.mkdir()
    there.mkdir()
    outcomes: list[str | None] = []
    for dumps in ("dumps", str(there), str(missing)):
        settings = {"instruments": [f"DumpIR[dump_dir={dumps}]"], "history": {"folder": str(tmp_path)}}
        editor = await start("visual-studio-code", {**settings, "trusted": True}, root=folder)
        editor.open(MODEL)
        outcomes.append((await ask(editor, "relay/preview", passes=["ToANormalForm"]))["failed"])
        await leave(editor)
    assert outcomes[:2] == [None, None]
    assert outcomes[2] is not None
    assert outcomes[2].endswith(
        "(an editor's instruments write in the open folders, and in other folders that are there already)"
    )
    assert list((folder / "dumps").iterdir())
    assert list(there.iterdir())
    assert not missing.exists()


@landlock
async def test_code_of_users_writes_in_the_open_folder_and_not_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "opened"
    folder.mkdir()
    inside, outside = folder / "inside", tmp_path / "outside"
    write = f"\nopen({str(inside)!r}, 'w').close()\nopen({str(outside)!r}, 'w').close()\n"
    editor, file = await opened(folder, SOUND + write, root=folder, trusted=True)
    try:
        (fault,) = await faults(editor, file, 1)
        assert "Permission denied" in fault.message
        assert inside.exists()
        assert not outside.exists()
    finally:
        await leave(editor)


async def test_without_trust_nothing_runs(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    editor, _ = await opened(tmp_path, SOUND + f"\nopen({str(witness)!r}, 'w').close()\n")
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ReplaceRelu"})
    assert "there is no pass called ReplaceRelu" in answer["message"]
    assert not witness.exists()
    assert any("trust" in message for message in editor.messages)
    await leave(editor)


async def test_a_setting_cannot_give_trust(tmp_path: Path) -> None:
    """A workspace brings its settings along, so they must not decide about themselves."""
    editor, _ = await opened(tmp_path, SOUND)
    editor.settings["trusted"] = True
    editor.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams(settings={"relay": {**editor.settings, "trusted": True}})
    )
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ReplaceRelu"})
    assert "there is no pass called ReplaceRelu" in answer["message"]
    await leave(editor)


async def test_an_error_is_shown_at_its_line_until_it_is_mended(tmp_path: Path) -> None:
    editor, file = await opened(tmp_path, SOUND + "\nnumber = 1 / 0\n", trusted=True)
    (fault,) = await faults(editor, file, 1)
    assert fault.message == "ZeroDivisionError: division by zero"
    assert fault.range.start.line == SOUND.count("\n") + 1
    # Everything else goes on as before.
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ToANormalForm"})
    assert answer["applied"], answer
    file.write_text(SOUND)
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ReplaceRelu"})
    assert answer["applied"], answer
    assert await faults(editor, file, 0) == []
    await leave(editor)


async def test_the_errors_of_a_file_go_when_the_settings_name_it_no_longer(tmp_path: Path) -> None:
    editor, file = await opened(tmp_path, SOUND + "\nnumber = 1 / 0\n", trusted=True)
    await faults(editor, file, 1)
    editor.settings["extensions"] = []
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    assert await faults(editor, file, 0) == []
    await leave(editor)


async def test_a_pass_that_raises_is_shown_in_the_users_file_and_in_the_buffer(tmp_path: Path) -> None:
    editor, file = await opened(tmp_path, SOUND + RAISES, trusted=True, pipeline=["Raises"])
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "Raises"})
    assert not answer["applied"]
    line = (SOUND + RAISES).splitlines().index("        return function.no_such_thing")
    assert f"mine.py, line {line + 1}" in answer["message"]
    (fault,) = await faults(editor, file, 1)
    assert fault.range.start.line == line
    assert fault.message.startswith("AttributeError")
    await leave(editor)


async def test_a_fault_of_a_pass_stays_shown_while_another_file_is_written(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("")
    named = [str(tmp_path / "mine.py"), str(other)]
    editor, file = await opened(tmp_path, SOUND + RAISES, trusted=True, extensions=named)
    await run(editor, "relay-lsp.runPass", **{"pass": "Raises"})
    await faults(editor, file, 1)
    other.write_text("number = 1 / 0")
    assert (await run(editor, "relay-lsp.runPass", **{"pass": "ToANormalForm"}))["applied"]
    await faults(editor, other, 1)
    assert len(editor.published[file.as_uri()].diagnostics) == 1
    file.write_text(SOUND)
    assert (await run(editor, "relay-lsp.runPass", **{"pass": "ReplaceRelu"}))["applied"]
    assert await faults(editor, file, 0) == []
    assert len(editor.published[other.as_uri()].diagnostics) == 1
    await leave(editor)


async def test_a_file_that_ends_the_process_is_named_and_left_aside(tmp_path: Path) -> None:
    editor, file = await opened(tmp_path, ENDS_THE_PROCESS, trusted=True)
    (fault,) = await faults(editor, file, 1)
    assert "exit code 3" in fault.message
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ToANormalForm"})
    assert answer["applied"], answer
    await leave(editor)


async def test_a_package_that_is_not_installed_is_said_so(tmp_path: Path) -> None:
    editor = await start("neovim", {"extensions": ["no-such-package"], "trusted": True})
    editor.open(MODEL, URI)
    for _ in range(3000):
        if any("no package called no-such-package" in message for message in editor.messages):
            break
        await asyncio.sleep(0.02)
    else:
        raise AssertionError(editor.messages)
    await leave(editor)


async def test_what_is_wrong_with_one_extension_is_said_once_however_many_others_are_loaded(tmp_path: Path) -> None:
    more = [tmp_path / name for name in ("one.py", "two.py", "broken.py")]
    for file, text in zip(more, ("", "", "number = 1 / 0\n"), strict=True):
        file.write_text(text)
    editor = await start("neovim", {"extensions": ["no-such-package", *map(str, more)], "trusted": True})
    await faults(editor, more[-1], 1)
    assert sum("no package called no-such-package" in message for message in editor.messages) == 1
    await leave(editor)
