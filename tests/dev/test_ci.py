"""What ``.ci/run`` and ``.ci/torch`` ask of a commit, with a ``dev`` that only tells how it is called."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci"

DEV = """#!/usr/bin/env bash
echo "$(ls ..): $*" >>"$CALLS"
case "$1" in
    test) echo "1 passed in 0.01s"; exit ${TESTS_FAIL:-0} ;;
    torch-tests) echo "1 passed in 0.01s"; exit ${TESTS_FAIL:-0} ;;
    lint) echo "All checks passed!"; exit ${LINT_FAILS:-0} ;;
    conformance) echo "as many records pass as the README states"; exit ${FEWER_PASS:-0} ;;
esac
"""


class Checkout:
    """A checkout with a file that is not committed, in a folder with other things in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        self.calls = folder / "calls"
        self.records = folder / "shared" / "conformance"
        shutil.copytree(CI, self.folder / ".ci")
        (self.folder / "dev").write_text(DEV)
        (self.folder / "dev").chmod(0o755)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "one")
        (self.folder / "dev").write_text("exit 1")

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, check=True)

    def run(self, script: str = "run", **environment: str) -> tuple[int, list[str]]:
        """The exit code and the lines that are printed."""
        done = subprocess.run(
            [self.folder / ".ci" / script],
            env={"PATH": "/usr/bin:/bin", "CALLS": str(self.calls), **environment},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout.splitlines()

    def called(self) -> list[str]:
        return self.calls.read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_commands_of_the_readme_run_in_a_clone_with_nothing_beside_it(checkout: Checkout):
    code, lines = checkout.run()
    assert checkout.called()[:3] == ["relay-lsp: demo", "relay-lsp: test", "relay-lsp: lint"]
    assert f"not compared with the README's counts: there are no records in {checkout.records}" in lines
    assert (code, lines[-1]) == (0, "1 passed in 0.01s")


def test_the_counts_are_compared_where_there_are_records(checkout: Checkout):
    checkout.records.mkdir(parents=True)
    code, lines = checkout.run()
    assert f"relay-lsp: conformance --records {checkout.records} --compare" in checkout.called()
    assert (code, lines[-1]) == (0, "1 passed in 0.01s")


@pytest.mark.parametrize("fault", ["TESTS_FAIL", "LINT_FAILS", "FEWER_PASS"])
def test_what_fails_fails_the_run_and_the_closing_line_comes_last(checkout: Checkout, fault: str):
    checkout.records.mkdir(parents=True)
    code, lines = checkout.run(**{fault: "3"})
    assert (code, lines[-1]) == (3, "1 passed in 0.01s")


@pytest.mark.parametrize("has_records", [False, True])
def test_the_job_with_pytorch(checkout: Checkout, has_records: bool):
    if has_records:
        checkout.records.mkdir(parents=True)
    code, _ = checkout.run("torch")
    assert checkout.called()[0] == "relay-lsp: torch-tests"
    compared = f"relay-lsp: conformance --records {checkout.records} --compare torch"
    assert (compared in checkout.called()) == has_records
    assert code == 0
    assert checkout.run("torch", TESTS_FAIL="3")[0] == 3
