"""What cannot be evaluated says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.evaluation import EvaluationError

Run = Callable[..., Any]


def test_a_module_must_be_well_typed(run: Run) -> None:
    with pytest.raises(EvaluationError, match="kernel_size"):
        run(
            """
            def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
              nn.conv2d(%x, %w, kernel_size=[5, 5])
            }
            """,
            np.zeros((1, 3, 8, 8), np.float32),
            np.zeros((4, 3, 3, 3), np.float32),
        )


def test_arguments_must_have_the_shapes_of_the_parameters(run: Run) -> None:
    text = "def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) }"
    with pytest.raises(
        EvaluationError, match=r"%x takes Tensor\[\(2, 3\), float32\], not an array \(3, 2\) of float32"
    ):
        run(text, np.zeros((3, 2), np.float32))
    with pytest.raises(EvaluationError, match="@main takes 1 arguments, but there are 2"):
        run(text, np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32))


def test_arguments_are_converted_to_the_dtype_of_the_parameter(run: Run) -> None:
    result = run("def @main(%x: Tensor[(2), float16]) { nn.relu(%x) }", [-1, 1])
    assert isinstance(result, np.ndarray)
    assert result.dtype == np.float16


def test_an_unknown_dimension_takes_any_size(run: Run) -> None:
    result = run("def @main(%x: Tensor[(?, 2), float32]) { nn.relu(%x) }", np.ones((5, 2), np.float32))
    assert isinstance(result, np.ndarray)
    assert result.shape == (5, 2)


def test_an_operator_without_a_kernel_says_so(run: Run) -> None:
    operator = "nn.contrib_conv2d_winograd_nnpack_weight_transform"
    with pytest.raises(EvaluationError, match=rf"operator {operator} has no kernel") as raised:
        run(
            f"def @main(%w: Tensor[(1, 1, 3, 3), float32]) {{ {operator}(%w, convolution_algorithm=1) }}",
            np.zeros((1, 1, 3, 3), np.float32),
        )
    diagnostic = raised.value.diagnostic
    assert diagnostic.code == "operator-without-kernel"
    assert diagnostic.place is not None
    assert diagnostic.place.callee


def test_a_kernel_that_refuses_its_arguments_is_named(run: Run) -> None:
    with pytest.raises(EvaluationError, match="reshape failed") as raised:
        run("def @main(%x: Tensor[(?), float32]) { reshape(%x, newshape=[2, 2]) }", np.zeros(3, np.float32))
    assert raised.value.code == "evaluation-failed"
