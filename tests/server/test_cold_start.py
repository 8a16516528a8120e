"""What is loaded before it is needed makes each start slower."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_MODEL = Path(__file__).parents[2] / "examples" / "resnet18.relay"


def modules_after(code: str) -> set[str]:
    run = subprocess.run(
        (sys.executable, "-c", f"{code}; import sys; print('loaded:', *sys.modules)"),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.rpartition("loaded:")[2].split())


def test_checking_a_model_without_tensors_loads_neither_numpy_nor_the_protocol_nor_passes():
    loaded = modules_after(f"from relay_lsp.server.command_line.program import run; run(['check', {str(_MODEL)!r}])")
    assert "relay_lsp.ir.ops.nn" in loaded
    assert loaded.isdisjoint({"numpy", "ml_dtypes", "lsprotocol", "pygls", "asyncio", "mmap", "relay_lsp.passes"})


def test_numbers_that_are_typed_do_not_load_numpy():
    loaded = modules_after(
        """
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
snapshot = Snapshot.open("def @main(%x: float32) {\\n  %0 = nn.relu(%x);\\n  %0\\n}\\n", "example.relay")
at = snapshot.text.index("  %0 =")
typed = "  %1 = add(multiply(%x, 2.5f), where(True, 1f, 2f));\\n  let %y = 3;\\n"
for number, key in enumerate(typed):
    snapshot = snapshot.edit(TextSpan(at + number, at + number), key)
    assert snapshot.diagnostics is not None
assert not [each for each in snapshot.diagnostics if each.severity.name == "ERROR" and each.span.start]"""
    )
    assert "relay_lsp.ir.semantic.snapshot" in loaded
    assert "numpy" not in loaded


def test_a_server_starts_without_numpy_passes_and_models_of_others():
    loaded = modules_after("from relay_lsp.server.serving.application import create_server; create_server()")
    assert "pygls" in loaded
    assert loaded.isdisjoint({"numpy", "ml_dtypes", "relay_lsp.passes", "relay_lsp.frontends.onnx", "urllib.request"})


@pytest.mark.parametrize("expression", [
    "types.Position(1, 2) == types.Position(1, 2)",
    "types.Position(1, 2) != types.Position(1, 3)",
    "repr(types.Position(1, 2)) == '1:2'",
    "repr(types.WorkDoneProgressEnd()) == \"WorkDoneProgressEnd(kind='end', message=None)\"",
    "types.Position(1, 2) < types.Position(1, 3)",
])  # fmt: skip
def test_the_types_of_the_protocol_are_those_of_lsprotocol(expression: str):
    loading = "from relay_lsp.server.lsp.loading import load_protocol; load_protocol()"
    code = f"{loading}; from lsprotocol import types; assert {expression}"
    assert "lsprotocol.types" in modules_after(code)
    subprocess.run((sys.executable, "-c", f"from lsprotocol import types; assert {expression}"), check=True)


def test_the_types_of_the_protocol_get_their_methods_when_they_are_used():
    """One that is resolved with all the others would cost as much as all imports of ours."""
    code = """
from relay_lsp.server.lsp.loading import load_protocol
load_protocol()
from relay_lsp.server.serving.application import create_server
create_server()
from lsprotocol import types
classes = [each for each in vars(types).values() if isinstance(each, type) and "__attrs_attrs__" in vars(each)]
made = [each.__name__ for each in classes if isinstance(vars(each)["__attrs_attrs__"], tuple)]
assert len(classes) > 500 and len(made) < 20, made
types.Position(1, 2)
assert isinstance(vars(types.Position)["__attrs_attrs__"], tuple)
"""
    subprocess.run((sys.executable, "-c", code), check=True)


def test_a_server_starts_without_what_runs_passes():
    loaded = modules_after("from relay_lsp.server.serving.application import create_server; create_server()")
    jobs = {"jobs", "tracing", "verification", "reduction", "confinement"}
    assert loaded.isdisjoint({f"relay_lsp.server.worker.{name}" for name in jobs})


def test_a_server_starts_without_the_features_that_no_message_has_asked_for():
    loaded = modules_after("from relay_lsp.server.serving.application import create_server; create_server()")
    features = {"completion", "hover", "inlay_hints", "outline", "references", "signature_help", "code_actions"}
    assert loaded.isdisjoint({f"relay_lsp.server.features.{name}" for name in features})


def test_a_start_compiles_the_methods_of_few_data_classes():
    """The methods of a data class take a millisecond of each start; a structure of msgspec has none to compile."""
    code = f"""
import dataclasses
from pathlib import Path
made = []
process = dataclasses._process_class
def count(cls, *options):
    made.append(f"{{cls.__module__}}.{{cls.__qualname__}}")
    return process(cls, *options)
dataclasses._process_class = count
from relay_lsp.server.serving.application import create_server
create_server()
from relay_lsp.ir.semantic.snapshot import Snapshot
snapshot = Snapshot.open(Path({str(_MODEL)!r}).read_text(), "model.relay")
assert not snapshot.diagnostics
ours = [name for name in made if name.startswith("relay_lsp.")]
in_ir = {{name for name in ours if not name.startswith("relay_lsp.server.")}}
assert in_ir <= {{"relay_lsp.ir.attributes.AttributeField"}}, in_ir
assert len(ours) < 15, ours
"""
    subprocess.run((sys.executable, "-c", code), check=True)
