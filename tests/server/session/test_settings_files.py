"""What is wrong with a setting is shown where it is written, and in a message where no file of the folders has it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.server.session.client import Client
from relay_lsp.server.session.workspace import Workspace

SETTINGS = """{
  // "relay.passTimeout": "never",
  "editor.tabSize": 2,
  "relay.passTimeout": "soon",
  "relay.pipeline": ["FoldConstant"]
}
"""


class _Client:
    def __init__(self) -> None:
        self.shown: dict[str, Sequence[Diagnostic]] = {}
        self.said: list[str] = []

    def show_in_file(self, uri: str, text: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.shown[uri] = diagnostics

    def say(self, message: str, severity: Severity) -> None:
        self.said.append(message)

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


@pytest.fixture
def client() -> _Client:
    return _Client()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / ".vscode" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS, encoding="utf-8")
    return path


def workspace(client: _Client, folder: Path) -> Workspace:
    made = Workspace(cast("Client", client))
    made.change_folders([folder.as_uri()])
    return made


def test_what_is_wrong_with_a_setting_is_shown_where_it_is_written(client: _Client, file: Path) -> None:
    made = workspace(client, file.parent.parent)
    made.configure({"passTimeout": "soon"})
    (finding,) = client.shown[file.as_uri()]
    assert finding.code == "invalid-setting"
    assert finding.message == "the setting relay.passTimeout must be a number, 0 or above"
    assert finding.span is not None
    assert SETTINGS[finding.span.start : finding.span.end] == '"relay.passTimeout": "soon"'
    assert client.said == []
    made.configure({"passTimeout": 5})
    assert client.shown[file.as_uri()] == ()
    made.shut_down()


def test_a_misspelled_name_is_shown_where_it_is_written(client: _Client, file: Path) -> None:
    text = SETTINGS.replace("relay.pipeline", "relay.pipelnie")
    file.write_text(text, encoding="utf-8")
    made = workspace(client, file.parent.parent)
    made.configure({"pipelnie": ["FoldConstant"]})
    (finding,) = client.shown[file.as_uri()]
    assert finding.message == "the setting relay.pipelnie is not known; relay.pipeline is"
    assert finding.span is not None
    assert text[finding.span.start :].startswith('"relay.pipelnie"')
    made.shut_down()


@pytest.mark.asyncio
async def test_a_pass_that_there_is_not_is_shown_where_a_setting_names_it(client: _Client, file: Path) -> None:
    made = workspace(client, file.parent.parent)
    made.configure({"pipeline": ["SimplifyInference", "FuseOpps"], "requiredPasses": ["FastMathh"]})
    await made.load_extensions()
    (finding,) = client.shown[file.as_uri()]
    assert finding.message == "the setting relay.pipeline names FuseOpps, which is no pass; did you mean FuseOps?"
    said = ["the setting relay.requiredPasses names FastMathh, which is no pass; did you mean FastMath?"]
    assert client.said == said
    await made.load_extensions()
    assert client.said == said, "what has been said is not said again"
    made.configure({"pipeline": ["SimplifyInference", "FuseOps", "ToCPS"]})
    await made.load_extensions()
    assert client.shown[file.as_uri()] == ()
    made.shut_down()


def test_what_is_shown_in_a_settings_file_goes_with_the_file(client: _Client, file: Path) -> None:
    made = workspace(client, file.parent.parent)
    made.configure({"passTimeout": "soon"})
    assert len(client.shown[file.as_uri()]) == 1
    file.unlink()
    made.configure({})
    assert client.shown[file.as_uri()] == ()
    made.shut_down()


@pytest.mark.parametrize("value", ['{"out/*": true}', '"http://b"', r'"\"/*"'])
def test_what_looks_like_a_comment_inside_of_a_string_hides_no_setting(client: _Client, file: Path, value: str) -> None:
    file.write_text(f'{{"a": {value}, "relay.passTimeout": "soon" /* said */,\n "b": "*/"}}\n')
    made = workspace(client, file.parent.parent)
    made.configure({"passTimeout": "soon"})
    (finding,) = client.shown[file.as_uri()]
    assert finding.span is not None
    assert file.read_text()[finding.span.start : finding.span.end] == '"relay.passTimeout": "soon"'
    made.shut_down()


def test_a_file_of_comments_that_nothing_closes_is_read_at_once(client: _Client, file: Path) -> None:
    file.write_text("/* " * 300_000)
    made = workspace(client, file.parent.parent)
    made.configure({"passTimeout": "soon"})
    assert len(client.said) == 1
    made.shut_down()


def test_what_no_file_has_is_said(client: _Client, file: Path) -> None:
    made = workspace(client, file.parent.parent)
    made.configure({"passTimeout": "soon", "optLevel": "high"})
    assert [message.split()[2] for message in client.said] == ["relay.optLevel"]
    made.shut_down()


def test_a_settings_file_behind_a_link_is_not_read(client: _Client, file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    (folder / ".vscode").mkdir(parents=True)
    (folder / ".vscode" / "settings.json").symlink_to(file)
    made = workspace(client, folder)
    made.configure({"passTimeout": "soon"})
    assert client.shown == {}
    assert len(client.said) == 1
    made.shut_down()


@pytest.mark.parametrize(
    "uri", ["file:///models/a%2Bb/x.relay", "file:///models/a+b/x.relay", "file:///models/a%2bb/in/x.relay"]
)
def test_the_settings_of_a_folder_are_those_of_its_documents_however_their_addresses_are_escaped(
    client: _Client, tmp_path: Path, uri: str
) -> None:
    made = workspace(client, tmp_path)
    made.configure({}, {"file:///models/a+b": {"passTimeout": 7}})
    assert made.settings_for(uri).pass_timeout == 7
    assert made.settings_for("file:///models/a+bc/x.relay").pass_timeout != 7
    made.shut_down()
