"""PyTorch is an extra: where it is not installed the tests of its importer are left out, and pytest says so."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_*.py"]


def pytest_report_header() -> str | None:
    """What stands at the top of a run."""
    return "PyTorch is not installed: the tests of its importer are left out" if collect_ignore_glob else None
