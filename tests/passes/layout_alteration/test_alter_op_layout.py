"""The layouts that a target chooses."""

from __future__ import annotations

import re

import pytest

from relay_lsp.ir.printing import to_text
from relay_lsp.passes import PassError, create
from relay_lsp.passes.layout_alteration import register_layout_rule
from relay_lsp.passes.layout_conversion import LayoutConfig
from relay_lsp.passes.targets import Target, TargetKind, register_target_kind
from tests.passes.modules import assert_same, read


def altered(text, target):
    """The text of the module that the pass makes for ``target``."""
    return to_text(create("AlterOpLayout", target=target)(read(text)), show_types=False, show_spans=False)


def conv2d(channels=32, dtype="float32", weight_dtype=None, groups=1, **attributes):
    """A module with one 3 by 3 convolution of 32 channels."""
    attributes = {"channels": channels, "kernel_size": [3, 3], "groups": groups, **attributes}
    given = ", ".join(f"{name}={value!r}".replace("'", '"') for name, value in attributes.items())
    weight = f"Tensor[({channels}, {32 // groups}, 3, 3), {weight_dtype or dtype}]"
    return f"def @main(%x: Tensor[(1, 32, 8, 8), {dtype}], %w: {weight}) {{ nn.conv2d(%x, %w, {given}) }}"


@pytest.mark.parametrize(
    ("target", "channels", "layouts"),
    [
        ("llvm", 32, ("NCHW4c", "OIHW4i4o", "NCHW4c")),
        ("llvm -mcpu=core-avx2", 32, ("NCHW8c", "OIHW8i8o", "NCHW8c")),
        ("llvm -mcpu=skylake-avx512", 32, ("NCHW16c", "OIHW16i16o", "NCHW16c")),
        ("llvm -mcpu=skylake-avx512", 20, ("NCHW8c", "OIHW8i10o", "NCHW10c")),
        ("llvm", 7, ("NCHW1c", "OIHW1i1o", "NCHW1c")),
    ],
)
def test_blocks_are_as_long_as_a_vector_and_divide_the_channels(target, channels, layouts):
    text = altered(conv2d(channels), target)
    layouts_written = re.search(r'data_layout="(\w+)", kernel_layout="(\w+)", out_layout="(\w+)"', text)
    assert layouts_written is not None
    assert layouts_written.groups() == layouts
    assert "nn.contrib_conv2d_NCHWc" in text


def test_eight_bit_convolutions_have_instructions_of_their_own():
    text = altered(conv2d(dtype="uint8", weight_dtype="int8", out_dtype="int32"), "llvm -mcpu=cascadelake")
    assert 'kernel_layout="OIHW4i16o4i"' in text
    with pytest.raises(PassError, match="gives 8: run Legalize first"):
        altered(conv2d(8, dtype="uint8", weight_dtype="int8", out_dtype="int32"), "llvm -mcpu=cascadelake")


def test_a_depthwise_convolution_has_its_own_operator():
    text = altered(conv2d(32, groups=32), "llvm -mcpu=core-avx2")
    assert "nn.contrib_depthwise_conv2d_NCHWc" in text
    assert 'kernel_layout="OIHW1i8o"' in text


@pytest.mark.parametrize(
    ("target", "layout"), [("llvm", "NC8n"), ("llvm -mcpu=core-avx2", "NC12n"), ("llvm -mcpu=knl", "NC24n")]
)
def test_dense_layers_have_their_weight_in_tiles(target, layout):
    text = "def @main(%x: Tensor[(2, 16), float32], %w: Tensor[(24, 16), float32]) { nn.dense(%x, %w, units=None) }"
    assert f'dst_layout="{layout}"' in altered(text, target)


def test_arm_processors_want_the_weight_in_blocks_only():
    text = altered(conv2d(), "llvm -device=arm_cpu -mtriple=armv7l-linux-gnueabihf")
    assert 'kernel_layout="OIHW1o"' in text
    assert 'dst_layout="NCHW' not in text


@pytest.mark.parametrize("target", ["cuda", "", "stackvm"])
def test_where_no_rule_is_known_nothing_changes(target):
    module = read(conv2d(padding=[0, 0, 0, 0]))
    assert_same(create("AlterOpLayout", target=target)(module), module)


def test_the_current_target_counts_where_none_is_given():
    with Target.parse("llvm"):
        assert "NCHWc" in altered(conv2d(), "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (conv2d(data_layout="NCHW2c", kernel_layout="OIHW"), "."),
        (
            "def @main(%x: Tensor[(1, 8, 8, 32), float32], %w: Tensor[(3, 3, 32, 8), float32])"
            '{ nn.conv2d(%x, %w, kernel_size=[3, 3], channels=8, data_layout="NHCW", kernel_layout="HWIO") }',
            ".",
        ),
        (
            "def @main(%x: Tensor[(8, 32, 8, 8), float32], %w: Tensor[(8, 32, 3, 3), float32])"
            '{ nn.conv2d(%x, %w, kernel_size=[3, 3], channels=8, data_layout="NHWC", kernel_layout="OHWI") }',
            ".",
        ),
        (
            "def @main(%x: Tensor[(2, 3, 4), float32], %w: Tensor[(5, 4), float32]) { nn.dense(%x, %w, units=None) }",
            "argument 0 must have 2 dimensions, but it has 3",
        ),
        (conv2d(dtype="int8", weight_dtype="uint8", out_dtype="int32"), "data of int8 does not go"),
    ],
)  # fmt: skip
def test_what_the_target_cannot_compute_is_refused(text, message):
    with pytest.raises(PassError, match=message):
        altered(text, "llvm")


def test_a_target_of_ones_own_has_rules_of_its_own():
    register_target_kind(TargetKind("only_nhwc", 12, ("only_nhwc",)))
    register_layout_rule("nn.max_pool2d", "only_nhwc", lambda call: type(call.place)(
        call.place.op, call.args, call.attrs.replace(layout="NHWC", out_layout="NHWC")
    ))  # fmt: skip
    text = "def @main(%x: Tensor[(1, 3, 8, 8), float32]) { nn.max_pool2d(%x, pool_size=[2, 2]) }"
    assert 'dst_layout="NHWC"' in altered(text, "only_nhwc")


def test_convolutions_are_skipped_by_number():
    text = """
    def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 1, 1), float32]) {
      %0 = nn.conv2d(%x, %w, kernel_size=[1, 1], channels=4);
      %1 = nn.relu(%0);
      nn.conv2d(%1, %w, kernel_size=[1, 1], channels=4)
    }
    """
    convert = create("ConvertLayout", desired_layouts={"nn.conv2d": ["NHWC", "default"]})
    with LayoutConfig(skip_layers=[0]) as config:
        result = to_text(convert(read(text)), show_types=False, show_spans=False)
    assert config.skip_counter == 2
    assert [line.count("NHWC") > 0 for line in result.splitlines() if "nn.conv2d" in line] == [False, True]
