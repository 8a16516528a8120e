"""ConvertLayout: operators take the layouts asked for, and as few transforms as possible join them to the rest."""

from __future__ import annotations

import pytest

from relay_lsp.ir.expressions import Call
from relay_lsp.ir.ops.application import attrs_of
from relay_lsp.ir.ops.nn.convolution_attributes import Conv2DAttrs
from relay_lsp.ir.printing import to_text
from relay_lsp.passes import PassError, create
from relay_lsp.passes.verification import verify
from tests.passes.modules import assert_same, read, typed


def convert(text: str, **layouts: list[str]):
    """The module of ``text`` after the pass; ``conv2d=["NHWC", "default"]`` is about ``nn.conv2d``."""
    desired = {f"nn.{name}": wanted for name, wanted in layouts.items()}
    return create("ConvertLayout", desired_layouts=desired)(read(text))


def test_the_new_layout_travels_through_operators_that_take_any():
    assert_same(
        convert(
            """
            def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32],
                      %v: Tensor[(4, 4, 1, 1), float32]) {
              %0 = nn.conv2d(%x, %w, channels=4, kernel_size=[3, 3]);
              %1 = nn.max_pool2d(%0, pool_size=[2, 2], padding=[0, 0, 0, 0]);
              %2 = nn.relu(%1);
              nn.conv2d(%2, %v, channels=4, kernel_size=[1, 1])
            }
            """,
            conv2d=["NHWC", "default"],
        ),
        read(
            """
            def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32],
                      %v: Tensor[(4, 4, 1, 1), float32]) {
              %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NHWC");
              %1 = layout_transform(%w, src_layout="OIHW", dst_layout="HWIO");
              %2 = nn.conv2d(%0, %1, padding=[0, 0, 0, 0], channels=4, kernel_size=[3, 3],
                             data_layout="NHWC", kernel_layout="HWIO");
              %3 = nn.max_pool2d(%2, pool_size=[2, 2], padding=[0, 0, 0, 0], layout="NHWC");
              %4 = nn.relu(%3);
              %5 = layout_transform(%v, src_layout="OIHW", dst_layout="HWIO");
              %6 = nn.conv2d(%4, %5, padding=[0, 0, 0, 0], channels=4, kernel_size=[1, 1],
                             data_layout="NHWC", kernel_layout="HWIO");
              layout_transform(%6, src_layout="NHWC", dst_layout="NCHW")
            }
            """
        ),
    )


def test_an_operand_that_broadcasts_gets_the_axes_it_lacks():
    assert_same(
        convert(
            """
            def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 1, 1), float32],
                      %y: Tensor[(8, 8), float32]) {
              %0 = nn.conv2d(%x, %w, channels=4, kernel_size=[1, 1]);
              add(%0, %y)
            }
            """,
            conv2d=["NHWC", "default"],
        ),
        read(
            """
            def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 1, 1), float32],
                      %y: Tensor[(8, 8), float32]) {
              %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NHWC");
              %1 = layout_transform(%w, src_layout="OIHW", dst_layout="HWIO");
              %2 = nn.conv2d(%0, %1, padding=[0, 0, 0, 0], channels=4, kernel_size=[1, 1],
                             data_layout="NHWC", kernel_layout="HWIO");
              %3 = expand_dims(%y, axis=0, num_newaxis=2);
              %4 = layout_transform(%3, src_layout="NCHW", dst_layout="NHWC");
              %5 = add(%2, %4);
              layout_transform(%5, src_layout="NHWC", dst_layout="NCHW")
            }
            """
        ),
    )


SHARED = """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1], channels=4, kernel_size=[3, 3]);
  %1 = (%0, %x);
  %2 = concatenate(%1, axis=1);
  %3 = split(%2, indices_or_sections=2, axis=1);
  %4 = reshape(%0, newshape=[-1]);
  %5 = if (True) { %3.0 } else { %3.1 };
  ((%5, %4), nn.relu(%2), %3)
}
"""


def test_what_an_operator_cannot_take_is_transformed_back_once():
    """A reshape, the branches of a condition and the results want the old layout."""
    before = typed(read(SHARED))
    after = convert(SHARED, conv2d=["NHWC", "default"])
    assert verify(before, typed(after)).agrees


def test_depthwise_convolutions_have_a_weight_layout_of_their_own():
    after = convert(
        """
        def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 1, 3, 3), float32]) {
          nn.conv2d(%x, %w, groups=4, channels=4, kernel_size=[3, 3])
        }
        """,
        conv2d=["NHWC", "default"],
    )
    back = after["main"].body
    assert isinstance(back, Call)
    convolution = back.args[0]
    assert isinstance(convolution, Call)
    assert attrs_of(convolution, Conv2DAttrs).kernel_layout == "HWOI"


def test_operators_that_are_not_named_stay():
    module = typed(read("def @main(%x: Tensor[(1, 4, 8, 8), float32]) { nn.max_pool2d(%x, pool_size=[2, 2]) }"))
    assert create("ConvertLayout", desired_layouts={"nn.conv2d": ["NHWC", "default"]})(module) is module


@pytest.mark.parametrize(
    ("layouts", "reason"),
    [
        (["NHWC"], "needs 2 desired layouts, but 1 are given"),
        (["default", "default"], "cannot be default"),
        (["CHWN", "default"], "no conversion to the layout CHWN"),
        (["NCHW4c", "default"], "needs a kernel layout other than default"),
        (["NCHW4c", "OIHW4i8o"], "the 4 channels O of the weight do not fill blocks of 8"),
    ],
)
def test_layouts_that_are_not_possible_are_refused_with_the_place(layouts, reason):
    text = """
    def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32]) {
      nn.conv2d(%x, %w, channels=4, kernel_size=[3, 3])
    }
    """
    with pytest.raises(PassError, match=reason) as caught:
        convert(text, conv2d=layouts)
    assert caught.value.diagnostics[0].place is not None


_NORMALIZED = """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32], %g: Tensor[(4), float32]) {
  %0 = nn.conv2d(%x, %w, channels=4, kernel_size=[3, 3]);
  NORMALIZED
}
"""
_IN_BLOCKS = {"nn.conv2d": ["NCHW2c", "OIHW2i2o"]}


def test_an_l2_norm_over_channels_wants_them_whole():
    """Not in blocks: it would be taken over a part of them."""
    before = typed(read(_NORMALIZED.replace("NORMALIZED", "nn.l2_normalize(%0, eps=1e-5f, axis=[1])")))
    after = create("ConvertLayout", desired_layouts=_IN_BLOCKS)(before)
    assert verify(before, typed(after)).agrees


@pytest.mark.parametrize("normalized", ["nn.instance_norm(%0, %g, %g)", "%1 = nn.batch_norm(%0, %g, %g, %g, %g); %1.0"])
def test_a_normalization_with_vectors_along_channels_is_refused_in_blocks_of_them(normalized):
    """TVM makes an ill-typed call; taken apart, the normalization follows the layout."""
    before = typed(read(_NORMALIZED.replace("NORMALIZED", normalized)))
    with pytest.raises(PassError, match="which NCHW2c splits; run SimplifyInference before"):
        create("ConvertLayout", desired_layouts=_IN_BLOCKS)(before)
    after = create("ConvertLayout", desired_layouts=_IN_BLOCKS)(create("SimplifyInference")(before))
    assert verify(before, typed(after)).agrees


def test_a_sum_over_everything_has_no_layout_and_keeps_its_axes():
    text = """
        def @main(%x: Tensor[(1, 1, 1, 8), float32], %w: Tensor[(1, 1, 8, 4), float32]) {
          %0 = nn.conv2d(%x, %w, channels=4, kernel_size=[1, 1], data_layout="NHWC", kernel_layout="HWIO");
          %1 = sum(%0, axis=[1, 2]);
          %2 = sum(%1, axis=[1]);
          sum(%2)
        }
        """
    result = to_text(convert(text, conv2d=["NCHW", "default"]), show_types=False, show_spans=False)
    assert [line.partition("sum")[2] for line in result.splitlines() if "sum(" in line] == [
        "(%2, axis=[2, 3]);",
        "(%3, axis=[1]);",
        "(%4)",
    ]
