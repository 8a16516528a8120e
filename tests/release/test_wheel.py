"""What a user gets from ``pip install``: the commands, the server and the types, away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import LanguageClient, client_capabilities

from tests.release.conftest import ROOT, Installation, environment
from tests.server.protocol.conftest import URI, Editor, leave

# One environment serves them all.
pytestmark = pytest.mark.xdist_group("release")

BROKEN = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 64), float32]) {
  nn.rellu(%x)
}
"""


def test_the_wheel_holds_the_package_and_no_tests_or_benchmarks(names_in_wheel: set[str]):
    assert {name.split("/")[0].split("-")[0] for name in names_in_wheel} == {"relay_lsp"}
    parts = {part for name in names_in_wheel for part in Path(name).parts}
    assert parts.isdisjoint({"tests", "benchmarks", "conformance", "conftest.py"})
    assert not [name for name in names_in_wheel if Path(name).name.startswith("test_")]


def test_the_wheel_holds_the_page_of_every_diagnostic(names_in_wheel: set[str]):
    pages = {page.name for page in (ROOT / "docs" / "diagnostics").glob("*.md")}
    assert {Path(name).name for name in names_in_wheel if name.endswith(".md")} == pages


def test_the_wheel_holds_every_module_of_the_checkout(names_in_wheel: set[str]):
    modules = {
        f"relay_lsp/{path.relative_to(ROOT).as_posix()}"
        for folder in ("frontends", "ir", "passes", "server")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert modules <= names_in_wheel
    assert {f"relay_lsp/{folder}/py.typed" for folder in ("ir", "passes", "server")} <= names_in_wheel


def test_check_names_the_fault_and_the_page_about_it(installation: Installation):
    (installation.work / "broken.relay").write_text(BROKEN, "utf-8")
    checked = installation.run("check", "--format", "json", "broken.relay")
    assert checked.returncode == 1, checked.stderr
    assert "nn.rellu" in checked.stdout
    assert installation.run("check", "resnet18.relay").returncode == 0


def test_opt_runs_a_pass(installation: Installation):
    optimized = installation.run("opt", "--pass", "SimplifyInference", "resnet18.relay")
    assert optimized.returncode == 0, optimized.stderr
    assert "nn.batch_norm" not in optimized.stdout
    assert "nn.conv2d" in optimized.stdout


def test_trace_tells_the_steps(installation: Installation):
    traced = installation.run("trace", "--pass", "SimplifyInference", "--pass", "CanonicalizeOps", "resnet18.relay")
    assert traced.returncode == 0, traced.stderr
    assert traced.stdout.index("SimplifyInference") < traced.stdout.index("CanonicalizeOps")


@pytest.mark.asyncio
async def test_serve_serves_a_client(installation: Installation, monkeypatch: pytest.MonkeyPatch):
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)
    monkeypatch.chdir(installation.work)
    client = LanguageClient(converter_factory=get_converter)
    editor = Editor(client, {"history": {"folder": str(installation.work / "history")}})
    await client.start_io(str(installation.command), "serve")
    client.capabilities = client_capabilities("visual-studio-code")
    started = await client.initialize_async(
        types.InitializeParams(
            process_id=os.getpid(),
            capabilities=client.capabilities,
            root_uri=installation.work.as_uri(),
            initialization_options=editor.settings,
        )
    )
    assert started.server_info is not None
    assert installation.run("--version").stdout.split() == [started.server_info.name, started.server_info.version]
    client.initialized(types.InitializedParams())
    editor.open(BROKEN)
    (diagnostic,) = await editor.diagnostics(bool)
    assert "nn.relu" in diagnostic.message
    assert diagnostic.code_description is not None
    assert diagnostic.code_description.href.startswith(installation.folder.as_uri())
    hover = await client.text_document_hover_async(types.HoverParams(editor.document, types.Position(1, 11)))
    assert hover is not None
    assert "Tensor[(1, 64), float32]" in str(hover.contents)
    # A pass runs in the worker, a process of its own.
    editor.change(BROKEN.replace("nn.rellu(%x)", "%0 = nn.dropout(%x);\n  nn.relu(%0.0)"))
    argument = {"uri": URI, "version": editor.version, "pass": "SimplifyInference"}
    await client.workspace_execute_command_async(types.ExecuteCommandParams("relay-lsp.runPass", [argument]))
    assert editor.applied, editor.messages
    await leave(editor)


def test_pyright_checks_a_users_program_by_the_types_of_the_wheel(installation: Installation, tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(
        "from relay_lsp import ir, passes\n"
        "parsed = ir.parse('')\n"
        "reveal_type(parsed.module)\n"
        "reveal_type(passes.create('FuseOps')(parsed.module))\n"
        "ir.to_text(1)\n",
        "utf-8",
    )
    report = pyright(installation, tmp_path, str(program))
    messages = {item["range"]["start"]["line"]: item["message"] for item in report["generalDiagnostics"]}
    assert list(messages) == [2, 3, 4]
    assert '"IRModule"' in messages[2]
    assert '"IRModule"' in messages[3]
    assert "cannot be assigned to parameter" in messages[4]


def test_pyright_finds_the_mark_that_the_package_is_typed(installation: Installation, tmp_path: Path):
    verified = pyright(installation, tmp_path, "--verifytypes", "relay_lsp.passes", "--ignoreexternal")
    assert Path(verified["typeCompleteness"]["pyTypedPath"]).is_relative_to(installation.folder)


def test_no_file_of_the_checkout_was_read(installation: Installation):
    installation.run("opt", "--pass", "FuseOps", "resnet18.relay")
    read = installation.files_read
    assert [path for path in read if path.name == "relay.tables.json"], "nothing was written down"
    assert [path for path in read if path.is_relative_to(ROOT)] == []


def pyright(installation: Installation, folder: Path, *arguments: str) -> dict[str, Any]:
    """What our pyright says, run in a folder where the environment is the one that is active."""
    active = environment()
    active["PATH"] = os.pathsep.join([str(installation.scripts), active["PATH"]])
    command = [str(Path(sys.executable).with_name("pyright")), "--outputjson", *arguments]
    done = subprocess.run(command, cwd=folder, env=active, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)
