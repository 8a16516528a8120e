"""Rearrangements by the layouts of TVM's schedulers."""

import numpy as np
import pytest

from relay_lsp.ir.dimensions import ANY, Dim, DimOperation, SizeVar
from relay_lsp.ir.evaluation import evaluate_expr
from relay_lsp.ir.expressions import Call, Constant
from relay_lsp.ir.metadata import MetadataNode
from relay_lsp.ir.ops import get
from relay_lsp.ir.ops.layout_rewriters import MetaScheduleLayoutTransformAttrs
from relay_lsp.ir.ops.layout_rewriters.index_map import IndexMap
from relay_lsp.ir.ops.operator import RelationError

ROW, COLUMN = SizeVar("i", nonnegative=False), SizeVar("j", nonnegative=False)


def index_map(*final: Dim) -> MetadataNode:
    return MetadataNode("tir.IndexMap", fields={"initial_indices": (ROW, COLUMN), "final_indices": final})


def test_a_map_of_indices_puts_each_element_where_it_says() -> None:
    data = np.arange(24, dtype=np.float32).reshape(4, 6)
    blocks = index_map(DimOperation("//", COLUMN, 3), ROW, DimOperation("%", COLUMN, 3))
    call = Call(
        get("meta_schedule_layout_transform"), (Constant(data),), MetaScheduleLayoutTransformAttrs(index_map=blocks)
    )
    result = evaluate_expr(call)
    assert isinstance(result, np.ndarray)
    assert np.array_equal(result, data.reshape(4, 2, 3).transpose(1, 0, 2))


@pytest.mark.parametrize(
    ("final", "shape", "message"),
    [
        ((DimOperation("*", ROW, 2), COLUMN), (4, 6), r"moves the elements of \(4, 6\) into \(7, 6\)"),
        ((ROW,), (4, 6, 2), "takes 2 indices, but data has 3 dimensions"),
        ((ROW, COLUMN), (4, ANY), r"the dimensions of data \(4, \?\) must be numbers"),
        ((DimOperation("/", ROW, 2),), (4, 6), r"computes an index by \(i / 2\)"),
    ],
)
def test_a_map_that_is_no_rearrangement_is_an_error(
    final: tuple[Dim, ...], shape: tuple[Dim, ...], message: str
) -> None:
    with pytest.raises(RelationError, match=message):
        IndexMap.of(index_map(*final)).map_shape(shape)


def test_anything_else_is_no_map() -> None:
    with pytest.raises(RelationError, match=r"must be a tir\.IndexMap"):
        IndexMap.of("i, j")
