"""Errors that teach: for each family of operators, what is wrong, in words, and at the argument or attribute at fault.

Each sample is a text with carets under the place where its one error stands, and beside them how the message begins.
"""

import pytest

from relay_lsp.ir.diagnostics import Severity
from tests.fixture import read_fixture

SAMPLES = [
    (
        "convolution: channels",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(6, 3, 3, 3), float32]) {
  nn.conv2d(%x, %w)
//              ^^ nn.conv2d: channels of data (4) do not match the input channels of weight (3)
}
""",
    ),
    (
        "convolution: attribute channels",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(6, 4, 3, 3), float32]) {
  nn.conv2d(%x, %w, channels=5)
//                           ^ nn.conv2d: channels (5) does not match the output channels of weight (6)
}
""",
    ),
    (
        "convolution: kernel_size",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(6, 4, 3, 3), float32]) {
  nn.conv2d(%x, %w, kernel_size=[5, 5])
//                              ^^^^^^ nn.conv2d: kernel_size (5, 5) does not match the kernel (3, 3) of weight
}
""",
    ),
    (
        "convolution: groups",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(6, 4, 3, 3), float32]) {
  nn.conv2d(%x, %w, groups=3)
//              ^^ nn.conv2d: channels of data (4) in 3 groups of 1 do not match the input channels of weight (4)
}
""",
    ),
    (
        "convolution: rank",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8), float32], %w: Tensor[(6, 4, 3, 3), float32]) {
  nn.conv2d(%x, %w)
//          ^^ nn.conv2d: data has shape (1, 4, 8): a tensor of layout NCHW has 4 dimensions, not 3
}
""",
    ),
    (
        "convolution: strides",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(6, 4, 3, 3), float32]) {
  nn.conv2d(%x, %w, strides=[0, 1])
//                          ^^^^^^ nn.conv2d: strides must not be 0
}
""",
    ),
    (
        "convolution: layout",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(6, 4, 3, 3), float32]) {
  nn.conv2d(%x, %w, data_layout="NCXW")
//                              ^^^^^^ nn.conv2d: data_layout must have the axes of NCHW, but it is NCXW
}
""",
    ),
    (
        "transposed convolution",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(3, 6, 3, 3), float32]) {
  nn.conv2d_transpose(%x, %w)
//                        ^^ nn.conv2d_transpose: channels of data (4) do not match the input channels of weight (3)
}
""",
    ),
    (
        "dense: units",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 5), float32], %w: Tensor[(3, 5), float32]) {
  nn.dense(%x, %w, units=7)
//                       ^ nn.dense: units (7) does not match the 3 units of weight
}
""",
    ),
    (
        "batch_matmul: batch",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3, 5), float32], %w: Tensor[(4, 3, 5), float32]) {
  nn.batch_matmul(%x, %w)
//                    ^^ nn.batch_matmul: the batch of tensor_a (2) does not match the batch of tensor_b (4), and
}
""",
    ),
    (
        "batch_matmul: summed",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3, 5), float32], %w: Tensor[(2, 3, 4), float32]) {
  nn.batch_matmul(%x, %w)
//                    ^^ nn.batch_matmul: the summed dimension of tensor_a (5) does not match that of tensor_b (3)
}
""",
    ),
    (
        "softmax: axis",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  nn.softmax(%x, axis=2)
//                    ^ nn.softmax: axis 2 is out of range for data with 2 dimensions (2, 3): it must lie in [-2, 2)
}
""",
    ),
    (
        "bias_add",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %b: Tensor[(2), float32]) {
  nn.bias_add(%x, %b)
//                ^^ nn.bias_add: bias has 2 elements, but axis 1 of data has 3
}
""",
    ),
    (
        "batch_norm",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %b: Tensor[(8), float32]) {
  nn.batch_norm(%x, %b, %b, %b, %b)
//                  ^^ nn.batch_norm: gamma has 8 elements, but axis 1 of data has 4
}
""",
    ),
    (
        "layer_norm",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %b: Tensor[(8), float32]) {
  nn.layer_norm(%x, %b, %b, axis=1)
//                  ^^ nn.layer_norm: gamma has 8 elements, but axis 1 of data has 4
}
""",
    ),
    (
        "pooling: window",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32]) {
  nn.max_pool2d(%x, pool_size=[2])
//                            ^^^ nn.max_pool2d: pool_size has 1 elements, but at least 2 are needed
}
""",
    ),
    (
        "pooling: rank",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  nn.max_pool2d(%x, pool_size=[2, 2])
//              ^^ nn.max_pool2d: data has 2 dimensions (2, 3), but layout NCHW has 4
}
""",
    ),
    (
        "adaptive pooling",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  nn.adaptive_avg_pool2d(%x)
//                       ^^ nn.adaptive_avg_pool2d: data has 2 dimensions (2, 3), but layout NCHW has 4
}
""",
    ),
    (
        "pad",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  nn.pad(%x, 0f, pad_width=[[0, 1]])
//                         ^^^^^^^^ nn.pad: pad_width has 1 pairs, but data has 2 dimensions
}
""",
    ),
    (
        "mirror_pad",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  nn.mirror_pad(%x, pad_width=[[0, 1], [1]])
//                            ^^^^^^^^^^^^^ nn.mirror_pad: pad_width must have pairs, but it has 1 elements for axis 1
}
""",
    ),
    (
        "broadcasting: shape",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(3, 2), float32]) {
  add(%x, %y)
//        ^^ add: dimension 0 of lhs (2, 3) is 2 but dimension 0 of rhs (3, 2) is 3; they must be equal or one of
}
""",
    ),
    (
        "broadcasting: dtype",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), int32]) {
  add(%x, %y)
//        ^^ add: rhs has dtype int32 but lhs has dtype float32; they must be the same (convert one with cast)
}
""",
    ),
    (
        "missing argument",
        "wrong-argument-count",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  add(%x)
//^^^ add takes 2 arguments (lhs, rhs), but 1 is given; rhs is missing
}
""",
    ),
    (
        "extra argument",
        "wrong-argument-count",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  nn.relu(%x, %x)
//            ^^ nn.relu takes 1 argument (data), but 2 are given
}
""",
    ),
    (
        "reshape: elements",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  reshape(%x, newshape=[4, 2])
//                     ^^^^^^ reshape: data (2, 3) has 6 elements but the new shape (4, 2) has 8; a reshape keeps
}
""",
    ),
    (
        "reshape: division",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  reshape(%x, newshape=[4, -1])
//                     ^^^^^^^ reshape: no size fits -1 in newshape [4, -1]: its other dimensions make 4, which does
}
""",
    ),
    (
        "reshape: inference",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  reshape(%x, newshape=[-1, -1])
//                     ^^^^^^^^ reshape: newshape [-1, -1] has -1 twice
}
""",
    ),
    (
        "reshape: meaning",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  reshape(%x, newshape=[-5])
//                     ^^^^ reshape: -5 has no meaning in newshape [-5]; a dimension is a number from 0 on, -1, -2,
}
""",
    ),
    (
        "transpose: axis",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  transpose(%x, axes=[0, 2])
//                   ^^^^^^ transpose: axes 2 is out of range for data with 2 dimensions (2, 3): it must lie in [-2,
}
""",
    ),
    (
        "transpose: twice",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  transpose(%x, axes=[0, 0])
//                   ^^^^^^ transpose: axes [0, 0] names axis 0 twice
}
""",
    ),
    (
        "squeeze",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  squeeze(%x, axis=[1])
//                 ^^^ squeeze: axis 1 of data (2, 3) has size 3; only axes of size 1 can be removed
}
""",
    ),
    (
        "expand_dims",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  expand_dims(%x, axis=4)
//                     ^ expand_dims: axis 4 is out of range for data with 2 dimensions (2, 3): it must lie in [-3, 3)
}
""",
    ),
    (
        "split",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  split(%x, indices_or_sections=2, axis=1)
//                              ^ split: dimension 1 of data (2, 3) is 3, which is not divisible into 2 equal parts
}
""",
    ),
    (
        "concatenate: shape",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 4), float32]) {
  concatenate((%x, %y))
//            ^^^^^^^^ concatenate: dimension 1 of field 1 of data is 4 but that of field 0 is 3; concatenate needs
}
""",
    ),
    (
        "concatenate: dtype",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), int8]) {
  concatenate((%x, %y))
//            ^^^^^^^^ concatenate: field 1 of data has dtype int8 but field 0 has dtype float32; concatenate needs
}
""",
    ),
    (
        "stack",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 4), float32]) {
  stack((%x, %y))
//      ^^^^^^^^ stack: dimension 1 of field 1 of data is 4 but that of field 0 is 3; stack needs them equal on every
}
""",
    ),
    (
        "concatenate: tuple",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  concatenate(%x)
//            ^^ concatenate: data must be a tuple of tensors, but it is Tensor[(2, 3), float32]
}
""",
    ),
    (
        "reduction",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  sum(%x, axis=[2])
//             ^^^ sum: axis 2 is out of range for data with 2 dimensions (2, 3): it must lie in [-2, 2)
}
""",
    ),
    (
        "attribute kind",
        "invalid-attribute-value",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  mean(%x, axis="a")
//              ^^^ attribute axis takes a list of integers or None (in mean)
}
""",
    ),
    (
        "strided_slice",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  strided_slice(%x, begin=[1], end=[0], strides=[1], axes=[0])
//                                 ^^^ strided_slice: the slice of axis 0, which has 2 elements, ends at 0 before it
}
""",
    ),
    (
        "take: dtype",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %i: Tensor[(2), float32]) {
  take(%x, %i)
//         ^^ take: indices must be of an integer dtype, but it is float32
}
""",
    ),
    (
        "take: axis",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %i: Tensor[(2), int32]) {
  take(%x, %i, axis=3)
//                  ^ take: axis 3 is out of range for data with 2 dimensions (2, 3)
}
""",
    ),
    (
        "gather",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %i: Tensor[(3, 2), int32]) {
  gather(%x, %i, axis=1)
//           ^^ gather: dimension 0 of indices (3, 2) is 3 but that of data (2, 3) is 2; they must be equal on every
}
""",
    ),
    (
        "gather_nd",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %i: Tensor[(3, 2), int32]) {
  gather_nd(%x, %i)
//              ^^ gather_nd: an index has 3 numbers (the first dimension of indices (3, 2)), but data (2, 3) has
}
""",
    ),
    (
        "where",
        "type-mismatch",
        """
def @main(%c: Tensor[(2), bool], %x: Tensor[(2, 3), float32], %y: Tensor[(4, 3), float32]) {
  where(%c, %x, %y)
//              ^^ where: dimension 0 of x (2, 3) is 2 but dimension 0 of y (4, 3) is 4; they must be equal or one of
}
""",
    ),
    (
        "one_hot",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  one_hot(%x, 1f, 0f, depth=0, axis=0, dtype="float32")
//                          ^ one_hot: depth must be positive, but it is 0
}
""",
    ),
    (
        "topk",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  topk(%x, k=2, axis=3)
//                   ^ topk: axis 3 is out of range for data with 2 dimensions (2, 3): it must lie in [-2, 2)
}
""",
    ),
    (
        "broadcast_to",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  broadcast_to(%x, shape=[2, 4])
//                       ^^^^^^ broadcast_to: dimension 1 of data (2, 3) is 3 but dimension 1 of shape (2, 4) is 4;
}
""",
    ),
    (
        "repeat",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  repeat(%x, repeats=0, axis=0)
//                   ^ repeat: repeats must be at least 1, but it is 0
}
""",
    ),
    (
        "layout_transform",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32]) {
  layout_transform(%x, src_layout="NCHW", dst_layout="NCHWx")
//                                                   ^^^^^^^ layout_transform: layout NCHWx lacks a factor before the
}
""",
    ),
    (
        "missing attribute",
        "missing-attribute",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  clip(%x, a_min=1f)
//^^^^ clip needs the attribute a_max (a number)
}
""",
    ),
    (
        "dequantize",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), uint8]) {
  qnn.dequantize(%x, 1f, 0.5f)
//                       ^^^^ qnn.dequantize: input_zero_point must be of dtype int32, but it is float32
}
""",
    ),
    (
        "quantize: dtype",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  qnn.quantize(%x, 1f, 0, out_dtype="float16")
//                                  ^^^^^^^^^ qnn.quantize: out_dtype must be int8, uint8, int16 or int32, but it is
}
""",
    ),
    (
        "quantised dense: dtype",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), int8], %w: Tensor[(4, 3), float32]) {
  qnn.dense(%x, %w, 0, 0, 1f, 1f, units=4, out_dtype="int32")
//              ^^ qnn.dense: weight must be of dtype int8 or uint8, but it is float32
}
""",
    ),
    (
        "quantised dense: out_dtype",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), int8], %w: Tensor[(4, 3), int8]) {
  qnn.dense(%x, %w, 0, 0, 1f, 1f, units=4)
//^^^^^^^^^ qnn.dense: out_dtype must be int32 or int64, but it is not given
}
""",
    ),
    (
        "requantize",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  qnn.requantize(%x, 1f, 0, 1f, 0, out_dtype="int8")
//               ^^ qnn.requantize: data must be of dtype int8, uint8, int16, int32 or int64, but it is float32
}
""",
    ),
    (
        "resize",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32]) {
  image.resize2d(%x, size=[3], roi=[0f, 0f, 0f, 0f])
//                        ^^^ image.resize2d: size must have 2 elements, not 1
}
""",
    ),
    (
        "affine_grid",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32]) {
  image.affine_grid(%x, target_shape=[2, 2])
//                  ^^ image.affine_grid: data must be 3-dimensional (batch, 2, 3), but it is Tensor[(1, 4, 8, 8),
}
""",
    ),
    (
        "upsampling",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32]) {
  nn.upsampling(%x, scale_h=2f, scale_w=2f, layout="ABCD")
//                                                 ^^^^^^ nn.upsampling: layout must have the axes of NCHW, but it is
}
""",
    ),
    (
        "random: dtype",
        "type-mismatch",
        """
def @main(%k: Tensor[(10), uint64]) {
  random.uniform(%k, 0f, 1f, out_shape=[2], out_dtype="int32")
//                                                    ^^^^^^^ random.uniform: out_dtype must be float32 or float64,
}
""",
    ),
    (
        "random: key",
        "type-mismatch",
        """
def @main(%k: Tensor[(3), uint64]) {
  random.threefry_split(%k)
//                      ^^ random.threefry_split: expected Tensor[(10), uint64], found Tensor[(3), uint64]: dimension
}
""",
    ),
    (
        "yolo_reorg",
        "type-mismatch",
        """
def @main(%x: Tensor[(3), float32]) {
  vision.yolo_reorg(%x, stride=2)
//                  ^^ vision.yolo_reorg: data must be 4-dimensional (batch, channels, height, width), but it is
}
""",
    ),
    (
        "multibox",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32]) {
  vision.multibox_transform_loc(%x, %x, %x)
//                              ^^ vision.multibox_transform_loc: cls_prob must be 3-dimensional (batch, classes,
}
""",
    ),
    (
        "einsum",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(4, 5), float32]) {
  einsum((%x, %y), equation="ij,jk->ik")
//                          ^^^^^^^^^^^ einsum: axis j is 3 in one tensor and 4 in another; they must be equal or one
}
""",
    ),
    (
        "tuple field",
        "not-a-tuple",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  %x.0
//^^^^ %x is Tensor[(2, 3), float32], not a tuple, and has no fields
}
""",
    ),
    (
        "callee",
        "not-callable",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  %x(%x)
//^^ %x is Tensor[(2, 3), float32], not a function, and cannot be called
}
""",
    ),
    (
        "condition",
        "condition-not-boolean",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  if (%x) { 1 } else { 2 }
//    ^^ the condition of an if is a scalar of dtype bool, not Tensor[(2, 3), float32]
}
""",
    ),
    (
        "branches",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  if (True) { %x } else { 2 }
//                        ^ the branches differ: the first is Tensor[(2, 3), float32], this one is int32: it has 0
}
""",
    ),
    (
        "reference",
        "not-a-reference",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  ref_read(%x)
//         ^^ %x is Tensor[(2, 3), float32], not a reference
}
""",
    ),
    (
        "function argument",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  fn (%y: Tensor[(3, 3), float32]) { %y }(%x)
//                                        ^^ this function takes Tensor[(3, 3), float32] as argument 1, not
}
""",
    ),
    (
        "nll_loss",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %i: Tensor[(3), int32]) {
  nn.nll_loss(%x, %i, %x, reduction="mean", ignore_index=0)
//                    ^^ nn.nll_loss: weights must be 1-dimensional (classes), but it is Tensor[(2, 3), float32]
}
""",
    ),
    (
        "prelu",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(3), float32]) {
  nn.prelu(%x, %y, axis=0)
//             ^^ nn.prelu: alpha has 3 elements, but axis 0 of data has 2
}
""",
    ),
    (
        "dilation2d",
        "type-mismatch",
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 3), float32]) {
  image.dilation2d(%x, %w)
//                     ^^ image.dilation2d: weight has shape (4, 3): a tensor of layout IHW has 3 dimensions, not 2
}
""",
    ),
    (
        "full",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  full(%x, shape=[2], dtype="float32")
//     ^^ full: fill_value must be a scalar, but it has shape (2, 3)
}
""",
    ),
    (
        "reverse_sequence",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %l: Tensor[(3), int32]) {
  reverse_sequence(%x, %l, seq_axis=1, batch_axis=0)
//                     ^^ reverse_sequence: seq_lengths has 3 elements but dimension 0 (batch_axis) of data (2, 3) is
}
""",
    ),
    (
        "sliding_window",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  sliding_window(%x, axis=1, window_shape=[2, 2], strides=[1, 1])
//                                        ^^^^^^ sliding_window: window_shape has 2 elements, but from axis 1 on data
}
""",
    ),
    (
        "slice_like",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 4), float32]) {
  slice_like(%x, %y, axes=None)
//               ^^ slice_like: dimension 1 of shape_like (2, 4) is 4, more than the 3 that data (2, 3) has
}
""",
    ),
    (
        "reshape_like",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(7), float32]) {
  reshape_like(%x, %y)
//                 ^^ reshape_like: data (2, 3) has 6 elements but the new shape (7) has 7; a reshape keeps their
}
""",
    ),
    (
        "dynamic reshape",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(7, 7), int32]) {
  dyn.reshape(%x, %y, newshape=None)
//                ^^ dyn.reshape: newshape must be 1-dimensional (a vector of dimensions), but it is Tensor[(7, 7),
}
""",
    ),
    (
        "matrix_set_diag",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  matrix_set_diag(%x, %x, k1=2, k2=1)
//                                 ^ matrix_set_diag: k2 (1) must not be below k1 (2)
}
""",
    ),
    (
        "meshgrid",
        "type-mismatch",
        """
def @main(%x: Tensor[(2, 3), float32]) {
  meshgrid((%x, %x))
//         ^^^^^^^^ meshgrid: field 0 of data has 2 dimensions (2, 3); meshgrid takes vectors and scalars
}
""",
    ),
    (
        "deformable convolution",
        "type-mismatch",
        """
def @main(
  %x: Tensor[(1, 4, 8, 8), float32],
  %o: Tensor[(1, 17, 6, 6), float32],
  %w: Tensor[(6, 4, 3, 3), float32]
) {
  nn.deformable_conv2d(%x, %o, %w, kernel_size=[3, 3], channels=6)
//                         ^^ nn.deformable_conv2d: offset has shape (1, 17, 6, 6), but (1, 18, 6, 6) is needed: two
}
""",
    ),
]


@pytest.mark.parametrize(("code", "text"), [sample[1:] for sample in SAMPLES], ids=[sample[0] for sample in SAMPLES])
def test_the_error_stands_at_the_fault(code: str, text: str):
    fixture = read_fixture(text)
    (marked,) = fixture.annotations
    (error,) = [diagnostic for diagnostic in fixture.snapshot.diagnostics if diagnostic.severity is Severity.ERROR]
    assert (error.code, error.span) == (code, marked.span)
    assert error.message.startswith(marked.label)


@pytest.mark.parametrize(
    "text",
    [
        """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(6, 3, 3, 3), float32]) {
  %0 = nn.relu(%x);
//^^ %0 is Tensor[(1, 4, 8, 8), float32] here
  let %a = nn.relu(%w);
//    ^^ %a is Tensor[(6, 3, 3, 3), float32] here
  nn.conv2d(%0, %a)
//          ^^ data has 4 channels
}
""",
        """
def @main(%x: Tensor[(4), float32], %y: Tensor[(5), float32]) {
//        ^^ %x is Tensor[(4), float32] here
//                                  ^^ %y is Tensor[(5), float32] here
  add(%x, %y)
//    ^^ lhs has shape (4)
}
""",
    ],
)
def test_an_error_names_the_places_where_the_types_came_from(text: str):
    """Also in a text that is analysed statement by statement, where a statement is typed without the others."""
    fixture = read_fixture(text)
    (error,) = [diagnostic for diagnostic in fixture.snapshot.diagnostics if diagnostic.severity is Severity.ERROR]
    related = sorted((place.span, place.message) for place in error.related if place.span is not None)
    assert related == sorted((marked.span, marked.label) for marked in fixture.annotations)


@pytest.mark.parametrize("name", ["annotation.with_funcid", "scatter", "hardswish"])
def test_an_operator_without_a_relation_says_so(name: str):
    arguments = "%x" if name == "annotation.with_funcid" else ""
    snapshot = read_fixture(f"def @main(%x: Tensor[(3), float32]) {{ {name}({arguments}) }}").snapshot
    (error,) = [diagnostic for diagnostic in snapshot.diagnostics if diagnostic.severity is Severity.ERROR]
    assert error.code == "operator-without-relation"
    assert error.span is not None
    assert snapshot.text[error.span.start : error.span.end] == name
