"""Everything that is released together has one version."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
(VERSION,) = re.findall(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)


def test_the_extension_has_the_version_of_the_server():
    manifest = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text("utf-8"))
    assert manifest["version"] == VERSION


def test_the_changelog_tells_what_the_version_brings():
    versions = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert versions[:2] == ["Unreleased", VERSION]
