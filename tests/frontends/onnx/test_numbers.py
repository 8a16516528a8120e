"""The numbers of every operator that the package onnx has cases for: its own inputs and outputs."""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

from relay_lsp.frontends.onnx.node import converters

from .models import assert_agree, evaluated, flat, imported

NOT_ALIKE = (
    # What Relay's operators do not do, as the converters' documentation says.
    "training", "bernoulli", "with_argmax", "antialias", "half_pixel_symmetric", "blocked", "volumetric", "float8",
    "dropout_default_mask", "resize_downsample_scales_linear", "resize_downsample_scales_cubic", "irfft",
    "mode_max", "ceil_last_window", "ceil_output_size_reduce", "with_output_shape", "unique_sorted_with", "empty_set",
    "mod_float_edge_cases", "crd_mode", "iou_threshold_boundary", "bfloat16", "float16",
    # Tensors and operators of newer versions than are read.
    "int2", "int4", "e4m3", "e5m2", "e8m0", "string", "bitshift_left_int", "bitshift_right_int", "uint16",
    "attention", "wrap_pad",
    # Inputs that are sequences or optional values: their length is not known.
    "identity_sequence", "identity_opt", "if_opt", "loop13", "loop16", "optional_", "sequence_map", "sequence_insert",
)  # fmt: skip


ELSEWHERE = {
    "ATen", "Affine", "Attention", "Bernoulli", "BiasGelu", "ConcatFromSequence", "EmbedLayerNormalization", "FC",
    "FastGelu", "GlobalLpPool", "LinearRegressor", "MatMulInteger16", "MaxRoiPool", "Multinomial", "Optional",
    "OptionalGetElement", "OptionalHasElement", "ParametricSoftplus", "QAttention", "QGemm", "QLinearAdd",
    "QLinearAveragePool", "QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMul",
    "QLinearSigmoid", "QLinearSoftmax", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
    "Scale", "ScaledTanh", "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert",
    "SequenceLength", "SkipLayerNormalization", "SpatialBN",
}  # fmt: skip
"""Operators of which onnx has no case that can be compared; ``test_contributed_operators.py`` has them."""


@functools.cache
def cases() -> dict[str, list[Any]]:
    """Some cases of each operator that has a converter, by operator."""
    by_operator: dict[str, list[Any]] = defaultdict(list)
    collected: list[Any] = list(collect_testcases(None))
    for case in collected:
        operators = {node.op_type for node in case.model.graph.node}
        known = all(operator in converters for operator in operators) and not case.model.functions
        numeric = all(isinstance(value, np.ndarray | np.generic | list) for value in case.data_sets[0][0])
        if known and numeric and not any(part in case.name for part in NOT_ALIKE):
            for operator in operators:
                by_operator[operator].append(case)
    # The first, the last and one between are unlike each other: cases of one kind stand together.
    alone = {
        operator: [case for case in group if len(case.model.graph.node) == 1] for operator, group in by_operator.items()
    }
    return {name: _spread(alone[name] or group) for name, group in by_operator.items()}


def _spread(group: list[Any]) -> list[Any]:
    return [group[0], group[len(group) // 2], group[-1]]


@pytest.mark.parametrize("operator", sorted({converter.operator for converter in converters} - ELSEWHERE))
def test_numbers_are_those_of_onnx(operator: str) -> None:
    chosen = {case.name: case for case in cases()[operator]}
    for case in chosen.values():
        inputs = dict(zip([info.name for info in case.model.graph.input], case.data_sets[0][0], strict=True))
        proto = type(case.model)()
        proto.CopyFrom(case.model)
        for name, value in list(inputs.items())[1:]:
            # What is no data must be known where the model is imported: axes, shapes, sizes.
            array = np.asarray(value)
            if not isinstance(value, list) and array.dtype.kind in "ib":
                proto.graph.initializer.append(numpy_helper.from_array(array, name))
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in inputs.items()}
        assert_agree(evaluated(imported(proto), given), flat(case.data_sets[0][1]))
