"""Which layouts the nn operators ask for, and how they follow their neighbours' changes."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.ops.data_layout import LayoutError
from relay_lsp.ir.ops.layout_inference import InferredLayout, Layouts
from relay_lsp.ir.types import TensorType


def inferred(name: str, new: tuple[Layouts, ...], old: tuple[Layouts, ...], **attrs: Any) -> InferredLayout:
    op = ops.get(name)
    assert op.infer_layout is not None
    attrs_type: type[Attrs] | None = op.metadata_attrs_type or op.attrs_type
    types = tuple(TensorType((1,) * len(layout) if isinstance(layout, str) else ()) for layout in old)
    return op.infer_layout(attrs_type(**attrs) if attrs_type else None, new, old, types)


FIXED = [
    ("nn.conv2d", {}, ("NCHW", "OIHW"), "NCHW"),
    ("nn.conv2d", {"data_layout": "NHWC", "kernel_layout": "HWIO"}, ("NHWC", "HWIO"), "NHWC"),
    ("nn.conv2d", {"out_layout": "NHWC"}, ("NCHW", "OIHW"), "NHWC"),
    ("nn.conv2d_transpose", {}, ("NCHW", "IOHW"), "NCHW"),
    ("nn.conv3d", {}, ("NCDHW", "OIDHW"), "NCDHW"),
    ("nn.deformable_conv2d", {}, ("NCHW", "NCHW", "OIHW"), "NCHW"),
    ("nn.bitserial_conv2d", {}, ("NCHW", "OIHW"), "NCHW"),
    ("nn.correlation", {}, ("NCHW", "NCHW"), "NCHW"),
    ("nn.dense", {"units": None}, ("NC", "NC"), "NC"),
    ("nn.contrib_dense_pack", {"units": None, "weight_layout": "NC8n"}, ("NC", "NC8n"), "NC"),
]


@pytest.mark.parametrize(("name", "attrs", "inputs", "output"), FIXED)
def test_convolutions_and_products_keep_the_layouts_of_their_attributes(
    name: str, attrs: dict[str, Any], inputs: tuple[str, ...], output: str
) -> None:
    """Their neighbours adapt to them, whatever layouts the arguments come in."""
    for new in ((), ("NHWC",) * len(inputs)):
        layouts = inferred(name, new, inputs, **attrs)
        assert (layouts.inputs, layouts.outputs) == (inputs, (output,))


def test_a_pool_takes_over_the_layout_of_its_data() -> None:
    layouts = inferred("nn.max_pool2d", ("NCHW16c",), ("NCHW",), pool_size=(2, 2))
    assert layouts.inputs == layouts.outputs == ("NCHW16c",)
    assert layouts.attrs == inferred("nn.max_pool2d", (), ("NCHW16c",), pool_size=(2, 2), layout="NCHW16c").attrs
    assert inferred("nn.global_avg_pool2d", ("NHWC",), ("NCHW",)).outputs == ("NHWC",)


def test_a_pool_with_an_out_layout_keeps_it() -> None:
    assert inferred("nn.global_avg_pool2d", ("NHWC",), ("NCHW",), out_layout="NCHW").inputs == ("NCHW",)
    with pytest.raises(LayoutError, match="cannot change the layout NCHW to NHWC"):
        inferred("nn.global_avg_pool2d", (), ("NCHW",), out_layout="NHWC")


@pytest.mark.parametrize(("new", "layout"), [("NCHW4c", "NCHW4c"), ("NHWC", "NCHW"), ("NCHW2h", "NCHW")])
def test_upsampling_follows_where_height_and_width_stay(new: str, layout: str) -> None:
    layouts = inferred("nn.upsampling", (new,), ("NCHW",), scale_h=2.0, scale_w=2.0)
    assert layouts.inputs == layouts.outputs == (layout,)


@pytest.mark.parametrize("name", ["nn.relu", "nn.leaky_relu", "nn.dropout"])
def test_elementwise_operators_take_any_layout(name: str) -> None:
    assert inferred(name, ("NCHW16c",), ("NCHW",)).outputs == ("NCHW16c",)
    assert inferred(name, (), (None,)).outputs == (None,)


def test_slopes_of_a_prelu_hold_its_layout() -> None:
    layouts = inferred("nn.prelu", ("NHWC", "C"), ("NCHW", "C"))
    assert (layouts.inputs, layouts.outputs) == (("NCHW", "C"), ("NCHW",))


@pytest.mark.parametrize("name", ["nn.instance_norm", "nn.layer_norm"])
def test_the_axis_of_a_normalization_moves_along(name: str) -> None:
    layouts = inferred(name, ("NHWC", "C", "C"), ("NCHW", "C", "C"), axis=1)
    assert (layouts.inputs, layouts.outputs) == (("NHWC", "C", "C"), ("NHWC",))
    assert layouts.attrs == inferred(name, (), ("NHWC", "C", "C"), axis=3).attrs
