"""How a module is quantised: ``QConfig``, and the configuration that is current in a thread.

Source of the rule: ``python/tvm/relay/quantize/quantize.py`` (``QConfig``, ``qconfig``),
``src/relay/quantize/quantize.h``.
"""

from __future__ import annotations

import dataclasses
import enum
import threading
from dataclasses import dataclass
from typing import Any

from typing_extensions import Self

from relay_lsp.ir.types import DataType

from ..infrastructure import PassError, option

__all__ = ["AnnotationKind", "QConfig", "QuantizationOptions", "current_qconfig", "qconfig", "shared_option"]


class AnnotationKind(enum.IntEnum):
    """What a quantised value is; the kind decides its dtype and its number of bits."""

    IDENTITY = 0
    INPUT = 1
    WEIGHT = 2
    ACTIVATION = 3


@dataclass(frozen=True)
class QuantizationOptions:
    """Every option of quantisation, with its default and its documentation. Passes take those that they read."""

    nbit_input: int = option(default=8, doc="How many bits an input has.", lower=2, upper=64)
    nbit_weight: int = option(default=8, doc="How many bits a weight has.", lower=2, upper=64)
    nbit_activation: int = option(default=32, doc="How many bits an activation has.", lower=2, upper=64)
    dtype_input: DataType = option(default="int8", doc="The dtype of inputs.")  # noqa: RUF009 - a field
    dtype_weight: DataType = option(default="int8", doc="The dtype of weights.")  # noqa: RUF009 - a field
    dtype_activation: DataType = option(default="int32", doc="The dtype of activations.")  # noqa: RUF009 - a field
    calibrate_mode: str = option(
        default="global_scale",
        doc="Where the ranges of values come from: one number for all of them, or what the data set shows.",
        choices=("global_scale", "kl_divergence", "percentile"),
    )
    global_scale: float = option(default=8.0, doc="The largest value with `global_scale`.")
    weight_scale: str = option(
        default="power2",
        doc="The range of a weight: its largest absolute value, with `power2` rounded up to a power of two.",
        choices=("power2", "max"),
    )
    skip_dense_layer: bool = option(default=True, doc="Whether `nn.dense` stays in floats.")
    skip_conv_layers: tuple[int, ...] | None = option(
        default=(0,), doc="The `nn.conv2d` that stay in floats, by their place in the function from 0."
    )
    do_simulation: bool = option(
        default=False, doc="Whether the result computes in floats, with the error of quantisation simulated."
    )
    round_for_shift: bool = option(default=True, doc="Whether a shift to the right rounds, instead of truncating.")
    debug_enabled_ops: tuple[str, ...] | None = option(
        default=None, doc="The only operators that are quantised; every one that has a rule with `None`."
    )
    rounding: str = option(
        default="UPWARD", doc="How a product in fixed point is rounded.", choices=("UPWARD", "TONEAREST")
    )
    calibrate_chunk_by: int = option(
        default=-1, doc="Of how many values samples are kept at once, to save memory; all of them with -1.", lower=-1
    )
    partition_conversions: str = option(
        default="disabled",
        doc="Whether the conversions at the borders become functions of their own; `fully_integral` also refuses a "
        "module that computes on floats between them.",
        choices=("disabled", "enabled", "fully_integral"),
    )


_OPTIONS = {field.name: field for field in dataclasses.fields(QuantizationOptions)}


def shared_option(name: str) -> Any:
    """The option of this name as :class:`QuantizationOptions` declares it, for a pass that reads it."""
    field = _OPTIONS[name]
    return dataclasses.field(default=field.default, metadata=field.metadata)


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.stack: list[QConfig] = []


_scopes = _Scopes()


class QConfig(QuantizationOptions):
    """A configuration; inside of ``with`` it is the current one of its thread. Make it by :func:`qconfig`."""

    def __enter__(self) -> Self:
        _scopes.stack.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _scopes.stack.pop()

    def options_for(self, pass_class: type[object]) -> dict[str, object]:
        """What this configuration says about the options of a pass, by name."""
        names = [field.name for field in dataclasses.fields(pass_class) if field.name in _OPTIONS]  # pyright: ignore[reportArgumentType]
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return f"qconfig({', '.join(f'{name}={getattr(self, name)!r}' for name in _OPTIONS)})"


_OUTSIDE = QConfig(skip_conv_layers=None)
"""What counts where no scope is entered: as TVM's own default, which differs from that of ``qconfig`` in this."""


def qconfig(**options: object) -> QConfig:
    """A configuration with these options; the others have their defaults.

    Raises:
        PassError: an option is not known. What kind of value an option takes is checked by the passes that read it.
    """
    for name in options:
        if name not in _OPTIONS:
            raise PassError(f"there is no option {name} of quantisation; there are {', '.join(_OPTIONS)}")
    return QConfig(**options)  # pyright: ignore[reportArgumentType]


def current_qconfig() -> QConfig:
    """The configuration of the innermost scope of this thread."""
    return _scopes.stack[-1] if _scopes.stack else _OUTSIDE
