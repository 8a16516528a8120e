"""How each operator takes a desired layout: ``FTVMConvertOpLayout``.

Source of the rule: the registrations in ``python/tvm/relay/op/nn/_nn.py``, ``python/tvm/relay/op/image/_image.py``,
``python/tvm/relay/op/vision/_rcnn.py`` and ``python/tvm/relay/qnn/op/layout_conversions.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.dimensions import Dim
from relay_lsp.ir.expressions import Call, Expr, Var
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.data_layout import Layout
from relay_lsp.ir.ops.nn.windows import padding_on_both_sides
from relay_lsp.ir.types import TensorType, Type

from ..infrastructure import PassError

__all__ = ["CONVERSIONS", "LayoutCall", "unchanged"]


@dataclass(frozen=True, slots=True)
class LayoutCall:
    """A call whose layouts are to change: ``types`` are those of the old arguments, ``args`` the new arguments."""

    name: str
    args: tuple[Expr, ...]
    attrs: Any
    types: Sequence[Type]
    place: Call

    def with_attrs(self, attrs: Attrs, name: str | None = None) -> Call:
        """The call with other attributes, and perhaps of another operator."""
        return Call(operator.get(name or self.name), self.args, attrs)

    @property
    def attribute_names(self) -> Collection[str]:
        """The names of the operator's attributes."""
        declared: Attrs = self.attrs
        return declared.fields().keys()

    def shape(self, argument: int) -> tuple[Dim, ...]:
        """The shape of an old argument."""
        type = self.types[argument]
        if not isinstance(type, TensorType):
            raise PassError(f"argument {argument} of {self.name} must be a tensor", place=self.place)
        return type.shape

    def require(self, count: int, desired: Sequence[str]) -> None:
        """Require ``count`` desired layouts, the first of them a real one.

        Raises:
            PassError: there are more or fewer, or the first is ``default``.
        """
        if len(desired) != count:
            raise PassError(
                f"{self.name} needs {count} desired layouts, but {len(desired)} are given", place=self.place
            )
        if desired[0] == "default":
            raise PassError(f"the desired layout of the data of {self.name} cannot be default", place=self.place)

    def refuse(self, layout: str) -> PassError:
        """Why ``layout`` is not possible."""
        return PassError(f"{self.name} has no conversion to the layout {layout}", place=self.place)


Conversion: TypeAlias = Callable[[LayoutCall, Sequence[str]], Call]


def _convolution(default_kernels: Mapping[str, str], axes: int) -> Conversion:
    """A convolution over ``axes`` spatial axes, with the kernel layout for each data layout where it is ``default``."""

    def convert(call: LayoutCall, desired: Sequence[str]) -> Call:
        call.require(2, desired)
        data, kernel = desired
        if kernel == "default":
            if data not in default_kernels:
                raise call.refuse(data)
            kernel = default_kernels[data]
        padding = padding_on_both_sides(call.attrs.padding, axes)
        return call.with_attrs(replace(call.attrs, padding=padding, data_layout=data, kernel_layout=kernel))

    return convert


def unchanged(call: LayoutCall) -> Call:
    """The convolution of two dimensions in its own layouts, rebuilt as TVM's functions build it."""
    return call.with_attrs(replace(call.attrs, padding=padding_on_both_sides(call.attrs.padding, 2)))


_TILED: Final = re.compile(r"NCHW(\d*)c")
_CONVOLUTION_KERNELS: Final = {"NCHW": "OIHW", "NHWC": "HWIO"}
_DEPTHWISE_KERNELS: Final = {**_CONVOLUTION_KERNELS, "NHWC": "HWOI"}


def _conv2d(call: LayoutCall, desired: Sequence[str]) -> Call:
    call.require(2, desired)
    data, kernel = desired
    tiled = _TILED.match(data)
    if tiled is not None:
        return _tiled_conv2d(call, data, kernel, tiled[1])
    if kernel == "default" and data == "NHWC" and _is_depthwise(call):
        kernel = "HWOI"
    return _convolution({**_CONVOLUTION_KERNELS, "HWNC": "HWOI"}, 2)(call, (data, kernel))


def _tiled_conv2d(call: LayoutCall, data: str, kernel: str, factor: str) -> Call:
    if kernel == "default":
        raise PassError(f"{call.name} in {data} needs a kernel layout other than default", place=call.place)
    padding = padding_on_both_sides(call.attrs.padding, 2)
    channels = call.shape(0)[1]
    # TVM asks only of parameters whether their channels fill whole blocks.
    if isinstance(call.args[0], Var) and not (isinstance(channels, int) and channels % int(factor) == 0):
        return call.with_attrs(replace(call.attrs, padding=padding))
    _require_whole_blocks(call, kernel)
    attrs = replace(call.attrs, padding=padding, data_layout=data, kernel_layout=kernel)
    return call.with_attrs(attrs, "nn.contrib_conv2d_NCHWc")


def _require_whole_blocks(call: LayoutCall, kernel: str) -> None:
    """Require that blocks add no output channels, and no input channels to a group: they would be in the result.

    TVM goes on, and fails later because the result has another type.
    """
    old, new = Layout.parse(call.attrs.kernel_layout), Layout.parse(kernel)
    for letter in "O" if call.attrs.groups == 1 else "OI":
        outer, factor = call.shape(1)[old.index(letter)], new.factor(letter)
        channels = outer * max(old.factor(letter), 1) if isinstance(outer, int) else 0
        if factor > 1 and channels % factor:
            raise PassError(
                f"the {channels} channels {letter} of the weight do not fill blocks of {factor}, as in {kernel}",
                place=call.place,
            )


def _qnn_conv2d(call: LayoutCall, desired: Sequence[str]) -> Call:
    call.require(2, desired)
    depthwise = desired == ("NHWC", "default") and _is_depthwise(call)
    return _convolution(_DEPTHWISE_KERNELS if depthwise else _CONVOLUTION_KERNELS, 2)(call, desired)


def _is_depthwise(call: LayoutCall) -> bool:
    """Whether there are as many groups as channels, in and out (``is_depthwise_conv2d``)."""
    inputs = _channels(call.shape(0), call.attrs.data_layout, "C", r"NCHW\d*c")
    outputs = _channels(call.shape(1), call.attrs.kernel_layout, "O", r"OIHW(\d*i)?\d*o")
    return inputs is not None and inputs == outputs == call.attrs.groups


def _channels(shape: Sequence[Dim], layout: str, letter: str, in_blocks: str) -> Dim | None:
    """The size of the axis ``letter``, whose inner part stands last in layouts that match ``in_blocks``."""
    if len(shape) == 4:
        return shape[layout.find(letter)]
    return _product(shape[layout.find(letter)], shape[-1]) if re.fullmatch(in_blocks, layout) else None


def _product(outer: Dim, inner: Dim) -> int | None:
    return outer * inner if isinstance(outer, int) and isinstance(inner, int) else None


def _conv2d_backward_weight(call: LayoutCall, desired: Sequence[str]) -> Call:
    call.require(2, desired)
    data, kernel = desired
    # The declaration's layouts are, in order, those of the gradient, of the data and of the weight's gradient.
    attrs = replace(call.attrs, data_layout=data, kernel_layout=data, out_layout=kernel)
    return call.with_attrs(replace(attrs, padding=padding_on_both_sides(call.attrs.padding, 2)))


def _pooling(call: LayoutCall, desired: Sequence[str]) -> Call:
    if not desired:
        raise PassError(f"{call.name} needs a desired layout", place=call.place)
    attrs = replace(call.attrs, layout=desired[0], out_layout=desired[0])
    if "padding" in call.attribute_names:
        attrs = replace(attrs, padding=padding_on_both_sides(attrs.padding, 2))
    return call.with_attrs(attrs)


def _resizing(call: LayoutCall, desired: Sequence[str]) -> Call:
    call.require(1, desired)
    return call.with_attrs(replace(call.attrs, layout=desired[0]))


def _regions(call: LayoutCall, desired: Sequence[str]) -> Call:
    call.require(2, desired)
    data, regions = desired
    if regions != "default":
        raise PassError(f"the desired layout of the regions of {call.name} must be default", place=call.place)
    if data not in ("NCHW", "NHWC"):
        raise call.refuse(data)
    return call.with_attrs(replace(call.attrs, layout=data))


CONVERSIONS: Final[Mapping[str, Conversion]] = {
    "nn.conv2d": _conv2d,
    "nn.conv2d_transpose": _convolution({"NCHW": "IOHW", "NHWC": "HWIO"}, 2),
    "nn.conv3d": _convolution({"NCDHW": "OIDHW", "NDHWC": "DHWIO"}, 3),
    "nn.conv3d_transpose": _convolution({"NCDHW": "IODHW", "NDHWC": "DHWOI"}, 3),
    "nn.deformable_conv2d": _convolution(_CONVOLUTION_KERNELS, 2),
    "nn.conv2d_backward_weight": _conv2d_backward_weight,
    "nn.max_pool2d": _pooling,
    "nn.avg_pool2d": _pooling,
    "nn.global_max_pool2d": _pooling,
    "nn.global_avg_pool2d": _pooling,
    "image.resize1d": _resizing,
    "image.resize2d": _resizing,
    "vision.roi_align": _regions,
    "vision.roi_pool": _regions,
    "qnn.conv2d": _qnn_conv2d,
    "qnn.conv2d_transpose": _convolution({"NCHW": "IOHW", "NHWC": "HWIO"}, 2),
}
"""What each operator becomes for its desired layouts."""
