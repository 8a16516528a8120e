"""Operators over quantised tensors (``qnn.*``)."""

from . import binary, concatenate, product, quantize, requantize, unary

__all__ = ["binary", "concatenate", "product", "quantize", "requantize", "unary"]
