"""Operators over tensors of any kind, by family; importing this package registers them."""

from . import (  # noqa: F401 - importing a module registers its operators
    binary,
    casting,
    concatenation,
    creation,
    diagonals,
    dynamic,
    einsum,
    expansion,
    indexing,
    ordering,
    rearranging,
    reduction,
    reshaping,
    scans,
    scattering,
    selection,
    shape,
    slicing,
    spectra,
    unary,
)
