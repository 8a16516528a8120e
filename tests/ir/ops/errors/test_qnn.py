"""What is wrong with a call of an operator on quantised values."""

from tests.ir.ops.errors.samples import check_sample, each_sample

SAMPLES = [
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
]


@each_sample(SAMPLES)
def test_the_error_stands_at_the_fault(code: str, text: str):
    check_sample(code, text)
