"""What is wrong with a call of an operator of random numbers."""

from tests.ir.ops.errors.samples import check_sample, each_sample

SAMPLES = [
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
]


@each_sample(SAMPLES)
def test_the_error_stands_at_the_fault(code: str, text: str):
    check_sample(code, text)
