"""Models that are wrong: each gets a diagnostic with its place, and the rest of the model is there."""

from __future__ import annotations

import struct
import warnings
from typing import Any

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.frontends import ModelImportError, from_tflite
from relay_lsp.frontends.diagnostics import ModelImportWarning
from relay_lsp.frontends.imported import ImportedModel
from relay_lsp.frontends.model_text import model_text
from relay_lsp.frontends.tflite import read_tflite

from .cases import Case, all_cases, case, fixed, real
from .models import Operator, Tensor, constant, main_text, model


def chain(*operators: Operator) -> bytes:
    """Operators of tensors of six numbers: ``x`` goes in, ``y`` comes out, ``w`` is held."""
    names = dict.fromkeys(name for operator in operators for name in (*operator.inputs, *operator.outputs))
    tensors = [
        constant("w", np.ones((2, 3), np.float32)) if name == "w" else Tensor(name, (2, 3)) for name in ("x", *names)
    ]
    unique = list({tensor.name: tensor for tensor in tensors if tensor.name != "_"}.values())
    return model(unique, operators, ["x"], ["y"])


def codes(made: ImportedModel) -> list[str]:
    return [shown.code for shown in made.diagnostics]


def test_an_unknown_operator_is_kept_by_its_name_and_what_follows_is_converted() -> None:
    data = chain(
        Operator("CUMSUM", ["x"], ["a"], "CumsumOptions", {"Reverse": True}),
        Operator("my.op", ["a", "w"], ["b"]),
        Operator("ABS", ["b"], ["y"]),
    )
    made = read_tflite(data)
    assert [str(shown) for shown in made.diagnostics] == [
        "node a (CUMSUM): there is no operator CUMSUM here: the call is kept by its name [unknown-model-operator]",
        "node b (my.op): there is no operator my.op here: the call is kept by its name [unknown-model-operator]",
    ]
    text = ir.to_text(made.module, show_meta_data=False)
    assert "tflite.CUMSUM(%x, exclusive=False, reverse=True)" in text
    assert "tflite.my_op(%0, %v_param_1)" in text
    assert "abs(%1)" in text
    parsed = ir.parse(model_text(made)[0])
    assert {problem.code for problem in parsed.diagnostics} == {"undefined-operator"}
    with pytest.raises(ModelImportError, match="CUMSUM"):
        read_tflite(data, strict=True)
    with pytest.warns(ModelImportWarning, match="CUMSUM"):
        from_tflite(data)


def test_an_operator_of_one_s_own_is_not_the_schema_s_of_that_name() -> None:
    data = bytearray(chain(Operator("AB5", ["x"], ["y"])))
    place = data.index(b"AB5")
    data[place : place + 3] = b"ABS"
    assert codes(read_tflite(bytes(data))) == ["unknown-model-operator"]


@pytest.mark.parametrize(
    ("made", "code", "words"),
    [
        (case("ADD", [real(2, 3)], table="AddOptions"), "missing-model-input", "ADD takes 2 inputs, not 1"),
        (case("ADD", [real(2, 3), real(2, 4)], table="AddOptions"), "type-mismatch", ""),
        (case("CONV_2D", [real(1, 4, 4, 2), real(3, 3, 3, 2)]), "missing-model-attribute", "needs the option stride_h"),
        (case("CONV_2D", [real(4, 2), real(3, 3, 3, 2)], table="Conv2DOptions"), "", "must have four dimensions"),
        (
            case("CONV_2D", [real(1, 4, 4, 3), real(3, 3, 3, 2)], table="Conv2DOptions", StrideH=1, StrideW=1),
            "unsupported-model-node",
            "3 channels cannot be convolved by kernels of 2",
        ),
        (case("MAX_POOL_2D", [real(1, 4, 4, 3)], table="Pool2DOptions"), "invalid-model-attribute", "strides are"),
        (case("SOFTMAX", []), "missing-model-input", "takes 1 inputs, not 0"),
        (case("GATHER", [real(3), fixed([7])], table="GatherOptions"), "", "an index is outside of the 3 elements"),
        (case("TRANSPOSE", [real(2, 3), real(2)]), "", "must be a constant, and is computed"),
        (case("ADD", [real(2), real(2)], table="AddOptions", FusedActivationFunction=5), "", "SIGN_BIT"),
        (case("SPLIT", [fixed(0), real(2)], table="SplitOptions", NumSplits=2**30), "", "unfolded at most"),
        (
            case("SPLIT", [fixed(0), real(2**16)], table="SplitOptions", NumSplits=2**16),
            "",
            "a number of parts of 65536 is more than the 10000 that are unfolded at most",
        ),
        (case("QUANTIZE", [real(2)]), "", "y0 must be quantised, and is not"),
        (
            case(
                "LOCAL_RESPONSE_NORMALIZATION", [real(1, 2, 2, 3)],
                table="LocalResponseNormalizationOptions", Beta=np.nan,
            ),
            "unsupported-model-node",
            "attribute beta takes a number of float32, not nan",
        ),
        (
            case("SPACE_TO_DEPTH", [real(1, 4, 4, 3)], table="SpaceToDepthOptions", BlockSize=2**31 - 1),
            "type-mismatch",
            "a dimension would be 13835058042397261827, which int64 does not have",
        ),
        (case("TFLite_Detection_PostProcess", [real(1, 2, 4), real(1, 2, 3), real(2, 4)]), "", "the options"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_operator(made: Case, code: str, words: str) -> None:
    shown = read_tflite(made.build()[0]).diagnostics[0]
    assert shown.place.operator == made.operator
    assert not code or shown.code == code
    assert words in shown.message


def test_what_is_no_model() -> None:
    good = chain(Operator("ABS", ["x"], ["y"]))
    for data in (b"", b"TFL3", b"\xff" * 100, b"PK\x03\x04" + b"\0" * 40, good[: len(good) // 2], b"\0\0\0\0TFL3"):
        with pytest.raises(ModelImportError, match="unreadable-model"):
            read_tflite(data)
    with pytest.raises(ModelImportError, match="cannot be read"):
        from_tflite("nowhere.tflite")
    with pytest.raises(ModelImportError, match=r"not <class 'int'>"):
        from_tflite(7)


def import_whatever_it_is(data: bytes) -> None:
    """Import whatever it is, and say what is wrong with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = read_tflite(data)
        except ModelImportError:
            return
    ir.to_text(ir.infer_types(made.module).module)


SOME = [made for made in all_cases() if made.operator in ("CONV_2D", "DENSIFY", "STRIDED_SLICE", "SPLIT", "RESHAPE")]


@pytest.mark.parametrize("seed", range(60))
def test_broken_bytes_never_break_the_importer(seed: int) -> None:
    data = bytearray(SOME[seed % len(SOME)].build()[0])
    generator = np.random.default_rng(seed)
    for place in generator.integers(8, len(data), 1 + seed % 5):
        data[place] = generator.integers(0, 256)
    import_whatever_it_is(bytes(data))


@pytest.mark.parametrize("length", range(8, 700, 37))
def test_cut_files_never_break_the_importer(length: int) -> None:
    import_whatever_it_is(SOME[0].build()[0][:length])


def test_lengths_that_are_longer_than_the_file() -> None:
    data = bytearray(chain(Operator("ADD", ["x", "w"], ["y"], "AddOptions")))
    values = np.ones((2, 3), np.float32).tobytes()
    place = data.index(values)
    data[place - 4 : place] = struct.pack("<I", 2**31 - 1)
    shown = read_tflite(bytes(data)).diagnostics[0]
    assert (shown.code, shown.place.input) == ("invalid-model-tensor", "w")
    assert "it points outside of the file" in shown.message


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (Tensor("w", (2, 4), data=np.ones(6, np.float32)), "its shape [2, 4] takes 8 elements, and it has 6"),
        (Tensor("w", (2**30, 2**30, 2**30), data=b"\0" * 24), "takes 1237940039285380274899124224 elements"),
        (Tensor("w", (-2, 3), data=b"\0" * 24), "its shape [-2, 3]"),
        (Tensor("w", (2, 3), data=b"\0" * 23), "no whole number of elements of float32"),
        (Tensor("w", (2, 3)), "nothing defines w"),
        (Tensor("w", (2**30, 2**30, 2**30, 0)), "is none of an array"),
        (
            Tensor("w", (2, 3), "int8", np.ones(6, np.int8), scale=[0.1, 0.2], zero_point=[0, 4]),
            "its zero points are not all 0",
        ),
    ],
)
def test_tensors_that_are_not_what_they_declare(tensor: Tensor, words: str) -> None:
    data = model([Tensor("x", (2, 3)), tensor, Tensor("y", (2, 3))], [Operator("ADD", ["x", "w"], ["y"])], ["x"], ["y"])
    shown = read_tflite(data).diagnostics[0]
    assert shown.code in ("invalid-model-tensor", "undefined-model-value")
    assert shown.place.input == "w"
    assert words in shown.message


@pytest.mark.parametrize(
    "dimensions",
    [
        [2, ([0, 1, 9], [2, 0, 1])],
        [2, ([0, 2, 1], [2, 0, 1])],
        [2, ([0, 1, 3], [2, 0, 7])],
        [2, ([0, -1, 3], [2, 0, 1])],
        [2**31 - 1, 2**31 - 1],
        [2],
    ],
)
def test_sparse_tensors_whose_indices_are_wrong(dimensions: list[Any]) -> None:
    sparse = Tensor("w", (2, 3), data=np.ones(3, np.float32), sparsity={"order": [0, 1], "dimensions": dimensions})
    data = model([sparse, Tensor("y", (2, 3))], [Operator("DENSIFY", ["w"], ["y"])], [], ["y"])
    made = read_tflite(data)
    assert made.diagnostics[0].code == "invalid-model-tensor"


def test_values_in_a_circle_and_values_that_two_operators_give() -> None:
    made = read_tflite(
        chain(Operator("ADD", ["x", "b"], ["a"]), Operator("ABS", ["a"], ["b"]), Operator("EXP", ["x"], ["y"]))
    )
    assert codes(made) == ["undefined-model-value"] * len(made.diagnostics)
    assert "exp(%x)" in ir.to_text(made.module)
    twice = read_tflite(chain(Operator("ABS", ["x"], ["y"]), Operator("EXP", ["x"], ["y"])))
    assert "duplicate-model-value" in codes(twice)


def test_places_of_tensors_that_are_not_there() -> None:
    data = bytearray(chain(Operator("ADD", ["x", "w"], ["y"], "AddOptions")))
    place = data.index(struct.pack("<3i", 2, 0, 1))  # The operator's inputs.
    data[place + 4 : place + 8] = struct.pack("<i", 77)
    made = read_tflite(bytes(data))
    assert "there is no tensor 77; the graph has 3" in str(made.diagnostics[0])


def test_a_name_cannot_leave_its_comment() -> None:
    name = "a */ } def @evil() {\n"
    made = read_tflite(model([Tensor("x", (2,)), Tensor(name, (2,))], [Operator("ABS", ["x"], [name])], ["x"], [name]))
    text, _ = model_text(made)
    assert not ir.parse(text).diagnostics
    assert [var.name_hint for var in ir.parse(text).module] == ["main"]


def test_a_model_without_operators_gives_its_input() -> None:
    assert "%x" in main_text(read_tflite(model([Tensor("x", (2,))], [], ["x"], ["x"])))
