"""What is wrong with a call of an operator of vision."""

from tests.ir.ops.errors.samples import check_sample, each_sample

SAMPLES = [
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
]


@each_sample(SAMPLES)
def test_the_error_stands_at_the_fault(code: str, text: str):
    check_sample(code, text)
