"""The extension where there is no server, in a real VS Code with an empty ``PATH``: asked for, installed, removed."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.editors.vscode.workspace import Report, drive, needs_vscode
from tests.hostile import HostileFolder

pytestmark = needs_vscode


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> HostileFolder:
    """The folder that is open: its files are called like modules, and it wants its own Python to be taken."""
    folder = HostileFolder(tmp_path_factory.mktemp("Zoë's work"))
    python = folder.root / "python"
    python.write_text(f"#!/bin/sh\n: > {shlex.quote(str(folder.marks / 'python'))}\n", "utf-8")
    python.chmod(0o755)
    folder.write(".vscode/settings.json", json.dumps({"relay.server.python": str(python)}))
    return folder


@pytest.fixture(scope="module")
def report(hostile: HostileFolder) -> Report:
    work = hostile.root.parent
    python = work / "ein Python für alle"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", python], check=True)
    return drive(work, "driveInstallation.mjs", str(python / "bin" / "python"), str(python_extension(work)))


def python_extension(folder: Path) -> Path:
    """What stands in for the Python extension: it tells that our own environment, which has a server, is chosen."""
    manifest = {
        "name": "python",
        "publisher": "ms-python",
        "version": "9999.0.0",
        "engines": {"vscode": "^1.90.0"},
        "main": "./main.js",
        "activationEvents": [],
        "capabilities": {"untrustedWorkspaces": {"supported": True}},
    }
    main = f"""
const executable = {{ uri: require('vscode').Uri.file({json.dumps(sys.executable)}) }};
exports.activate = () => ({{
    environments: {{
        getActiveEnvironmentPath: () => ({{ path: executable.uri.fsPath }}),
        resolveEnvironment: async () => ({{ executable }}),
    }},
}});
"""
    identity = 'Id="python" Version="9999.0.0" Publisher="ms-python" Language="en-US"'
    described = f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata><Identity {identity}/><DisplayName>Python</DisplayName></Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/></Assets>
</PackageManifest>
"""
    packed = folder / "python.vsix"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("extension.vsixmanifest", described)
        archive.writestr("extension/package.json", json.dumps(manifest))
        archive.writestr("extension/main.js", main)
    return packed


def test_without_a_python_one_message_says_what_to_do(report: Report):
    seen = report.flow("withoutPython")
    (message,) = seen["messages"]
    assert "Relay needs Python 3.10 or later for its language server. There is none on the PATH." in message
    assert "Install one" in message
    assert "Choose Python…" in message


def test_a_command_says_the_same_and_not_that_a_client_is_not_running(report: Report):
    seen = report.flow("withoutPython")
    (message,) = seen["messagesByCommand"]
    assert "Relay needs Python 3.10 or later" in message
    assert "codicon-error" in seen["icon"]


def test_without_a_server_the_list_offers_to_install_one(report: Report):
    rows = "\n".join(report.flow("withoutPython")["servers"])
    assert "none" in rows
    assert "Install the extension’s own" in rows


def test_one_question_tells_what_is_installed_and_with_what(report: Report):
    (asked,) = report.flow("offline")["asked"]
    assert "Install relay-lsp 0.1.0 for this extension alone" in asked
    assert "ein Python für alle" in asked


def test_without_a_network_one_message_says_so_and_nothing_stays(report: Report):
    seen = report.flow("offline")
    (message,) = seen["messages"]
    assert "The package registry cannot be reached" in message
    assert "Try Again" in message
    assert seen["folders"] == []


def test_an_installation_that_is_cancelled_leaves_nothing_and_needs_no_message(report: Report):
    assert report.flow("cancelled")["messages"] == []


def test_the_server_runs_once_it_is_installed(report: Report):
    seen = report.flow("installed")
    assert seen["messages"] == []
    assert seen["folders"] == [seen["current"]["folder"]]
    running = seen["servers"][0]
    assert "relay-lsp 0.1.0" in running
    assert "the extension’s own" in running
    assert "codicon-shield" in seen["icon"]


def test_the_next_start_asks_nothing_though_a_half_made_installation_is_there(report: Report):
    assert report.flow("nextStart")["messages"] == []


def test_a_newer_extension_brings_its_server_along(report: Report):
    seen = report.flow("updated")
    assert seen["after"]["wheel"] != seen["before"]["wheel"]
    assert seen["after"]["folder"] != seen["before"]["folder"]


def test_with_trust_the_same_server_runs(report: Report):
    seen = report.flow("trusted")
    assert "Tensor[(1, 3, 8, 8), float32]" in "\n".join(seen["hover"])
    assert "the extension’s own" in seen["servers"][0]


def test_another_server_is_chosen_from_the_list_and_the_extension_s_own_again(report: Report):
    seen = report.flow("chosen")
    assert "named by relay.server.command" in seen["other"][0]
    assert str(Path(sys.executable).with_name("relay-lsp")) in seen["other"][0]
    assert "the extension’s own" in seen["own"][0]


def test_nothing_of_the_folder_has_run(report: Report, hostile: HostileFolder):
    report.flow("removed")
    assert hostile.imported == []


def test_the_server_can_be_removed(report: Report):
    seen = report.flow("removed")
    assert seen["pointer"] is False
    assert seen["folders"] == []
