"""Files that are wrong or hostile: each is refused with a reason, or converted as far as it can be."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import time
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from relay_lsp.frontends import ModelImportError, from_pytorch
from relay_lsp.frontends.diagnostics import ModelImportWarning
from relay_lsp.frontends.pytorch import read_pytorch

from .programs import errors, exported, infos, main_text, scripted, torch

nn = torch.nn
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
X = torch.ones(2, 4)


@pytest.fixture(scope="module")
def program() -> bytes:
    return exported(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), X)


@pytest.fixture(scope="module")
def archive() -> bytes:
    return scripted(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), X)


def changed(data: bytes, change: Mapping[str, Callable[[bytes], bytes]]) -> bytes:
    """An archive with some of its files changed, by the end of their paths."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            for end, edit in change.items():
                content = edit(content) if name.endswith(end) else content
            target.writestr(name, content)
    return made.getvalue()


def edited_model(data: bytes, edit: Callable[[Any], None]) -> bytes:
    """A program whose graph was edited."""

    def change(content: bytes) -> bytes:
        model = json.loads(content)
        edit(model)
        return json.dumps(model).encode()

    return changed(data, {"models/model.json": change})


class Evil:
    def __reduce__(self) -> Any:
        return (pytest.fail, ("the pickle was loaded",))


def test_what_is_no_program(program: bytes, archive: bytes) -> None:
    for data in (b"", b"<html>", b"PK\x03\x04", program[: len(program) // 2], archive[: len(archive) // 2]):
        with pytest.raises(ModelImportError, match="unreadable-model"):
            from_pytorch(data)
    with pytest.raises(ModelImportError, match="cannot be read"):
        from_pytorch("nowhere.pt2")
    with pytest.raises(ValueError, match="a program of PyTorch is expected"):
        from_pytorch(3)


def test_pickles_are_refused(program: bytes) -> None:
    with pytest.raises(ModelImportError, match="can run any code"):
        from_pytorch(pickle.dumps(Evil()))
    buffer = io.BytesIO()
    torch.save({"state": X}, buffer)
    with pytest.raises(ModelImportError, match=r"pickled Python objects.*torch\.export\.save"):
        from_pytorch(buffer.getvalue())

    def with_pickle(content: bytes) -> bytes:
        config = json.loads(content)
        for entry in config["config"].values():
            entry["use_pickle"] = True
        return json.dumps(config).encode()

    hostile = changed(program, {"model_weights_config.json": with_pickle, "weight_0": lambda _: pickle.dumps(Evil())})
    with pytest.raises(ModelImportError, match="is pickled"):
        from_pytorch(hostile)


def test_an_archive_whose_notes_on_places_are_damaged_is_imported_without_places(archive: bytes) -> None:
    damaged = changed(archive, {".debug_pkl": lambda _: b"\x05no places"})
    assert main_text(read_pytorch(damaged, infos([X]))) == main_text(read_pytorch(archive, infos([X])))


def test_an_archive_whose_notes_on_places_are_no_utf8_is_imported_without_places(archive: bytes) -> None:
    damaged = changed(archive, {".debug_pkl": lambda content: content.replace(b".py(", b"\xff\xfe\xff(")})
    assert damaged != changed(archive, {})
    assert main_text(read_pytorch(damaged, infos([X]))) == main_text(read_pytorch(archive, infos([X])))


class Repeated(nn.Module):
    def forward(self, x):
        for _ in range(100):
            x = x.relu()
        return x


def test_notes_on_places_that_are_damaged_are_read_once() -> None:
    # A pickle that names a place for sixteen million values before PyTorch meets the damage: it takes 0.1 s and 256 MB.
    places = b"\x80\x02]r" + (1 << 24).to_bytes(4, "little") + b"0"
    damaged = changed(scripted(Repeated(), X), {".debug_pkl": lambda _: places})
    began = time.process_time()
    assert errors(read_pytorch(damaged, infos([X]))) == []
    assert time.process_time() - began < 3.0


def test_a_module_that_does_nothing() -> None:
    renamed = changed(
        scripted(Repeated(), X), {".py": lambda content: content.replace(b"def forward(", b"def backward(")}
    )
    with pytest.raises(ModelImportError, match="the module has no method forward"):
        read_pytorch(renamed, infos([X]))


@pytest.mark.parametrize("name", [0, 0.5, None, ["relu"]])
def test_a_value_whose_name_is_no_text(program: bytes, name: object) -> None:
    def edit(model: Any) -> None:
        model["graph_module"]["graph"]["outputs"][0]["as_tensor"]["name"] = name

    with pytest.raises(ModelImportError, match=f"the name of a value is a {type(name).__name__}"):
        read_pytorch(edited_model(program, edit))


def test_a_result_that_is_no_tensor(program: bytes) -> None:
    def edit(model: Any) -> None:
        model["graph_module"]["graph"]["outputs"][0] = {"as_string": "words"}

    with pytest.raises(ModelImportError, match="the program's result: a tensor or a number is expected, not a str"):
        read_pytorch(edited_model(program, edit))


def test_the_samples_in_a_program_are_not_read(program: bytes) -> None:
    hostile = changed(program, {"sample_inputs/model.pt": lambda _: pickle.dumps(Evil())})
    assert errors(read_pytorch(hostile)) == []


def test_texts_in_a_program_are_not_evaluated(program: bytes) -> None:
    def edit(model: Any) -> None:
        graph = model["graph_module"]["graph"]
        graph["sym_int_values"]["s0"] = {"as_expr": {"expr_str": "__import__('os').abort()", "hint": None}}
        graph["tensor_values"]["input"]["sizes"][0] = {
            "as_expr": {"expr_str": "__import__('os').abort()", "hint": None}
        }
        model["guards_code"] = ["__import__('os').abort()"]

    assert "Tensor[(?, 4), float32]" in main_text(read_pytorch(edited_model(program, edit)))


@pytest.mark.parametrize(
    "target", ["torch.os.system", "torch.ops.aten.nothing.default", "_operator.attrgetter", "torch.ops.odd.odd.odd"]
)
def test_operators_that_there_are_not(program: bytes, target: str) -> None:
    def edit(model: Any) -> None:
        model["graph_module"]["graph"]["nodes"][-1]["target"] = target

    made = read_pytorch(edited_model(program, edit))
    (message,) = errors(made)
    assert "[unknown-model-operator]" in message
    with pytest.raises(ModelImportError, match="unknown-model-operator"):
        read_pytorch(edited_model(program, edit), strict=True)
    with pytest.warns(ModelImportWarning, match="kept by its name"):
        from_pytorch(edited_model(program, edit))


def test_operators_that_touch_files(program: bytes, archive: bytes) -> None:
    def edit(model: Any) -> None:
        model["graph_module"]["graph"]["nodes"][-1]["target"] = "torch.ops.aten.from_file.default"

    with pytest.raises(ModelImportError, match="unsafe-model"):
        read_pytorch(edited_model(program, edit))
    hostile = changed(archive, {"linear.py": lambda content: content.replace(b"torch.linear(", b"torch.save(")})
    with pytest.raises(ModelImportError, match="calls save, which touches files"):
        read_pytorch(hostile, infos([X]))


class Viewed(nn.Module):
    def forward(self, x):
        first = x[0]
        part = first[1:]
        part.add_(1.0)
        return first + part[0]


def test_values_that_are_made_of_each_other() -> None:
    """What an operation takes must have been given before it: a cycle of values is shown where it begins."""

    def named(model: Any, name: str) -> Any:
        nodes = model["graph_module"]["graph"]["nodes"]
        return next(node for node in nodes if node["outputs"][0]["as_tensor"]["name"] == name)

    def in_itself(model: Any) -> None:
        named(model, "relu")["inputs"][0]["arg"]["as_tensor"]["name"] = "relu"

    made = read_pytorch(edited_model(exported(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), X), in_itself))
    (message,) = errors(made)
    assert message == "node 1 (aten::relu): nothing defines relu before it is used [undefined-model-value]"

    def in_views(model: Any) -> None:
        named(model, "select")["inputs"][0]["arg"]["as_tensor"]["name"] = "slice_1"

    made = read_pytorch(edited_model(exported(Viewed(), X), in_views))
    assert any("nothing defines slice_1" in message for message in errors(made))
    with pytest.raises(ModelImportError, match="nothing defines slice_1"):
        read_pytorch(edited_model(exported(Viewed(), X), in_views), strict=True)


def test_wrong_lengths(program: bytes) -> None:
    with pytest.raises(ModelImportError, match=r"declares \[3, 4\] elements and has 5"):
        from_pytorch(changed(program, {"weights/weight_0": lambda content: content[:20]}))

    def enlarged(content: bytes) -> bytes:
        config = json.loads(content)
        config["config"]["0.weight"]["tensor_meta"]["sizes"] = [{"as_int": 2**40}, {"as_int": 2**20}]
        return json.dumps(config).encode()

    with pytest.raises(ModelImportError, match="elements and has 12"):
        from_pytorch(changed(program, {"model_weights_config.json": enlarged}))


def test_another_version_of_the_format(program: bytes) -> None:
    with pytest.raises(ModelImportError, match="the version 99, and 8 is read here"):
        from_pytorch(edited_model(program, lambda model: model["schema_version"].update(major=99)))


def test_inputs_that_do_not_fit(archive: bytes, program: bytes) -> None:
    with pytest.raises(ModelImportError, match=r"does not say the shape of its input .*--shape"):
        from_pytorch(archive)
    with pytest.raises(ValueError, match="the program has 1 inputs, and input_infos are 2"):
        from_pytorch(archive, [("a", (1,)), ("b", (1,))])
    with pytest.raises(ValueError, match="declares the shape"):
        from_pytorch(program, [("a", (7, 7))])
    with pytest.raises(ValueError, match="a shape is given for y"):
        read_pytorch(program, shape={"y": (1,)})
    with pytest.raises(ValueError, match='source_names is "module" or "tvm"'):
        from_pytorch(program, source_names="mine")
    made = read_pytorch(archive, [("a", (2, 5))])
    assert "type-mismatch" in errors(made)[0]


@pytest.mark.parametrize("seed", range(30))
def test_broken_bytes_never_break_the_importer(program: bytes, archive: bytes, seed: int) -> None:
    generator = np.random.default_rng(seed)
    for data in (program, archive):
        broken = bytearray(data)
        for place in generator.integers(0, len(broken), 8):
            broken[place] = generator.integers(0, 256)
        with contextlib.suppress(ModelImportError, ValueError):
            read_pytorch(bytes(broken), infos([X]))
