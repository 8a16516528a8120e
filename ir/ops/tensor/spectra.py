"""Discrete Fourier transforms, of a whole signal and of short windows of it.

Source of the rule: ``src/relay/op/tensor/transform.cc`` (``STFTRel``, ``DFTRel``), ``python/tvm/topi/signal.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, TupleType, Type
from ..arguments import attributes_or_default, tensor_argument
from ..operator import Argument, Op, RelationContext, RelationError, register
from ..shapes import add, floor_divide, subtract

__all__ = ["DFTAttrs", "StftAttrs"]


@attributes("relay.attrs.StftAttrs")
class StftAttrs(Attrs):
    """Attributes of ``stft``."""

    n_fft: int = attribute(default=-1, doc="The size of each Fourier transform.")
    hop_length: int = attribute(default=-1, doc="The distance of neighbouring windows.")
    win_length: int = attribute(default=-1, doc="The size of the window.")
    normalized: bool = attribute(default=False, doc="Whether to divide by the square root of n_fft.")
    onesided: bool = attribute(default=True, doc="Whether to leave out the half that mirrors the other one.")


@attributes("relay.attrs.DFTAttrs")
class DFTAttrs(Attrs):
    """Attributes of ``dft``."""

    inverse: bool = attribute(default=False, doc="Whether to compute the inverse transform.")


def _stft_relation(context: RelationContext) -> Type | None:
    attrs = attributes_or_default(context.attrs, StftAttrs)
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if not data.shape:
        raise RelationError("data must be a signal or a batch of signals, but it is a scalar", argument=0)
    if attrs.hop_length == 0:
        raise RelationError("hop_length must not be 0", attribute="hop_length")
    batch = data.shape[:1] if data.ndim == 2 else ()
    size = data.shape[len(batch)]
    frequencies = attrs.n_fft // 2 + 1 if attrs.onesided else attrs.n_fft
    frames: Dim = ANY
    if size is not ANY:
        frames = add(floor_divide(subtract(size, attrs.n_fft), attrs.hop_length), 1)
    return TensorType((*batch, frequencies, frames, 2), data.dtype)


def _stft_kernel(attrs: StftAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, window = inputs
    before = (attrs.n_fft - window.size) // 2
    padded = np.pad(window.reshape(-1), (before, attrs.n_fft - window.size - before))
    frames = np.lib.stride_tricks.sliding_window_view(data, attrs.n_fft, axis=-1)[..., :: attrs.hop_length, :]
    transform = np.fft.rfft if attrs.onesided else np.fft.fft
    spectrum = np.swapaxes(transform(frames * padded, axis=-1), -1, -2)
    if attrs.normalized:
        spectrum = spectrum / np.sqrt(attrs.n_fft)
    return np.stack([spectrum.real, spectrum.imag], axis=-1).astype(data.dtype)


def _dft_relation(context: RelationContext) -> Type | None:
    real, imaginary = tensor_argument(context, 0, "re_data"), tensor_argument(context, 1, "im_data")
    return None if real is None or imaginary is None else TupleType((real, imaginary))


def _dft_kernel(attrs: DFTAttrs | None, inputs: Sequence[NDArray], result_type: Type) -> tuple[NDArray, NDArray]:
    real, imaginary = inputs
    transform = np.fft.ifft if attrs is not None and attrs.inverse else np.fft.fft
    spectrum = transform(real + 1j * imaginary.astype(np.float64), axis=-1)
    return spectrum.real.astype(real.dtype), spectrum.imag.astype(imaginary.dtype)


register(
    Op(
        "stft",
        doc="The Fourier transforms of windows of ``data`` that lie ``hop_length`` apart: shape (batch where there is "
        "one, frequencies, windows, 2), the real and the imaginary part last.",
        arguments=(
            Argument("data", "A signal, or a batch of signals."),
            Argument("window", "A vector of weights, centred in the n_fft elements of each window."),
        ),
        metadata_attrs=StftAttrs,
        relation=_stft_relation,
        kernel=_stft_kernel,
        level=3,
        shape_needs_data=True,
    )
)

register(
    Op(
        "dft",
        doc="The discrete Fourier transform along the last axis, as a tuple of real and imaginary part in the types of "
        "the arguments.",
        arguments=(
            Argument("re_data", "The real part of the signals."),
            Argument("im_data", "Their imaginary part."),
        ),
        metadata_attrs=DFTAttrs,
        relation=_dft_relation,
        kernel=_dft_kernel,
        level=3,
    )
)
