"""What is wrong with a call of an operator on tensors."""

from tests.ir.ops.errors.samples import check_sample, each_sample

SAMPLES = [
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
]


@each_sample(SAMPLES)
def test_the_error_stands_at_the_fault(code: str, text: str):
    check_sample(code, text)
