"""Settings and the way in which passes are written in them."""

from __future__ import annotations

import pytest

from relay_lsp.server.features.passes.pipeline_comment import pipeline_comment
from relay_lsp.server.pass_calls import PassCall, PassCallError, parse_pipeline
from relay_lsp.server.settings import Settings, read_settings


def test_settings_come_nested_or_flat() -> None:
    nested, problems = read_settings({"pipeline": ["FoldConstant"], "worker": {"memoryLimit": 1000}})
    flat, _ = read_settings({"pipeline": ["FoldConstant"], "worker.memoryLimit": 1000})
    assert problems == []
    assert nested == flat
    assert nested.pipeline == ("FoldConstant",)
    assert nested.memory_limit == 1000


def test_a_value_of_the_wrong_kind_is_reported_and_the_default_stays() -> None:
    settings, problems = read_settings({"passTimeout": "soon", "applyOnSave": 1, "pipeline": ["a b"]})
    assert settings == Settings()
    assert len(problems) == 3
    assert any("relay.passTimeout must be a number" in problem for problem in problems)


@pytest.mark.parametrize(
    ("given", "name", "meant"),
    [
        ({"passTimout": 5}, "passTimout", "passTimeout"),
        ({"pass_timeout": 5}, "pass_timeout", "passTimeout"),
        ({"worker": {"memorylimit": 1000}}, "worker.memorylimit", "worker.memoryLimit"),
        ({"inlayHint.types": False}, "inlayHint.types", "inlayHints.types"),
        ({"inlayHint": {"types": False}}, "inlayHint.types", "inlayHints.types"),
        ({"memoryLimit": 1000}, "memoryLimit", "worker.memoryLimit"),
    ],
)
def test_a_misspelled_name_is_reported_with_the_name_that_was_meant(given: object, name: str, meant: str) -> None:
    settings, problems = read_settings(given)
    assert settings == Settings()
    assert problems == [f"the setting relay.{name} is not known; relay.{meant} is"]


def test_what_an_editor_keeps_beside_the_settings_is_no_misspelling() -> None:
    _, problems = read_settings(
        {"server": {"command": []}, "trace": {"server": "off"}, "trusted": True, "token": "", "folder": "/", "mine": 1}
    )
    assert problems == []


def test_a_pass_with_options() -> None:
    call = PassCall.parse('ConvertLayout[desired_layouts={"nn.conv2d": ["NHWC", "OHWI"]}, verbose=false]')
    assert call.name == "ConvertLayout"
    assert call.options == {"desired_layouts": {"nn.conv2d": ["NHWC", "OHWI"]}, "verbose": False}
    assert PassCall.parse(str(call)) == call


def test_a_pipeline_in_one_line() -> None:
    assert [call.name for call in parse_pipeline("SimplifyInference, FoldConstant[fold_qnn=True], FuseOps")] == [
        "SimplifyInference",
        "FoldConstant",
        "FuseOps",
    ]


def test_a_bare_word_is_a_string() -> None:
    assert PassCall.parse("AnnotateTarget[targets=dnnl]").options == {"targets": "dnnl"}


@pytest.mark.parametrize("text", ["", "two words", "Name[", "Name[5]", "Name[=3]"])
def test_what_names_no_pass_is_refused(text: str) -> None:
    with pytest.raises(PassCallError):
        PassCall.parse(text)


def test_a_file_may_name_its_pipeline() -> None:
    text = '#[version = "0.0.5"]\n// relay-lsp: SimplifyInference, FoldConstant[fold_qnn=True]\ndef @main() { () }\n'
    assert pipeline_comment(text) == "SimplifyInference, FoldConstant[fold_qnn=True]"
    assert pipeline_comment("// about relay-lsp\n") is None
    assert pipeline_comment("// relay-lsp:\n") is None


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"worker": {"memoryLimit": 64}}, "worker.memoryLimit must be 0, for no limit, or at least 512"),
        ({"worker": {"memoryLimit": 1e300}}, "worker.memoryLimit must be a number"),
        ({"passTimeout": float("nan")}, "passTimeout must be a number"),
        ({"passTimeout": float("inf")}, "passTimeout is too large"),
        ({"history": {"folder": "a\0b"}}, "history.folder must not have null characters in it"),
        ({"extensions": ["mine.py", "a\0.py"]}, "extensions must not have null characters in it"),
    ],
)
def test_a_value_that_would_fail_later_is_refused_with_a_reason(given: object, problem: str) -> None:
    settings, problems = read_settings(given)
    assert settings == Settings()
    assert len(problems) == 1
    assert problem in problems[0]
