"""``relay-lsp`` from a terminal."""

from __future__ import annotations

import gc
import json
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from relay_lsp.passes.infrastructure import extensions
from relay_lsp.server.command_line.program import run
from tests.server.command_line.models import MODEL


def test_passes_are_named_one_by_one_or_with_commas_between(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts: list[str] = []
    for passes in (["-p", "FuseOps", "-p", "ToANormalForm"], ["-p", "FuseOps[fuse_opt_level=2], ToANormalForm"]):
        assert run(["opt", *passes, str(model)]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert run(["opt", "-p", "FuseOps,ToAnormalForm", str(model)]) == 2
    assert "there is no pass called ToAnormalForm; did you mean ToANormalForm?" in capsys.readouterr().err


def test_the_pipeline_of_the_file_runs_where_no_passes_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.relay"
    path.write_text(MODEL.replace("def", "// relay-lsp: EliminateCommonSubexpr\ndef", 1))
    assert run(["opt", str(path)]) == 0
    assert "multiply(%0, %0)" in capsys.readouterr().out
    assert run(["trace", str(path)]) == 0
    assert "EliminateCommonSubexpr" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["opt", "trace", "bisect"])
def test_a_pass_that_there_is_not_is_trouble_with_a_suggestion(
    command: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "--pass", "FuseOp", str(model)]) == 2
    assert "did you mean FuseOps?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x7fELF\x00\x01", "is not a text: it has a zero byte at offset 4"),
        (b"def @main\n\xff\xfe", "is not UTF-8: byte 0xff on line 2 (offset 10)"),
    ],
)
def test_a_file_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str) -> None:
    path = tmp_path / "model.relay"
    path.write_bytes(content)
    for command in (["check"], ["format"], ["opt", "-p", "InferType"], ["trace", "-p", "InferType"]):
        assert run([*command, str(path)]) == 2
        assert words in capsys.readouterr().err


def test_opt_prints_what_passes_make(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", "--pass", "EliminateCommonSubexpr", "--timing", str(model)]) == 0
    captured = capsys.readouterr()
    assert "multiply(%0, %0)" in captured.out
    assert "EliminateCommonSubexpr" in captured.err
    assert model.read_text() == MODEL


def test_opt_writes_where_values_come_from(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", "--pass", "EliminateCommonSubexpr", "--provenance", str(model)]) == 0
    name = model.name
    assert f"/* si=[{name}:" in capsys.readouterr().out
    assert model.read_text() == MODEL


def test_opt_writes_back_only_when_told_to(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.relay"
    assert run(["opt", "-p", "EliminateCommonSubexpr", "-o", str(other), str(model)]) == 0
    assert "multiply(%0, %0)" in other.read_text()
    assert model.read_text() == MODEL
    assert run(["opt", "-p", "EliminateCommonSubexpr", "--in-place", str(model)]) == 0
    assert model.read_text() == other.read_text()


def test_options_of_a_pass_need_no_quotes(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", "-p", "InferType=nonsense=1", str(model)]) == 1
    assert "there is no option nonsense" in capsys.readouterr().err


def test_opt_refuses_a_broken_text_at_the_place(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", "-p", "EliminateCommonSubexpr", str(broken)]) == 1
    captured = capsys.readouterr()
    assert "^^^^^^^^^" in captured.out
    assert "the text has an error" in captured.err


def test_opt_says_once_what_is_wrong_with_the_call(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", "--pass", "FuseOps[fuse_opt_level=x]", str(model)]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "relay-lsp: FuseOps: option fuse_opt_level takes an integer\n")


def test_a_difference_names_the_file_as_patch_reads_it(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["opt", "--pass", "EliminateCommonSubexpr", "--diff", str(model)])
    old, new, *_ = capsys.readouterr().out.splitlines()
    path = str(model).lstrip("/")
    assert (old, new) == (f"--- a/{path}", f"+++ b/{path}")


INSTRUMENTS = {
    "PassTimingInstrument": r"^SimplifyInference: \d+us \[\d+us\] \(\d+\.\d\d%; \d+\.\d\d%\)$",
    "OperatorCounter": r"^SimplifyInference: nn\.dropout -1$",
    "PassProfiler[memory=False]": r"^SimplifyInference: \d+ -> \d+ expressions",
    "PrintBeforeAll": r"^// before SimplifyInference$",
    "PrintAfterAll": r"^// after SimplifyInference$",
    "PassPrintingInstrument[print_after_pass_names=['SimplifyInference']]": r"^// after SimplifyInference$",
    "Verifier": r"^$",
}


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_instruments_watch_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str], instrument: str) -> None:
    model = tmp_path / "model.relay"
    model.write_text(MODEL.replace("add(%x, %x);\n  %1", "nn.dropout(%x);\n  %1").replace("(%0,", "(%0.0,"))
    assert run(["opt", "--pass", "SimplifyInference", "--instrument", instrument, str(model)]) == 0
    shown = capsys.readouterr()
    assert re.search(INSTRUMENTS[instrument], shown.err, re.MULTILINE)
    assert "nn.dropout" not in shown.out


def test_every_state_goes_into_a_folder(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "dumps"
    assert run(["opt", "--pass", "ToANormalForm", "--instrument", f"DumpIR[dump_dir={folder}]", str(model)]) == 0
    assert sorted(path.name for path in folder.iterdir())[-1].endswith("_ToANormalForm.relay")
    (tmp_path / "file").write_text("not a folder")
    command = ["opt", "--pass", "ToANormalForm", "--instrument", f"DumpIR[dump_dir={tmp_path / 'file'}]", str(model)]
    assert run(command) == 1
    assert "an instrument cannot write" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("instrument", "words"),
    [
        ("PrintAfterAl", "there is no instrument called PrintAfterAl; did you mean PrintAfterAll?"),
        ("PassProfiler[memry=False]", "PassProfiler: there is no option memry; did you mean memory?"),
        ("DumpIR", "DumpIR: option dump_dir must be given"),
        ("DumpIR[dump_dir=3]", "DumpIR: option dump_dir takes a string"),
        ("PassPrintingInstrument[print_before_pass_names=FastMath]", "print_before_pass_names takes a list of strings"),
        ("PassProfiler[memory=sometimes]", "PassProfiler: option memory takes True or False"),
        (
            'PrintAfterAll[print_after_pass_names=["FastMath"]]',
            "no option print_after_pass_names; it takes show_meta_data",
        ),
    ],
)
def test_a_wrong_instrument_is_said_so(
    model: Path, capsys: pytest.CaptureFixture[str], instrument: str, words: str
) -> None:
    assert run(["opt", "--pass", "ToANormalForm", "--instrument", instrument, str(model)]) == 1
    assert words in capsys.readouterr().err


def test_users_passes_and_operators_are_loaded_when_they_are_named(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from relay_lsp.passes import module_pass\n\n\n@module_pass(opt_level=0)\n"
        "def look_on(mod, ctx):\n    'Change nothing.'\n    return mod\n"
    )
    try:
        assert run(["passes", "--extension", str(mine), "look_on"]) == 0
        assert "Change nothing." in capsys.readouterr().out
        assert run(["opt", "--extension", str(mine), "--pass", "look_on", str(model)]) == 0
    finally:
        extensions.unload(str(mine))
    mine.write_text("\nnumber = 1 / 0\n")
    assert run(["opt", "--extension", str(mine), "--pass", "look_on", str(model)]) == 2
    assert "mine.py:2: ZeroDivisionError: division by zero" in capsys.readouterr().err


def test_the_catalogues(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["passes"]) == 0
    assert "EliminateCommonSubexpr" in capsys.readouterr().out
    assert run(["passes", "EliminateCommonSubexpr"]) == 0
    assert "Before" in capsys.readouterr().out
    assert run(["ops", "nn.softmax"]) == 0
    assert "  axis=-1  The axis" in capsys.readouterr().out
    assert run(["ops", "--format", "json"]) == 0
    assert any(item["name"] == "nn.conv2d" for item in json.loads(capsys.readouterr().out))
    assert run(["ops", "nn.sofmax"]) == 2
    assert "did you mean nn.softmax" in capsys.readouterr().err
    assert run(["passes", "FuseOp"]) == 2
    assert "did you mean FuseOps" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["ops", "nn.conv2d"], ["passes", "OutLiner"], ["passes", "FuseOps"], ["ops"]])
def test_documentation_fits_the_terminal(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    widest: dict[int, int] = {}
    for columns in (80, 110):
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", str(columns))
            patch.setattr(sys.stdout, "isatty", lambda: True)
            assert run(arguments) == 0
        lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("    def ")]
        widest[columns] = max(len(line) for line in lines if "{" not in line and "};" not in line)
    assert widest[80] <= 80 < widest[110] <= 110


def test_documentation_of_an_operator_is_no_markdown_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ops", "nn.conv2d"]) == 0
    out = capsys.readouterr().out
    assert "|" not in out
    assert "```" not in out
    assert max(map(len, out.splitlines())) <= 100
    assert run(["ops", "nn.conv2d", "--markdown"]) == 0
    assert "| `strides` | a list of dimensions | `[1, 1]` |" in capsys.readouterr().out
    assert run(["passes", "FuseOps", "--markdown"]) == 0
    assert "| `fuse_opt_level` | an integer | `-1` |" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["check"], ["opt"], ["nothing"]])
def test_a_wrong_call_explains_itself(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(arguments)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_help_teaches_by_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["--help"])
    assert "relay-lsp trace --pass SimplifyInference model.relay" in capsys.readouterr().out


def test_an_address_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--tcp", "nowhere"]) == 2
    assert "write HOST:PORT" in capsys.readouterr().err


BAD_PASSES = '''
from relay_lsp.ir.expressions import Call, Function, Var
from relay_lsp.ir.ops import get
from relay_lsp.passes import FunctionPass, declare_pass


@declare_pass(opt_level=0)
class LoopsForever(FunctionPass):
    """Never come to an end."""

    def transform_function(self, function, module, context):
        while True:
            pass


@declare_pass(opt_level=0)
class UsesUnbound(FunctionPass):
    """Add a variable that nothing binds."""

    def transform_function(self, function, module, context):
        return Function(function.params, Call(get("add"), (function.body, Var("nowhere"))))


@declare_pass(opt_level=0)
class GivesNumber(FunctionPass):
    """Give a number instead of a function."""

    def transform_function(self, function, module, context):
        return 42
'''


@pytest.fixture
def bad_passes(tmp_path: Path) -> Iterator[str]:
    path = tmp_path / "bad_passes.py"
    path.write_text(BAD_PASSES)
    yield str(path)
    extensions.unload(str(path.resolve()))


@pytest.mark.parametrize("command", ["opt", "bisect"])
def test_a_pass_that_loops_is_stopped_and_named(
    model: Path, bad_passes: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "--timeout", "1", "--extension", bad_passes, "--pass", "LoopsForever", str(model)]) == 2
    assert capsys.readouterr().err == ("relay-lsp: LoopsForever was stopped after 1 seconds; the file is as it was\n")
    assert model.read_text() == MODEL


def test_an_extension_that_loops_is_stopped_and_named(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endless = tmp_path / "endless.py"
    endless.write_text("while True:\n    pass\n")
    assert run(["opt", "--timeout", "0.5", "--extension", str(endless), "--pass", "FoldConstant", str(model)]) == 2
    assert f"loading {endless} was stopped after 0.5 seconds" in capsys.readouterr().err


_EATS = "import time\nwhile True:\n    try:\n        time.sleep(60)\n    except BaseException:\n        pass\n"
_THREAD = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("import time\ntime.sleep(600)\n", 2, "was stopped after 0.5 seconds; nothing was run"),
        (_EATS, 2, "was stopped after 0.5 seconds; nothing was run"),
        (_THREAD, 0, ""),
    ],
)
def test_an_extension_holds_up_no_process(model: Path, tmp_path: Path, body: str, code: int, words: str) -> None:
    odd = tmp_path / "odd.py"
    odd.write_text(body)
    arguments = ["opt", "--timeout", "0.5", "--extension", str(odd), "--pass", "FoldConstant", str(model)]
    if not words:
        arguments[1:3] = []
    done = subprocess.run(
        [sys.executable, "-m", "relay_lsp.server", *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert ("@main" in done.stdout) == (code == 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", ""], "the name of a file is empty"),
        (["replay", "-"], "a report is read from a file, and not from standard input"),
        (["opt", "--layer", "conv", "-p", "FuseOps", "model.relay"], "--layer chooses remarks"),
        (["opt", "--extension", "gone.py", "-p", "FuseOps", "model.relay"], "gone.py: there is no such file"),
        (["opt", "--extension", "gone.py", "--seed", "-5", "model.relay"], "'-5' is no whole number from 0 on"),
    ],
)
def test_what_cannot_be_meant_is_said_in_a_sentence(
    arguments: list[str],
    words: str,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(model.parent)
    try:
        code = run(arguments)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert words in capsys.readouterr().err


def test_the_layout_of_all_files_of_a_folder(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model.write_text(MODEL.replace("  %1", "%1"))
    assert run(["format", "--check", str(model.parent)]) == 1
    assert capsys.readouterr().out == f"{model} would be formatted\n"
    assert run(["format", str(model.parent)]) == 0
    assert model.read_text() == MODEL


@pytest.mark.parametrize("given", ["-1", "nan", "1e999", "soon"])
def test_a_limit_that_no_timer_can_wait_for_is_refused(
    model: Path, given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["opt", "--timeout", given, "--pass", "FoldConstant", str(model)])
    assert ended.value.code == 2
    assert f"{given!r} is no number of seconds from 0 to 1,000,000" in capsys.readouterr().err


def test_a_file_without_end_is_no_fault_of_the_program(tmp_path: Path) -> None:
    endless = tmp_path / "endless.relay"
    endless.symlink_to("/dev/zero")
    limit = (resource.RLIMIT_AS, (1 << 30, 1 << 30))
    command = [sys.executable, "-m", "relay_lsp.server", "check", str(endless)]
    ended = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: resource.setrlimit(*limit))
    assert ended.returncode == 2
    assert ended.stderr == "relay-lsp: memory ran out; nothing was written\n"


def test_a_pass_that_loops_in_the_background_is_stopped(
    model: Path, bad_passes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell lets what it starts in the background ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert run(["opt", "--timeout", "1", "--extension", bad_passes, "--pass", "LoopsForever", str(model)]) == 2
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert "LoopsForever was stopped after 1 seconds" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("UsesUnbound", "left an ill-typed module: the type of %nowhere cannot be inferred"),
        ("GivesNumber", "what the pass does to @main gave an int, and must give a Function"),
    ],
)
def test_a_pass_that_breaks_the_module_is_named_with_the_place(
    model: Path, bad_passes: str, name: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["opt", "--in-place", "--extension", bad_passes, "--pass", name, str(model)]) == 1
    said = capsys.readouterr()
    assert f"relay-lsp: {name}: {reason}" in said.err
    assert f"{model}:2:5: error[" in said.out
    assert model.read_text() == MODEL


def test_a_build_is_run_for_a_target_at_a_level(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", "--build", "O2", "--target", "llvm", str(model)]) == 0
    text = capsys.readouterr().out
    assert "Primitive=1" in text
    assert "virtual_device=meta[VirtualDevice][0]" in text
    assert run(["opt", "--build", "O1", "--build", "vm", str(model)]) == 0
    assert "memory.alloc_tensor" in capsys.readouterr().out


def test_parameters_of_a_file_become_constants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.relay"
    path.write_text(MODEL)
    np.savez(tmp_path / "params.npz", x=np.ones(4, "float32"))
    arguments = ["opt", "--params", str(tmp_path / "params.npz"), "--pass", "FoldConstant", str(path)]
    assert run(arguments) == 0
    assert "meta[relay.Constant][0]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name passes with --pass, or a build with --build O3"),
        (["--build", "O9"], "--build takes a level, O0 to O4, or graph or vm, not 'O9'"),
        (["--build", "O3", "--target", "lvm"], "there is no target 'lvm'; did you mean llvm?"),
        (["--pass", "FastMath", "--target", "llvm"], "--target says what --build is for"),
        (["--params", "weights.bin"], "parameters are read from .npz and .safetensors"),
    ],
)
def test_a_build_that_cannot_be_run_is_refused(
    model: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run(["opt", *arguments, str(model)]) != 0
    assert message in capsys.readouterr().err


def test_only_a_process_that_ends_with_a_file_leaves_its_garbage_alone(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setattr(gc, "disable", lambda: called.append("disable"))
    monkeypatch.setattr(gc, "freeze", lambda: called.append("freeze"))
    command = ["opt", "-p", "FoldConstant", "--no-history", str(model)]
    assert run(command) == 0
    assert "freeze" not in called
    called.clear()
    assert run(command, ends_process=True) == 0
    assert (called[0], called[-1]) == ("disable", "freeze")


def test_a_result_that_is_too_long_to_be_written_is_no_fault_of_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "".join(f"  %{number} = (%{number - 1}, %{number - 1});\n" for number in range(1, 40))
    path = tmp_path / "doubled.relay"
    path.write_text(f'#[version = "0.0.5"]\ndef @main(%x: float32) {{\n  %0 = (%x, %x);\n{lines}  %39\n}}\n')
    assert run(["opt", "--pass", "AnnotateUsedMemory", "--no-history", str(path)]) == 2
    message = "relay-lsp: a type has more than 1,000,000 characters when it is written out\n"
    assert capsys.readouterr().err == message
