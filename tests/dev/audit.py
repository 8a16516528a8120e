"""``./dev audit FOLDER``: look the packages of ``requirements.lock`` up in a list of advisories that is at hand.

The list is a copy of ``pypa/advisory-database``, or its git directory: a file for each advisory, which names the
versions that are affected, or the first one and the first that is not. Nothing is asked of the network: the answer is
as old as the copy, whose date is printed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

__all__ = ["Advisory", "advisories_in", "affected", "locked"]

ROOT = Path(__file__).resolve().parents[2]

_LOCKED = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)
_IDENTITY = re.compile(r"^id:\s*(\S+)", re.MULTILINE)
_NAME = re.compile(r"^ +name:\s*(\S+)", re.MULTILINE)
_EVENT = re.compile(r"^ *- (introduced|fixed|last_affected):\s*\"?'?([^\s\"']+)", re.MULTILINE)
_VERSIONS = re.compile(r"^ +versions:\n((?: +- [^\n]+\n?)*)", re.MULTILINE)


@dataclass(frozen=True)
class Advisory:
    """What is said of a package: in which versions, and in which ranges of them, from one up to another."""

    identity: str
    package: str
    versions: frozenset[str]
    ranges: tuple[tuple[str, str | None, bool], ...]
    """The first version, the end if there is one, and whether the end is affected, too."""

    def holds_for(self, version: str) -> bool:
        """Whether a version is affected."""
        return version in self.versions or any(_is_in(version, each) for each in self.ranges)


def locked(text: str) -> list[tuple[str, str]]:
    """The packages of a lock, and their versions."""
    return [(canonicalize_name(name), version) for name, version in _LOCKED.findall(text)]


def advisories_in(texts: Iterator[str]) -> Iterator[Advisory]:
    """The advisories that stand, of those in some files."""
    for text in texts:
        identity, name = _IDENTITY.search(text), _NAME.search(text)
        if identity is None or name is None or re.search(r"^withdrawn:", text, re.MULTILINE):
            continue
        listed = "".join(_VERSIONS.findall(text))
        versions = frozenset(line.strip("- \"'") for line in listed.splitlines())
        yield Advisory(identity[1], canonicalize_name(name[1]), versions, tuple(_ranges(text)))


def _ranges(text: str) -> Iterator[tuple[str, str | None, bool]]:
    start: str | None = None
    for kind, version in _EVENT.findall(text.partition("\n  versions:")[0]):
        if kind == "introduced":
            start = version
        elif start is not None:
            yield start, version, kind == "last_affected"
            start = None
    if start is not None and not _VERSIONS.search(text):
        yield start, None, False


def _is_in(version: str, affected_range: tuple[str, str | None, bool]) -> bool:
    start, end, with_end = affected_range
    try:
        if Version(version) < Version(start):
            return False
        return end is None or Version(version) < Version(end) or (with_end and Version(version) == Version(end))
    except InvalidVersion:  # the range is one of commits
        return False


def affected(packages: list[tuple[str, str]], advisories: Iterator[Advisory]) -> list[str]:
    """The advisories that hold for some of the packages, in words."""
    words: list[str] = []
    for advisory in advisories:
        for name, version in packages:
            if name == advisory.package and advisory.holds_for(version):
                words.append(f"{name} {version}: {advisory.identity}")
    return words


def _texts(folder: Path, names: set[str]) -> Iterator[str]:
    if (folder / "vulns").is_dir():
        for name in sorted(names):
            for path in sorted((folder / "vulns" / name).glob("*.yaml")):
                yield path.read_text(encoding="utf-8")
        return
    git = ["git", "--git-dir", str(folder)]
    listed = subprocess.run([*git, "ls-tree", "-r", "--name-only", "HEAD", "vulns/"], capture_output=True, check=True)
    for path in listed.stdout.decode().splitlines():
        if path.split("/")[1] in names:
            yield subprocess.run([*git, "show", f"HEAD:{path}"], capture_output=True, check=True).stdout.decode()


def main() -> int:
    """Run; 1 where an advisory holds, 2 where there is no list."""
    parser = argparse.ArgumentParser(prog="./dev audit", description=__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    packages = locked((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    where = (
        ["--git-dir", str(options.folder)] if not (options.folder / "vulns").is_dir() else ["-C", str(options.folder)]
    )
    date = subprocess.run(["git", *where, "log", "-1", "--format=%cs"], capture_output=True, text=True, check=False)
    if date.returncode:
        print(f"{options.folder} is no copy of pypa/advisory-database", file=sys.stderr)
        return 2
    texts = list(_texts(options.folder, {name for name, _ in packages}))
    words = affected(packages, advisories_in(iter(texts)))
    listed = f"{len(packages)} packages, {len(texts)} advisories about them, list of {date.stdout.strip()}"
    print(f"{listed}: {len(words)} hold")
    for each in words:
        print(f"  {each}")
    return 1 if words else 0


if __name__ == "__main__":
    sys.exit(main())
