"""Archives whose programs would write a file while PyTorch loads them, and hide it: each is refused before that."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from relay_lsp.frontends import ModelImportError
from relay_lsp.frontends.pytorch import read_pytorch

from .programs import errors, infos, scripted, torch

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
X = torch.ones(2, 4)
SOURCE = f"archive/code/__torch__/{__name__.replace('.', '/')}.py"


class WithState(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.ones(4)
        self.training = False

    @torch.jit.export
    def __getstate__(self):
        return (self.scale, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[torch.Tensor, bool]) -> None:  # pyright: ignore[reportInvalidTypeForm]
        self.scale = state[0]
        self.training = state[1]

    def forward(self, x):
        return x * self.scale


@pytest.fixture(scope="module")
def files() -> dict[str, str | bytes]:
    """What is in the archive of a program that runs code while it is loaded, by path."""
    with zipfile.ZipFile(io.BytesIO(scripted(WithState(), X))) as source:
        read = {name: source.read(name) for name in source.namelist()}
    top = next(iter(read)).partition("/")[0]
    return {f"archive{name.removeprefix(top)}": content for name, content in read.items()}


Entries = Sequence[tuple[str, "str | bytes"]]


def packed(entries: Entries) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        for name, content in entries:
            target.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()


def with_line(files: Mapping[str, str | bytes], line: str) -> str:
    """The program, with a line in what runs while it is loaded."""
    source = files[SOURCE]
    assert isinstance(source, bytes)
    head, found, tail = source.decode().partition("    self.scale = ")
    assert found
    return f"{head}    {line}\n{found}{tail}"


def refused(archive: bytes, folder: Path, words: str) -> None:
    """It is refused, from its bytes and as a file, and has written nothing."""
    path = folder / "model.pt"
    path.write_bytes(archive)
    for model in (archive, path):
        with pytest.raises(ModelImportError, match=words):
            read_pytorch(model, infos([X]))
    assert [entry.name for entry in folder.iterdir()] == ["model.pt"]


def test_an_honest_program_of_that_kind_is_imported(files: Mapping[str, str | bytes]) -> None:
    assert errors(read_pytorch(packed(list(files.items())), infos([X]))) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('torch.save((state)[0], "{}")', r"line \d+, calls save, which touches files"),
        ('ops.aten.save((state)[0], "{}")', "calls save"),
        ('save = torch.save\n    save((state)[0], "{}")', "calls save"),
        ('other = torch\n    other.save((state)[0], "{}")', r"line \d+, gives torch another name"),
        ('other = ops.aten\n    other.save((state)[0], "{}")', "gives ops.aten another name"),
        ('other = ops\n    other.aten.save((state)[0], "{}")', "gives ops another name"),
        ('getattr(torch, "save")((state)[0], "{}")', "gives torch another name"),
        ('getattr(ops.aten, "save")((state)[0], "{}")', "gives ops.aten another name"),
        ('# a comment\r    torch.save((state)[0], "{}")', "calls save"),
        ('# \0\n    torch.save((state)[0], "{}")', "no TorchScript"),
    ],
)
def test_a_call_by_another_name(files: Mapping[str, str | bytes], line: str, words: str, tmp_path: Path) -> None:
    source = with_line(files, line.format(tmp_path / "written"))
    refused(packed([(name, source if name == SOURCE else content) for name, content in files.items()]), tmp_path, words)


PLACES: Mapping[str, Callable[[Mapping[str, str | bytes], str], Entries]] = {
    "with its name in capitals": lambda files, evil: renamed(files, SOURCE.replace(".py", ".PY"), evil),
    "in a folder in capitals": lambda files, evil: renamed(files, SOURCE.replace("/code/", "/CODE/"), evil),
    "the first of two": lambda files, evil: [(SOURCE, evil), *files.items()],
    "the second of two": lambda files, evil: [*files.items(), (SOURCE, evil)],
    "in the first of two archives": lambda files, evil: [
        *renamed(files, SOURCE, evil)[:-1],
        *((name.replace("archive", "other", 1), content) for name, content in files.items()),
    ],
}


def renamed(files: Mapping[str, str | bytes], name: str, source: str) -> Entries:
    """With ``source`` in the program's place under the name ``name``, and something harmless beside it."""
    made = [(name, source) if path == SOURCE else (path, content) for path, content in files.items()]
    return [*made, ("archive/code/harmless.py", "")]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("place", PLACES)
def test_a_program_in_a_place_that_other_readers_pass_over(
    files: Mapping[str, str | bytes], place: str, tmp_path: Path
) -> None:
    evil = with_line(files, f'torch.save((state)[0], "{tmp_path / "written"}")')
    refused(packed(PLACES[place](files, evil)), tmp_path, "calls save|have one name|not in a subdirectory")


def test_an_archive_with_two_tables_of_files(files: Mapping[str, str | bytes], tmp_path: Path) -> None:
    """The table that the archive's end says, which PyTorch reads, and one in front of the end, which Python reads."""
    evil = with_line(files, f'torch.save((state)[0], "{tmp_path / "written"}")')
    first = packed([(name, evil if name == SOURCE else content) for name, content in files.items()])
    second = packed(list(files.items()))
    count, size, place, _ = struct.unpack("<HIIH", first[-12:])
    moved = bytearray(second[:-22])
    shown = struct.unpack("<I", second[-6:-2])[0]
    begin = len(first) - 22
    # Python adds to each offset what lies between the table's place and where it is said to be.
    between = begin + len(second) - 22 - size - place
    at = shown
    while at < len(moved):
        lengths = struct.unpack("<HHH", moved[at + 28 : at + 34])
        offset = struct.unpack("<I", moved[at + 42 : at + 46])[0]
        struct.pack_into("<I", moved, at + 42, begin + offset - between)
        at += 46 + sum(lengths)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, size, place, 0)
    archive = first[:-22] + bytes(moved) + end
    with zipfile.ZipFile(io.BytesIO(archive)) as seen:
        assert b"save" not in seen.read(SOURCE)
    refused(archive, tmp_path, "calls save")


def test_an_archive_that_keeps_its_sources_elsewhere(files: Mapping[str, str | bytes], tmp_path: Path) -> None:
    refused(packed([*files.items(), ("archive/model.json", "{}")]), tmp_path, "before 1.4")
