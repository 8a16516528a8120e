"""Users' own passes and operators."""

from __future__ import annotations

import textwrap

import pytest

from relay_lsp.ir.ops import operator
from relay_lsp.passes import create, find
from relay_lsp.passes.infrastructure.extensions import (
    extension_of_pass,
    fault_of,
    load_file,
    load_package,
    unload,
)
from tests.passes.modules import assert_same, read

DOUBLE = """
from relay_lsp.ir.ops import operator
from relay_lsp.passes import ExprMutator, FunctionPass, declare_pass, function_pass, option
from relay_lsp.ir.ops.application import apply

operator.register(operator.Op("user.nothing", doc="Nothing."))


@declare_pass(opt_level=1)
class SwapRelu(FunctionPass):
    \"\"\"Put another operator in the place of relu.\"\"\"

    name: str = option("exp", doc="The operator.")

    def transform_function(self, function, module, context):
        return _Swapper(self.name).visit_function(function)


class _Swapper(ExprMutator):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def rewrite_call(self, pre, post):
        return apply(self.name, *post.args) if post.op is operator.get("nn.relu") else post


@function_pass(opt_level=1)
def look_at(func, mod, ctx):
    return func
"""


def test_a_file_brings_passes_and_operators(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(DOUBLE)
    extension = load_file(file)
    assert extension.fault is None
    assert extension.passes == ("SwapRelu", "look_at")
    assert extension.operators == ("user.nothing",)
    before = read("def @main(%x: Tensor[(4), float32]) { nn.relu(%x) }")
    assert_same(create("SwapRelu")(before), read("def @main(%x: Tensor[(4), float32]) { exp(%x) }"))
    assert_same(create("SwapRelu", name="tanh")(before), read("def @main(%x: Tensor[(4), float32]) { tanh(%x) }"))
    assert_same(create("look_at")(before), before)
    unload(extension.origin)
    assert find("SwapRelu") is None
    assert operator.find("user.nothing") is None


def test_a_file_is_read_anew(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(DOUBLE)
    load_file(file)
    file.write_text(DOUBLE.replace("SwapRelu", "ReplaceRelu"))
    extension = load_file(file)
    assert extension.fault is None
    assert find("SwapRelu") is None
    assert find("ReplaceRelu") is not None
    unload(extension.origin)


def test_a_faulty_file_is_shown_at_its_line_and_leaves_nothing_behind(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text(DOUBLE + "\nboom = 1 / 0\n")
    extension = load_file(file)
    assert extension.fault is not None
    assert extension.fault.line == DOUBLE.count("\n") + 2
    assert extension.fault.message == "ZeroDivisionError: division by zero"
    assert find("SwapRelu") is None
    assert operator.find("user.nothing") is None


def test_a_syntax_error_is_shown_where_it_is(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("x = 1\ndef f(:\n")
    fault = load_file(file).fault
    assert fault is not None
    assert (fault.line, fault.message.split(":")[0]) == (2, "SyntaxError")


def test_a_pass_that_raises_while_it_runs_is_shown_at_its_line(tmp_path):
    file = tmp_path / "raising.py"
    text = textwrap.dedent(
        """
        from relay_lsp.passes import module_pass

        @module_pass(opt_level=0)
        def fails(mod, ctx):
            return mod["nowhere"]
        """
    )
    file.write_text(text)
    extension = load_file(file)
    with pytest.raises(KeyError) as raised:
        create("fails")(read("def @main(%x: int32) { %x }"))
    assert fault_of(raised.value, file).line == 6
    unload(extension.origin)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Makes an installed package of this name, whose entry points name its module."""

    def make(name, text):
        (tmp_path / f"{name}_passes.py").write_text(text)
        metadata = tmp_path / f"{name}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[relay_lsp.passes]\nmine = {name}_passes\n")
        monkeypatch.syspath_prepend(tmp_path)
        return tmp_path / f"{name}_passes.py"

    return make


def test_a_package_brings_what_its_entry_points_name(package):
    package("wellmade", DOUBLE)
    (extension,) = load_package("wellmade")
    assert extension.fault is None
    assert extension.origin == "relay_lsp.passes:mine"
    assert extension.passes == ("SwapRelu", "look_at")
    owner = extension_of_pass("SwapRelu")
    assert owner is not None
    assert owner.path.endswith("wellmade_passes.py")
    unload(extension.origin)
    assert [each.origin for each in load_package("wellmade")] == [extension.origin]
    unload(extension.origin)


def test_a_faulty_package_is_shown_at_its_line(package):
    file = package("broken", DOUBLE + "\nboom = 1 / 0\n")
    (extension,) = load_package("broken")
    assert extension.fault is not None
    assert extension.fault.path == str(file)
    assert extension.fault.line == DOUBLE.count("\n") + 2
    assert find("SwapRelu") is None


def test_a_package_that_is_not_there_is_said_so():
    (extension,) = load_package("no-such-package")
    assert extension.fault is not None
    assert extension.fault.message == "no package called no-such-package is installed"
