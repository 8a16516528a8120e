"""The numbers of every operator, against what the interpreter of LiteRT computed of the same model.

What the interpreter does not run is compared with the operator's definition.
"""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.frontends.tflite.node import converters

from .cases import case, out, steps
from .models import Tensor, assert_agree, evaluated, imported
from .recorded import recordings

RECORDINGS = {recording.id: recording for recording in recordings()}
SUPPRESSION = "NON_MAX_SUPPRESSION_V5"
BY_DEFINITION = {
    "TAN",  # TVM's importer has a converter for it, and the schema has no such operator.
    "WHERE",  # TVM converts it with three inputs, as SELECT; the interpreter's has one.
}


@pytest.mark.parametrize("name", sorted(RECORDINGS.keys() - {SUPPRESSION}))
def test_numbers_are_those_of_the_interpreter(name: str) -> None:
    recording = RECORDINGS[name]
    assert_agree(evaluated(imported(recording.model), recording.inputs), recording.outputs)


def test_every_operator_has_a_recording() -> None:
    recorded = {recording.operator for recording in RECORDINGS.values()}
    assert {converter.operator for converter in converters} - recorded == BY_DEFINITION


def test_suppression_selects_what_the_interpreter_does() -> None:
    recording = RECORDINGS[SUPPRESSION]
    indices, scores, count = recording.outputs
    ours = evaluated(imported(recording.model), recording.inputs)
    assert ours[2] == count  # Relay's has one dimension, and other numbers behind the selected ones.
    assert_agree([array[:count] for array in ours[:2]], [indices[:count], scores[:count]])


def test_quantised_relu_n1_to_1_is_clipped_in_steps() -> None:
    data, inputs = case("RELU_N1_TO_1", [steps(2, 3, scale=0.05, zero_point=3)], out("int8", 0.05, 3)).build()
    (actual,) = evaluated(imported(data), inputs)
    np.testing.assert_array_equal(actual, np.clip(inputs["x0"], 3 - 20, 3 + 20))


def test_where_with_three_inputs_selects() -> None:
    data, inputs = case("WHERE", [Tensor("", (2, 3), "bool"), np.ones((2, 3), "f"), np.zeros((2, 3), "f")]).build()
    (actual,) = evaluated(imported(data), inputs)
    np.testing.assert_array_equal(actual, inputs["x0"])
