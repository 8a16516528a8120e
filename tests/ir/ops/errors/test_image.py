"""What is wrong with a call of an operator on images."""

from tests.ir.ops.errors.samples import check_sample, each_sample

SAMPLES = [
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
]


@each_sample(SAMPLES)
def test_the_error_stands_at_the_fault(code: str, text: str):
    check_sample(code, text)
