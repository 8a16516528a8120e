"""Importers as they are fuzzed: with models that are damaged, byte by byte or inside of what they are packed in."""

from __future__ import annotations

import io
import random
import re
import tempfile
import zipfile
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from relay_lsp.frontends.diagnostics import MissingExtraError, ModelImportError
from relay_lsp.frontends.models import read_model

__all__ = ["onnx", "pytorch", "tflite"]

_CORPUS = Path(__file__).parent / "corpus"
_TOKEN = re.compile(rb'"[^"]*"|-?\d+|[\[\]{},:]|\w+|\s+|.', re.DOTALL)
_WORDS = (b"0", b"-1", b"7", b"9" * 20, b"null", b"true", b'""', b'"x"', b"[]", b"{}", b"[", b"}", b",", b"1e400")


def onnx(given: str) -> None:
    """A damaged ONNX model is imported, or refused with a reason."""
    generator = _generator(given)
    _read(_damaged(_onnx_model(), given, generator), "model.onnx")


def tflite(given: str) -> None:
    """A damaged TFLite model is imported, or refused with a reason; it is one of those that are recorded."""
    generator = _generator(given)
    _read(_damaged(generator.choice(_tflite_models()), given, generator), "model.tflite")


def pytorch(given: str) -> None:
    """A damaged archive of PyTorch is imported, or refused with a reason; a program is damaged word by word."""
    generator = _generator(given)
    name, archive = generator.choice(_pytorch_archives())
    if generator.random() < 0.1:
        _read(_damaged(archive, given, generator), name)
        return
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(made, "w") as target:
        infos = source.infolist()
        # What says what a program does, more often than the numbers in it.
        telling = [info for info in infos if info.filename.endswith((".json", ".py", ".pkl"))] or infos
        damaged = generator.choice(telling if generator.random() < 0.9 else infos).filename
        for info in infos:
            content = source.read(info)
            if info.filename == damaged:
                is_text = info.filename.endswith((".json", ".py"))
                content = _with_other_words(content, generator) if is_text else _damaged(content, given, generator)
            target.writestr(info, content)
    _read(made.getvalue(), name)


class _Choices(random.Random):
    """Chooses as the characters of an input say, one after another: similar inputs damage a model in similar ways.

    So coverage can guide what is tried. Behind the end of the input, a hash of it decides.
    """

    def __init__(self, given: str) -> None:
        super().__init__(zlib.crc32(given.encode("utf-8", "surrogatepass")))
        self._left = bytes([ord(character) & 0xFF for character in reversed(given)])

    def getrandbits(self, k: int, /) -> int:
        count = (k + 7) // 8
        if len(self._left) < count:
            return super().getrandbits(k)
        self._left, taken = self._left[:-count], self._left[-count:]
        return int.from_bytes(taken, "little") >> (count * 8 - k)

    def random(self) -> float:
        return self.getrandbits(16) / (1 << 16)


def _generator(given: str) -> random.Random:
    """What chooses the damage; texts all begin alike, so a hash of them is as good as any."""
    if given.startswith("#["):
        return random.Random(zlib.crc32(given.encode("utf-8", "surrogatepass")))
    return _Choices(given)


def _read(model: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(model)
        try:
            read_model(path)
        except (ModelImportError, MissingExtraError):
            return


def _damaged(model: bytes, given: str, generator: random.Random) -> bytes:
    """A model with some of its bytes replaced, as a text has it."""
    content = bytearray(model)
    for _ in range(generator.randint(1, 8)):
        start = generator.randrange(len(content) + 1)
        new = given.encode("utf-8", "surrogatepass")[:4] if generator.random() < 0.3 else generator.randbytes(1)
        content[start : start + generator.randint(0, 3)] = new
    return bytes(content)


def _with_other_words(text: bytes, generator: random.Random) -> bytes:
    """A text with some of its words dropped, doubled, or replaced by others, of its own or not."""
    words: list[bytes] = _TOKEN.findall(text)
    for _ in range(generator.randint(1, 4)):
        place = generator.randrange(len(words)) if words else 0
        new = generator.choice(words) if words and generator.random() < 0.6 else generator.choice(_WORDS)
        words[place : place + generator.choice((0, 1, 1, 1, 1, 3))] = [new] if generator.random() < 0.9 else []
    return b"".join(words)


@cache
def _tflite_models() -> Sequence[bytes]:
    from tests.frontends.tflite.recorded import recordings

    return tuple(recording.model for recording in recordings())


@cache
def _pytorch_archives() -> Sequence[tuple[str, bytes]]:
    return tuple((path.name, path.read_bytes()) for path in sorted(_CORPUS.glob("*.pt*")))


@cache
def _onnx_model() -> bytes:
    """A convolution, a normalization, a reshape and a product, with weights."""
    from onnx import TensorProto, helper, numpy_helper

    weights = {"w": np.ones((4, 3, 3, 3), np.float32), "s": np.array([1, -1]), "m": np.ones((144, 5), np.float32)}
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w"], ["c"], kernel_shape=[3, 3]),
            helper.make_node("Relu", ["c"], ["r"]),
            helper.make_node("Reshape", ["r", "s"], ["f"]),
            helper.make_node("MatMul", ["f", "m"], ["y"]),
        ],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 3, 8, 8))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 5))],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
