"""Which files of a workspace's folders are read: plain ones inside, whatever has the name of one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from relay_lsp.server.session.folders import Folders
from relay_lsp.server.session.regular_files import read_regular

MODEL = '#[version = "0.0.5"]\ndef @main(%x: float32) {\n  add(%x, %x)\n}\n'

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="special files are POSIX's")


def read_in(folder: Path) -> list[str]:
    folders = Folders()
    folders.change([folder.as_uri()])
    return [uri.rpartition("/")[2] for uri, _ in folders.snapshots(())]


@needs_posix
def test_pipes_devices_and_links_to_them_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "model.relay").write_text(MODEL)
    os.mkfifo(tmp_path / "a.relay")
    for name, target in {"b": "/dev/stdin", "c": "/dev/zero", "d": "/proc/self/environ", "e": "nowhere"}.items():
        (tmp_path / f"{name}.relay").symlink_to(target)
    (tmp_path / "f.relay").mkdir()
    assert read_in(tmp_path) == ["model.relay"]


@needs_posix
def test_a_link_is_followed_inside_the_folders_only(tmp_path: Path) -> None:
    inside, outside = tmp_path / "workspace", tmp_path / "secret.relay"
    inside.mkdir()
    outside.write_text(MODEL)
    (inside / "model.relay").write_text(MODEL)
    (inside / "linked.relay").symlink_to("model.relay")
    (inside / "stolen.relay").symlink_to(outside)
    assert sorted(read_in(inside)) == ["linked.relay", "model.relay"]


def test_a_file_that_is_open_is_left_out_however_its_uri_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "model (1).relay").write_text(MODEL)
    folders = Folders()
    folders.change([tmp_path.as_uri()])
    (only,) = [uri for uri, _ in folders.snapshots(())]
    assert only.endswith("/model%20%281%29.relay")
    assert folders.snapshots([only]) == []
    assert folders.snapshots([f"{tmp_path.as_uri()}/model%20(1).relay"]) == []


def test_a_folder_of_thousands_of_files_is_read_up_to_a_limit(tmp_path: Path) -> None:
    for number in range(700):
        (tmp_path / f"{number}.relay").write_text("")
    assert len(read_in(tmp_path)) == 500


def test_what_is_no_file_name_is_no_folder() -> None:
    folders = Folders()
    folders.change(["file:///a%00b", "untitled:x"])
    assert folders.snapshots(()) == []


@needs_posix
def test_a_pipe_is_refused_without_waiting_for_its_other_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no regular file"):
        read_regular(tmp_path / "pipe", 10)


def test_no_more_is_read_than_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 11)
    with pytest.raises(OSError, match="larger than 10 bytes"):
        read_regular(tmp_path / "file", 10)
    assert read_regular(tmp_path / "file", 11) == b"x" * 11
