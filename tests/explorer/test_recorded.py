"""Modules with closures and data types, as TVM printed them: links hold through the passes that rewrite functions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.explorer.pages import seen


@pytest.mark.parametrize("module", ["collections", "prelude", "gradient"])
def test_calls_of_closures_and_constructors_are_followed_or_said_to_be_removed(report: dict[str, Any], module: str):
    page = seen(report, module)
    assert len(page["asked"]) == len(page["became"]) > 3
    assert all(page["became"]), page
    assert all("0 unexplained values" in text for text in page["steps"] if " ms" in text)


@pytest.mark.parametrize(("module", "constructor"), [("prelude", "Cons"), ("gradient", "Raw")])
def test_a_recorded_module_shows_its_functions_matches_and_constructors(
    report: dict[str, Any], module: str, constructor: str
):
    assert {"match", constructor} <= set(seen(report, module)["kinds"])
