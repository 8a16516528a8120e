"""From floating-point operators between ``qnn.dequantize`` and ``qnn.quantize`` to operators on integers.

``rules`` has what each operator becomes (``FTVMFakeQuantizationToInteger``); a user's operator gets its rule by
:func:`register_fake_quantization_to_integer`.
"""

from .affine_types import AffineType, TensorAffineType, TupleAffineType
from .fake_quantization_to_integer import FakeQuantizationToInteger
from .region import RewriteRule, Unconvertible, register_fake_quantization_to_integer

__all__ = [
    "AffineType",
    "FakeQuantizationToInteger",
    "RewriteRule",
    "TensorAffineType",
    "TupleAffineType",
    "Unconvertible",
    "register_fake_quantization_to_integer",
]
