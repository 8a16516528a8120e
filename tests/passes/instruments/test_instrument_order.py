"""The order in which a pass context calls its instruments, and what happens when one of them raises, as TVM has it."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp.ir.expressions import Function, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import TensorType
from relay_lsp.passes import PassContext, PassInfo, PassInstrument, Sequential, create, pass_instrument
from relay_lsp.passes.instruments import PassTimingInstrument
from tests.conformance import records
from tests.passes.instruments.test_operator_counts_on_resnet import resnet_18


class Speaking:
    """Says every call; raises in the one that it is told to, or answers no to ``should_run``."""

    def __init__(self, name: str, said: list[str], bad: str = "", runs: bool = True) -> None:
        self._name, self._said, self._bad, self._runs = name, said, bad, runs

    def _say(self, call: str, info: PassInfo | None = None) -> None:
        if call == self._bad:
            self._said.append(f"{self._name} raises in {call}")
            raise ValueError(f"{self._name} {call}")
        answer = " False" if call == "should_run" and not self._runs else ""
        self._said.append(f"{self._name} {call}{answer}" + (f" {info.name}" if info else ""))

    def enter_pass_ctx(self) -> None:
        self._say("enter_pass_ctx")

    def exit_pass_ctx(self) -> None:
        self._say("exit_pass_ctx")

    def should_run(self, mod: IRModule, info: PassInfo) -> bool:
        self._say("should_run", info)
        return self._runs

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        self._say("run_before_pass", info)

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        self._say("run_after_pass", info)


SpeakingInstrument = pass_instrument(Speaking)


def speaking(name: str, said: list[str], bad: str = "", runs: bool = True) -> PassInstrument:
    made: object = SpeakingInstrument(name, said, bad, runs)
    assert isinstance(made, PassInstrument)
    return made


def instruments(said: list[str], bad: str = "", runs: bool = True) -> list[PassInstrument]:
    return [
        speaking("Fine_0", said),
        speaking("Bad" if bad else "Skip", said, bad, runs),
        speaking("Fine_1", said),
    ]


def module() -> IRModule:
    x = Var("x", TensorType((3,), "float32"))
    return IRModule.from_expr(Function((x,), x))


def each(call: str, *names: str) -> list[str]:
    about = "" if call.endswith("_ctx") else " InferType"
    return [f"{name} {call}{about}" for name in names or ("Fine_0", "Bad", "Fine_1")]


RAISED_IN: dict[str, tuple[list[str], list[str]]] = {
    # The call that raises: what is said until the context is left, and what ``override_instruments([])`` says then.
    "enter_pass_ctx": (
        [*each("enter_pass_ctx", "Fine_0"), "Bad raises in enter_pass_ctx", *each("exit_pass_ctx", "Fine_0")],
        [],
    ),
    "exit_pass_ctx": (
        [
            *each("enter_pass_ctx"),
            *each("should_run"),
            *each("run_before_pass"),
            *each("run_after_pass"),
            *each("exit_pass_ctx", "Fine_0"),
            "Bad raises in exit_pass_ctx",
        ],
        [],
    ),
    "should_run": (
        [
            *each("enter_pass_ctx"),
            *each("should_run", "Fine_0"),
            "Bad raises in should_run",
            *each("exit_pass_ctx"),
        ],
        each("exit_pass_ctx"),
    ),
    "run_before_pass": (
        [
            *each("enter_pass_ctx"),
            *each("should_run"),
            *each("run_before_pass", "Fine_0"),
            "Bad raises in run_before_pass",
            *each("exit_pass_ctx"),
        ],
        each("exit_pass_ctx"),
    ),
    "run_after_pass": (
        [
            *each("enter_pass_ctx"),
            *each("should_run"),
            *each("run_before_pass"),
            *each("run_after_pass", "Fine_0"),
            "Bad raises in run_after_pass",
            *each("exit_pass_ctx"),
        ],
        each("exit_pass_ctx"),
    ),
}


@pytest.mark.parametrize("call", RAISED_IN)
def test_an_instrument_raises(call: str) -> None:
    said: list[str] = []
    context = PassContext(instruments=instruments(said, bad=call))
    with pytest.raises(ValueError, match=f"Bad {call}"), context:
        create("InferType")(module())
    inside, afterwards = RAISED_IN[call]
    assert said == inside
    said.clear()
    try:
        context.override_instruments([])
    finally:
        assert said == afterwards
    assert PassContext.current() is not context


def test_without_with_nobody_leaves_the_context_until_the_instruments_are_overridden() -> None:
    said: list[str] = []
    context = PassContext.current()
    context.override_instruments(instruments(said, bad="run_before_pass"))
    with pytest.raises(ValueError, match="Bad run_before_pass"):
        create("InferType")(module())
    assert said == [
        *each("enter_pass_ctx"),
        *each("should_run"),
        *each("run_before_pass", "Fine_0"),
        "Bad raises in run_before_pass",
    ]
    said.clear()
    context.override_instruments([])
    assert said == each("exit_pass_ctx")


def recorded() -> dict[str, list[str]]:
    """What TVM printed, by the headings of the record."""
    lines_by_heading: dict[str, list[str]] = {}
    for line in (records.SAMPLE / "instruments.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            lines_by_heading[line.removeprefix("## ").partition(" (")[0]] = []
        elif lines_by_heading and line:
            list(lines_by_heading.values())[-1].append(line)
    return lines_by_heading


@pytest.mark.parametrize("call", RAISED_IN)
def test_what_is_said_is_what_tvm_printed(call: str) -> None:
    said: list[str] = []
    context = PassContext(instruments=instruments(said, bad=call))
    try:
        with context:
            create("InferType")(module())
    except ValueError as error:
        said.append(f"caught: ValueError: {error}")
    said.append("-- then ctx.override_instruments([])")
    context.override_instruments([])
    assert said == recorded()[f"exception in {call}"]


def test_what_is_said_without_with_and_by_one_no_is_what_tvm_printed() -> None:
    said: list[str] = []
    context = PassContext.current()
    context.override_instruments(instruments(said, bad="run_before_pass"))
    try:
        create("InferType")(module())
    except ValueError as error:
        said.append(f"caught: ValueError: {error}")
    said.append("-- override_instruments([])")
    context.override_instruments([])
    assert said == recorded()["exception in run_before_pass without `with`"]
    said.clear()
    with PassContext(instruments=instruments(said, runs=False)):
        create("InferType")(module())
    assert said == recorded()["one instrument says should_run False"]


def test_one_no_suffices_but_everyone_is_asked() -> None:
    said: list[str] = []
    before = module()
    with PassContext(instruments=instruments(said, runs=False)):
        after = create("InferType")(before)
    assert after is before
    assert said == [
        *each("enter_pass_ctx", "Fine_0", "Skip", "Fine_1"),
        "Fine_0 should_run InferType",
        "Skip should_run False InferType",
        "Fine_1 should_run InferType",
        *each("exit_pass_ctx", "Fine_0", "Skip", "Fine_1"),
    ]


def test_a_required_pass_runs_without_asking() -> None:
    said: list[str] = []
    with PassContext(required_pass=["InferType"], instruments=instruments(said, runs=False)):
        create("InferType")(module())
    assert not [line for line in said if "should_run" in line]
    assert "Fine_1 run_after_pass InferType" in said


def test_a_decorated_class_needs_only_the_calls_that_it_wants() -> None:
    @pass_instrument
    class Counting:
        def __init__(self) -> None:
            self.count = 0

        def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
            self.count += 1

    counting = Counting()
    assert isinstance(counting, PassInstrument)
    assert counting.name == "Counting"
    with PassContext(instruments=[counting]):
        create("InferType")(module())
    assert counting.count == 1


def test_only_a_class_can_be_an_instrument() -> None:
    with pytest.raises(TypeError, match="must be a class"):
        pass_instrument(lambda: None)  # type: ignore[type-var]


class Running:
    """Notes each pass that runs, as the record does: its name, level and requirements."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        self.lines.append(f"run {info.name} {info.opt_level} {list(info.required)}")


RunningInstrument = pass_instrument(Running)


@pytest.mark.parametrize(
    "context",
    [
        {"opt_level": 2},
        {"opt_level": 3},
        {"opt_level": 3, "disabled_pass": ["EliminateCommonSubexpr"]},
        {"opt_level": 2, "required_pass": ["EliminateCommonSubexpr"]},
    ],
    ids=["level 2", "level 3", "disabled", "required"],
)
def test_what_a_sequence_runs_is_what_tvm_ran(context: dict[str, Any]) -> None:
    name = next(name for name in recorded() if name.startswith("Sequential of FoldConstant"))
    runs = "\n".join(recorded()[name]).split("-- ")
    expected = next(run.splitlines()[1:] for run in runs if run.splitlines()[:1] == [str(context)])
    running: Any = RunningInstrument()
    passes = [create(each) for each in ("FoldConstant", "EliminateCommonSubexpr", "FuseOps")]
    with PassContext(**context, instruments=[running]):
        Sequential(passes)(module())
    assert running.lines == expected


PIPELINES = (
    ("FoldConstant", "ConvertLayout", "FoldConstant"),
    ("SimplifyInference", "FoldConstant", "FoldScaleAxis", "FoldConstant", "FuseOps"),
)


@pytest.mark.parametrize("number", [0, 1])
def test_the_nesting_of_passes_is_that_of_tvm(number: int) -> None:
    text = (records.SAMPLE / "instruments.txt").read_text(encoding="utf-8")
    section = text.split("## passes run, nested (times vary)\n")[number + 1].split("\n\n")[0]
    expected = [line.partition(":")[0] for line in section.splitlines()]
    options = {"ConvertLayout": {"desired_layouts": {"nn.conv2d": ["NHWC", "HWIO"]}}}
    timing = PassTimingInstrument()
    with PassContext(opt_level=3, instruments=[timing]):
        Sequential([create(name, **options.get(name, {})) for name in PIPELINES[number]])(resnet_18())
        nested = [line.partition(":")[0] for line in timing.render().splitlines()]
    assert nested == expected
