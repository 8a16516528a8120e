"""``qnn.conv2d`` in operators that are not quantised.

The convolution is the sum of four terms, as in :mod:`.products`. Sums over windows of the data are average pools of the
data times the size of the window. The data is padded beforehand, with its zero point. A dilated convolution whose
weight has a zero point, and a grouped one, become a convolution of the shifted numbers instead.

Source of the rule: ``src/relay/qnn/op/convolution.cc``.
"""

from __future__ import annotations

from typing import Any, Final

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.data_layout import Layout
from relay_lsp.ir.ops.nn.windows import padding_on_both_sides

from ..construction import expand_bias_to_match_axis, is_equal_scalar, scalar
from .operator_call import OperatorCall
from .products import ZeroPoints, combined, int_scalar
from .requantization import cast, is_constant_scalar

__all__ = ["canonicalize_conv2d"]

_DATA_LAYOUTS: Final = ("NCHW", "NHWC")
_KERNEL_LAYOUTS: Final = ("OIHW", "HWIO", "HWOI", "OHWI")
_DEPTHWISE_KERNEL_LAYOUTS: Final = _KERNEL_LAYOUTS[:3]


def canonicalize_conv2d(call: OperatorCall) -> Expr:
    """The convolution in operators that are not quantised.

    Raises:
        PassError: a layout is not one of the usual ones, ``kernel_size`` is not given, or a dimension is not known.
    """
    return _Convolution(call).lowered()


class _Convolution:
    def __init__(self, call: OperatorCall) -> None:
        attrs: Any = call.attrs
        if attrs.data_layout not in _DATA_LAYOUTS:
            raise call.refused(f"data_layout must be {' or '.join(_DATA_LAYOUTS)}, not {attrs.data_layout}")
        if attrs.kernel_layout not in _KERNEL_LAYOUTS:
            raise call.refused(f"kernel_layout must be one of {', '.join(_KERNEL_LAYOUTS)}, not {attrs.kernel_layout}")
        if attrs.kernel_size is None:
            raise call.refused("kernel_size must be given")
        self.call = call
        self.attrs = attrs
        self.data, self.weight, self.data_zero_point, self.weight_zero_point = call.args[:4]
        self.data_layout = Layout.parse(attrs.data_layout)
        self.kernel_layout = Layout.parse(attrs.kernel_layout)
        self.channel_axis = self.data_layout.index("C")
        kernel = call.static_shape(1)
        self.in_channels = call.static_size(0, self.channel_axis)
        self.out_channels, self.multiplier, height, width = (kernel[self.kernel_layout.index(a)] for a in "OIHW")
        self.window = height * width
        # TVM does not ask for as many channels in the data, and makes an ill-typed module where there are more.
        self.is_depthwise = attrs.channels == attrs.groups == self.in_channels and attrs.groups != 1
        self.zero_points = ZeroPoints.of(self.data_zero_point, self.weight_zero_point)
        self.wide_dtype = f"int{max(attrs.out_dtype.bits, 32)}"

    def lowered(self) -> Expr:
        attrs = self.attrs
        weight_is_shifted = self.zero_points is None or self.zero_points.weight != 0
        is_dilated = any(step != 1 for step in attrs.dilation)
        is_grouped = attrs.groups != 1 and not self.is_depthwise
        of_shifted = is_grouped or (is_dilated and weight_is_shifted)
        if self.zero_points is None:
            axis = self.kernel_layout.index("O") if of_shifted else self.channel_axis
            flat = apply("reshape", self.weight_zero_point, newshape=(-1,))
            self.weight_zero_point = expand_bias_to_match_axis(flat, 4, (axis,))
        if of_shifted:
            return self._convolution_of_shifted()
        if self.is_depthwise and attrs.kernel_layout not in _DEPTHWISE_KERNEL_LAYOUTS:
            raise self.call.refused(f"a depthwise one cannot have the kernel_layout {attrs.kernel_layout}")
        self.data = self._padded()
        product = self._conv2d(self.data, self.weight, (0, 0, 0, 0))
        return combined(product, self._data_term, self._weight_term, self._constant_term, self.zero_points)

    def _conv2d(self, data: Expr, weight: Expr, padding: tuple[int, ...]) -> Expr:
        attrs = self.attrs
        return apply(
            "nn.conv2d",
            data,
            weight,
            strides=attrs.strides,
            padding=padding,
            dilation=attrs.dilation,
            groups=attrs.groups,
            channels=attrs.channels,
            kernel_size=attrs.kernel_size,
            data_layout=attrs.data_layout,
            kernel_layout=attrs.kernel_layout,
            out_layout=attrs.out_layout,
            out_dtype=attrs.out_dtype,
        )

    def _convolution_of_shifted(self) -> Expr:
        """The convolution of the numbers less their zero points, in a dtype that holds the results."""
        zero = scalar(0, self.wide_dtype)
        operands: list[Expr] = []
        for value, zero_point in ((self.data, self.data_zero_point), (self.weight, self.weight_zero_point)):
            shifted: Expr = cast(value, self.wide_dtype)
            if not is_equal_scalar(zero_point, zero):
                shifted = apply("subtract", shifted, cast(zero_point, self.wide_dtype))
            operands.append(shifted)
        return self._conv2d(operands[0], operands[1], self.attrs.padding)

    def _padded(self) -> Expr:
        top, left, bottom, right = padding_on_both_sides(self.attrs.padding, 2)
        if not any((top, left, bottom, right)):
            return self.data
        sides = {"N": (0, 0), "C": (0, 0), "H": (top, bottom), "W": (left, right)}
        width = tuple(sides[axis.letter] for axis in self.data_layout.axes)
        return apply("nn.pad", self.data, self.data_zero_point, pad_width=width)

    def _data_term(self) -> Expr:
        """The zero point of the weight times the sums of the data over each window."""
        sums: Expr = cast(self.data, "int32")
        if not self.is_depthwise:
            sums = apply("sum", sums, axis=(self.channel_axis,), keepdims=True)
        if self.window != 1:
            # The pool divides integers, so the factor comes first.
            sums = self._pooled(apply("multiply", sums, scalar(self.window, "int32")))
        elif any(stride != 1 for stride in self.attrs.strides):
            sums = self._pooled(sums)
        return self._depthwise_data_term(sums) if self.is_depthwise else self._full_data_term(sums)

    def _full_data_term(self, sums: Expr) -> Expr:
        zero_point = self.weight_zero_point
        if is_equal_scalar(zero_point, scalar(1, "int32")):
            return sums
        if not is_constant_scalar(zero_point):
            sums = apply("repeat", sums, repeats=self.out_channels, axis=self.channel_axis)
        return apply("multiply", zero_point, sums)

    def _depthwise_data_term(self, sums: Expr) -> Expr:
        zero_point = self.weight_zero_point
        if not is_equal_scalar(zero_point, scalar(1, "int32")):
            if not is_constant_scalar(zero_point):
                zero_point = apply("repeat", zero_point, repeats=self.multiplier, axis=0)
            sums = apply("multiply", zero_point, sums)
        if self.multiplier != 1:
            sums = apply("repeat", sums, repeats=self.multiplier, axis=self.channel_axis)
        return sums

    def _pooled(self, value: Expr) -> Expr:
        attrs = self.attrs
        return apply(
            "nn.avg_pool2d",
            value,
            pool_size=attrs.kernel_size,
            strides=attrs.strides,
            dilation=attrs.dilation,
            padding=(0, 0),
            layout=attrs.data_layout,
        )

    def _weight_term(self) -> Expr:
        """The zero point of the data times the sums of the weight for each channel of the result."""
        summed = "HW" if self.is_depthwise else "IHW"
        axes = tuple(sorted(self.kernel_layout.index(letter) for letter in summed))
        channels = self.out_channels * self.multiplier if self.is_depthwise else self.out_channels
        shape = tuple(channels if axis.letter == "C" else 1 for axis in self.data_layout.axes)
        sums = apply("reshape", apply("sum", cast(self.weight, "int32"), axis=axes), newshape=shape)
        if is_equal_scalar(self.data_zero_point, scalar(1, "int32")):
            return sums
        return apply("multiply", self.data_zero_point, sums)

    def _constant_term(self) -> Expr:
        """The product of the zero points, as often as there are summands."""
        count = self.window if self.is_depthwise else self.window * self.in_channels
        dtype = "int32" if self.is_depthwise else self.wide_dtype
        if self.zero_points is not None:
            return int_scalar(self.zero_points.data * self.zero_points.weight * count, dtype)
        zero_points = apply("multiply", self.data_zero_point, self.weight_zero_point)
        return apply("multiply", scalar(count, dtype), zero_points)
