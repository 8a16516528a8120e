"""The explorer in a real browser: exported pages, opened from the disk, and one page that is served."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.features.layers.colours import ColourBook
from tests.explorer.models import CLOSURES, VERSION, large
from tests.explorer.pages import ROOT, export, needs_page, seen
from tests.whole_texts import semantic_tokens

pytestmark = pytest.mark.xdist_group("explorer")


def test_the_pages_ask_no_other_machine_and_have_no_faults(report: dict[str, Any]):
    assert report["requests"] == []
    assert report["faults"] == []


def test_pointing_lights_up_what_became_of_an_expression(report: dict[str, Any]):
    hover = seen(report, "links")["hover"]
    assert "".join(hover["first"]).startswith("nn.batch_norm(")
    lit = " ".join(hover["next"])
    assert "sqrt(" in lit
    assert "nn.conv2d" not in lit
    assert "torch.batch_norm_2" in hover["details"]
    assert "SimplifyInference made" in hover["details"]
    assert seen(report, "links")["left"] == 0


def test_a_click_pins_arrows_walk_back_returns_and_escape_releases(report: dict[str, Any]):
    links = seen(report, "links")
    assert "".join(links["pinned"]["back"]).startswith("nn.relu(")
    assert "pinned" in links["pinned"]["details"]
    assert "".join(links["walked"]["asked"]).startswith("nn.relu(")
    assert "".join(links["back"]).startswith("nn.relu(")
    assert links["released"] == 0


def test_a_name_stands_for_the_value_that_it_was_given(report: dict[str, Any]):
    assert "".join(seen(report, "links")["use"]).startswith("nn.dropout(")


def test_an_address_leads_to_the_same_view(report: dict[str, Any]):
    assert "".join(seen(report, "links")["deep"]).startswith("nn.relu(")


def test_the_first_pane_is_the_model_or_the_list_of_layers(report: dict[str, Any]):
    model = seen(report, "model")
    assert model["title"].startswith("model.onnx")
    assert "Conv" in model["text"]
    assert "".join(model["node"]).startswith("act")
    assert "nn.conv2d" in "".join(model["values"])
    assert "nn.relu" not in "".join(model["values"])
    assert model["layers"].splitlines()[0] == "torch.convolution_1  nn.conv2d"


def test_where_no_comment_names_a_layer_the_names_of_weights_do(report: dict[str, Any]):
    weights = seen(report, "weights")
    assert any(text.startswith("nn.batch_norm(") for text in weights["values"]["first"])
    assert not any(text.startswith(("nn.conv2d(", "nn.relu(")) for text in weights["values"]["first"])
    assert any(text.startswith("sqrt(") for text in weights["values"]["inferred"])
    assert "these are by the names of weights" in weights["legend"]
    assert "stage4_unit2_conv1" in weights["legend"]


def test_a_graph_has_the_links_and_colours_of_the_panes_and_its_groups_open_and_close(report: dict[str, Any]):
    graph = seen(report, "graph")
    assert "closed group" in graph["closed"]
    assert "closed group" not in graph["all"]
    assert graph["walked"][0].startswith("nn.conv2d") or graph["walked"][1].startswith("nn.conv2d")
    assert "pinned" in graph["pinned"]["details"]
    assert graph["pinned"]["text"]
    assert graph["pixels"] > 8


def test_ten_thousand_values_are_laid_out_while_the_page_goes_on(report: dict[str, Any]):
    graph = seen(report, "graph")
    assert graph["largest"].startswith(("10,00", "12,50"))
    assert graph["waited"] < 3_000
    done = graph["progress"]["done"]
    assert done == sorted(done)
    assert len([each for each in done if 0 < each < 1]) > 3, "a bar says how far it is"
    assert graph["progress"]["left"] == 0


def test_two_steps_are_one_text_with_links_inside(report: dict[str, Any]):
    diff = seen(report, "diff")
    assert "nn.batch_norm" in diff["lines"]["removed"]
    assert "nn.batch_norm" not in diff["lines"]["added"]
    assert "".join(diff["links"]["asked"]).startswith("nn.batch_norm(")
    assert "".join(diff["links"]["before"]).startswith("nn.batch_norm(")
    assert any(text.startswith("sqrt(") for text in diff["links"]["after"])
    assert diff["folded"] == 0, "only a comparison folds by itself"
    assert "diffs=2" in diff["hash"]
    assert "diffs=2" not in diff["byKey"], "the key in the first text takes the comparison with it away again"


def test_patterns_of_dataflow_are_searched_for(report: dict[str, Any]):
    answers = seen(report, "patterns")
    assert "vanishes in SimplifyInference" in answers["nn.conv2d > nn.batch_norm > nn.relu"]
    assert "none at first; appears in SimplifyInference" in answers["nn.relu(add(*, *))"].replace("\n", "")
    assert "not complete" in answers["nn.relu(add(*"]
    assert "2 in resnet18.relay" in answers["nn.*_pool2d"]


def test_what_other_programs_wrote_is_linked_by_kernel_layer_line_and_task(report: dict[str, Any]):
    seen_overlays = seen(report, "overlays")
    words = seen_overlays["words"].replace("\n", " ")
    assert "times.csv times: 3 of 4 linked" in words
    assert "graph.json graph executor: 4 of 4 linked" in words
    assert "kernels.tir TIR: 1 of 1 linked" in words
    assert "tuning.log tuning log: 1 of 1 linked" in words
    assert "lines.csv times: 1 of 2 linked" in words
    assert any("fused_nn_dense" in text for text in seen_overlays["unlinked"]), "nothing is dropped"
    assert "stem.conv + stem.relu\t0.10 ms" in seen_overlays["words"]


def test_an_overlay_leads_to_the_layer_of_its_kernel_and_back(report: dict[str, Any]):
    seen_overlays = seen(report, "overlays")
    assert seen_overlays["forward"]
    assert all("_1  " in text for text in seen_overlays["forward"])
    assert any(text.startswith("nn.conv2d(%1") for text in seen_overlays["back"])
    assert not any(text.startswith("nn.conv2d(%x") for text in seen_overlays["back"])
    assert "10 % and more" in seen_overlays["legend"]
    assert "is no trace, and nothing that can be laid over one" in seen_overlays["refused"]


def test_what_was_removed_says_by_which_pass(report: dict[str, Any]):
    removed = seen(report, "removed")
    assert removed["gone"]
    assert "DeadCodeElimination removed tanh" in removed["details"]


def test_the_timeline_tells_times_operators_unexplained_values_and_what_was_skipped(report: dict[str, Any]):
    steps = seen(report, "timeline")["steps"]
    step = next(text for text in steps if text.startswith("SimplifyInference"))
    assert "ms" in step
    assert "0 unexplained values" in step
    assert "add +" in step
    assert any("skipped: level" in text for text in steps)
    assert not any("unexplained" in text and "0 unexplained values" not in text for text in steps)


def test_the_search_says_when_something_went(report: dict[str, Any]):
    timeline = seen(report, "timeline")
    assert "vanishes in SimplifyInference" in timeline["turns"]
    assert "not complete" in timeline["broken"]


def test_what_did_not_change_is_collapsed_and_comes_back(report: dict[str, Any]):
    folds = seen(report, "folds")
    assert "lines as before" in folds["words"]
    assert "nn.dropout" in folds["text"]
    assert "%5 = negative" not in folds["text"]
    assert folds["unfolded"] == folds["folded"] - 1


def test_keys_are_listed_and_panes_come_and_go(report: dict[str, Any]):
    timeline = seen(report, "timeline")
    assert "release what is pinned" in timeline["help"]
    assert timeline["closed"] == 0
    assert timeline["left"] == timeline["shown"] - 1


def test_colours_say_layer_operator_pass_compiler_or_dtype_with_counts(report: dict[str, Any]):
    colours = seen(report, "colours")
    legends = {name: " ".join(rows) for name, rows in colours["legends"].items()}
    assert "torch.relu_3" in legends["layer"]
    assert "nn.conv2d" in legends["operator"]
    assert "SimplifyInference" in legends["pass"]
    assert "TVM" in legends["compiler"]
    assert "float32" in legends["dtype"]
    assert 0 < colours["one"] < colours["all"]
    assert "nn.relu" in colours["filter"]


@needs_page
def test_words_are_coloured_by_the_semantic_tokens_of_the_server(tmp_path: Path):
    closures = tmp_path / "closures.relay"
    closures.write_text(VERSION + CLOSURES)
    files = [closures, *(ROOT / "examples" / f"{name}.relay" for name in ("resnet18", "mlp", "collections"))]
    command = ["node", str(Path(__file__).with_name("tokens.mjs")), *map(str, files)]
    output = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    for file, words in zip(files, json.loads(output), strict=True):
        snapshot = Snapshot.open(file.read_text("utf-8"), file.name)
        expected = [[each.span.start, each.span.end, each.type] for each in semantic_tokens(snapshot)]
        assert words["all"] == expected, file.name
        assert words["tail"] == expected[-len(words["tail"]) :], f"the second half of {file.name} alone"


def test_colours_are_those_of_the_editors(report: dict[str, Any]):
    colours = seen(report, "colours")["shades"]
    book = ColourBook()
    expected = {
        (theme, name): book.colour("operator", name, kind).solid
        for theme, kind in (("light", "light"), ("dark", "dark"), ("contrast", "highContrast"))
        for name in ("nn.conv2d", "nn.batch_norm", "nn.dropout", "nn.relu")
    }
    for (theme, name), colour in expected.items():
        rgb = tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
        assert colours[theme][name] == f"rgb({rgb[0]}, {rgb[1]}, {rgb[2]})", (theme, name)


def test_themes_differ(report: dict[str, Any]):
    backgrounds = seen(report, "colours")["backgrounds"]
    assert [name for name, _ in backgrounds.values()] == ["light", "dark", "contrast"]
    assert len({colour for _, colour in backgrounds.values()}) == 3


def test_names_from_a_text_are_never_code_and_their_hidden_characters_are_seen(report: dict[str, Any]):
    hostile = seen(report, "hostile")
    assert not hostile["ran"]
    assert hostile["images"] == 0
    assert "<img/src=x/onerror=" in hostile["legend"]
    assert "⟨U+202E⟩" in hostile["legend"]
    assert "</script>" in hostile["details"]
    assert "🙂 <script>" in hostile["text"]
    assert hostile["special"] >= 2


def test_a_closure_is_followed_into_the_function_that_it_becomes(report: dict[str, Any]):
    closures = seen(report, "closures")
    assert "".join(closures["asked"]).startswith("multiply(")
    assert any(text.startswith("multiply") for text in closures["last"])


def test_a_pipeline_that_fails_shows_all_up_to_there(report: dict[str, Any]):
    failing = seen(report, "failing")
    assert "BindParams failed" in failing["failure"]
    assert failing["panes"] == 2


def test_what_is_no_whole_trace_of_this_version_says_so(report: dict[str, Any]):
    faults = seen(report, "faults")
    assert "version 7" in faults["version.html"]
    assert "reads version 1" in faults["version.html"]
    assert "relay-lsp explore" in faults["nothing.html"]
    assert "cut off" in faults["cut.html"]


def test_ten_thousand_statements_open_light_up_and_scroll(report: dict[str, Any]):
    """The goals are 1 s, 50 ms and 17 ms. The limits here are those of a machine that is busy with other tests."""
    measured = seen(report, "large")
    assert measured["panes"] >= 3
    assert measured["rows"] < 200
    assert measured["opened"] < 15_000
    assert 0 < measured["lit"] < 3_000
    assert measured["median"] < 1_000


def test_a_line_of_eight_thousand_characters_scrolls(report: dict[str, Any]):
    assert seen(report, "longLine")["left"] > 20_000


def test_a_served_page_runs_other_passes_and_says_what_is_wrong(report: dict[str, Any]):
    served = seen(report, "served")
    assert not any("FuseOps" in text for text in served["before"])
    assert "ToCPS failed" in served["problem"]
    assert "is not a pass; write Name" in served["refused"]
    assert any("FuseOps" in text for text in served["after"])
    assert "Against the run before" in served["form"]
    assert "Start relay-lsp explore again" in served["ended"]


def test_options_and_the_context_are_fields_of_the_form(report: dict[str, Any]):
    served = seen(report, "served")
    assert served["call"] == "FuseOps[fuse_opt_level=0]"
    assert "FuseOps" in served["skipped"]
    assert "disabled" in served["skipped"]
    assert "// relay-lsp: SimplifyInference, FuseOps[fuse_opt_level=0]; disable=[FuseOps]" in served["saved"]


def test_an_edit_marks_what_is_stale_and_runs_again(report: dict[str, Any]):
    served = seen(report, "served")
    assert "nn.relu(%3.0)" in served["stale"]
    assert not any("conv2d" in text for text in served["stale"])
    assert served["live"]["marks"] == 0
    assert "exp +1" in served["live"]["form"]


def test_a_run_of_a_text_that_the_page_was_not_told_of_marks_nothing_as_stale(report: dict[str, Any]):
    assert seen(report, "served")["newer"] == 0


def test_a_page_that_is_loaded_again_shows_the_text_as_it_is_now(report: dict[str, Any]):
    assert seen(report, "served")["reloaded"] == 0


@needs_page
def test_the_page_of_a_large_pipeline_is_small(tmp_path: Path):
    page = export(tmp_path, "large", large(), "-p", "SimplifyInference", "-p", "CanonicalizeOps")
    assert page.stat().st_size < 20_000_000
