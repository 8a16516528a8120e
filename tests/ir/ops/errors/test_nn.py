"""What is wrong with a call of an operator of neural networks."""

from tests.ir.ops.errors.samples import check_sample, each_sample

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


@each_sample(SAMPLES)
def test_the_error_stands_at_the_fault(code: str, text: str):
    check_sample(code, text)
