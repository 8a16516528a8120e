"""``stft``: the Fourier transform of short parts of a signal."""

from __future__ import annotations

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...operators import ones
from ..node import TorchNode, converter


@converter("aten::stft")
def stft(node: TorchNode) -> Expr:
    """``stft``, whose result has real and imaginary parts."""
    node.require(not node.flag(7), "a result of complex numbers has no form in Relay: return_complex", 7)
    size = node.integer(1)
    window = node.optional(4)
    return call(
        "stft",
        node.tensor(),
        ones([size], "int32") if window is None else window,
        n_fft=size,
        hop_length=node.integer(2, size // 4),
        win_length=node.integer(3, size),
        normalized=node.flag(5),
        onesided=node.flag(6, True),
    )
