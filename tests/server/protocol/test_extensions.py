"""Users' own passes and operators from an editor: trusted or not, sound or broken."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.protocol.conftest import URI, Editor, leave, start
from tests.server.protocol.test_passes import after, ask, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

SOUND = '''from relay_lsp.ir.expressions import Call
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes import FunctionPass, declare_pass, option
from relay_lsp.passes.provenance import ExprMutator


def keeps_the_type(context):
    return context.types[0]


operator.register(
    operator.Op("user.twice", doc="Twice its argument.", arguments=(operator.Argument("x"),), relation=keeps_the_type)
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


async def opened(tmp_path: Path, text: str, **more: Any) -> tuple[Editor, Path]:
    """An editor whose settings name a file with this text, and a model."""
    file = tmp_path / "mine.py"
    file.write_text(text)
    settings = {"history": {"folder": str(tmp_path)}, "extensions": [str(file)], **more}
    editor = await start("visual-studio-code", settings)
    editor.open(MODEL)
    return editor, file


async def faults(editor: Editor, file: Path, expected: int) -> list[types.Diagnostic]:
    """What is shown in the user's file, once there is as much as expected."""
    for _ in range(1000):
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


async def test_a_users_operator_is_known(tmp_path: Path) -> None:
    editor, _ = await opened(tmp_path, SOUND, trusted=True)
    editor.change(MODEL.replace("nn.relu", "user.twice"))
    assert await editor.diagnostics(lambda found: not found) == []
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "ToANormalForm"})
    assert answer["applied"], answer
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
    for _ in range(500):
        if any("no package called no-such-package" in message for message in editor.messages):
            break
        await asyncio.sleep(0.02)
    else:
        raise AssertionError(editor.messages)
    await leave(editor)
