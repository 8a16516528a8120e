"""Which advisories hold for the locked packages, by a list that is at hand; and that each package has its reason."""

from __future__ import annotations

import re

import pytest

from tests.dev.audit import ROOT, advisories_in, affected, locked

ADVISORY = """id: PYSEC-1
affected:
- package:
    name: Some.Package
    ecosystem: PyPI
  ranges:
  - type: ECOSYSTEM
    events:
    - introduced: "1.2"
    - fixed: 1.10.1
  versions:
  - 1.2
  - "1.10"
"""
WITHOUT_END = """id: PYSEC-2
affected:
- package:
    name: some-package
  ranges:
  - type: ECOSYSTEM
    events:
    - introduced: "2"
"""


@pytest.mark.parametrize(
    ("version", "identities"),
    [("1.1", []), ("1.2", ["PYSEC-1"]), ("1.9", ["PYSEC-1"]), ("1.10.1", []), ("2", ["PYSEC-2"]), ("3.1", ["PYSEC-2"])],
)
def test_an_advisory_holds_for_the_versions_that_it_names(version: str, identities: list[str]) -> None:
    packages = locked(f"some-package=={version} \\\n    --hash=sha256:0\nother==1.2\n")
    words = affected(packages, advisories_in(iter((ADVISORY, WITHOUT_END))))
    assert words == [f"some-package {version}: {identity}" for identity in identities]


def test_a_withdrawn_advisory_does_not_hold() -> None:
    withdrawn = ADVISORY + 'withdrawn: "2024-01-01T00:00:00Z"\n'
    assert affected([("some-package", "1.2")], advisories_in(iter((withdrawn,)))) == []


def test_every_locked_package_is_pinned_by_hash_and_has_its_reason() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    reasons = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    packages = {name for name, _ in locked(lock)}
    assert packages == set(re.findall(r"^\| `([a-z0-9-]+)` \|", reasons, re.MULTILINE))
    pinned = re.split(r"^(?=[A-Za-z0-9_.-]+==)", lock, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in each for each in pinned)
