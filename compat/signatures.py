"""The parameters of TVM's operator functions, where they are not the operator's arguments and then its attributes.

Each entry is written as Python writes parameters. ``a: data`` says that the parameter ``a`` is what our declaration
calls ``data``. Operators that are not here take what their declarations say, in that order, with those defaults.

Source of the rule: ``python/tvm/relay/op`` and ``python/tvm/relay/qnn/op/qnn.py``.
"""

from __future__ import annotations

import ast
import functools
import inspect
from dataclasses import dataclass
from typing import Any, Final

from relay_lsp.ir.ops.operator import Op

__all__ = ["OperatorParameter", "parameters_of"]


@dataclass(frozen=True, slots=True)
class OperatorParameter:
    """One parameter of an operator's function: its name, that of the argument or attribute, and its default."""

    name: str
    declared: str
    default: Any = inspect.Parameter.empty


@functools.cache
def parameters_of(op: Op) -> tuple[OperatorParameter, ...]:
    """The parameters of the function of an operator, in order."""
    written = _SIGNATURES.get(op.name)
    if written is not None:
        return _parsed(written)
    made = [OperatorParameter(argument.name, argument.name) for argument in op.arguments]
    attributes = op.attrs_type or op.metadata_attrs_type
    for field in attributes.fields().values() if attributes is not None else ():
        if any(argument.name == field.name for argument in op.arguments):
            continue  # A dynamic form keeps an attribute that its argument has taken the place of.
        default = inspect.Parameter.empty if field.required else field.default
        made.append(OperatorParameter(field.name, field.name, default))
    # A parameter without a default may not stand behind one that has one.
    made.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    return tuple(made)


def _parsed(written: str) -> tuple[OperatorParameter, ...]:
    function = ast.parse(f"def f({written}): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    names = function.args.args
    empty: list[Any] = [inspect.Parameter.empty] * (len(names) - len(function.args.defaults))
    defaults = [*empty, *(ast.literal_eval(default) for default in function.args.defaults)]
    return tuple(
        OperatorParameter(each.arg, ast.unparse(each.annotation) if each.annotation else each.arg, default)
        for each, default in zip(names, defaults, strict=True)
    )


_POOL: Final = "layout='{layout}', out_layout='', ceil_mode=False"
_PARAMETERS_OF_REDUCTION: Final = "data, axis=None, keepdims=False, exclude=False"
_QNN_BINARY: Final = "input_zero_point, kernel_zero_point: weight_zero_point, input_scale, kernel_scale: weight_scale"
_WINDOW_2D: Final = "strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1"
_PACKED_CONVOLUTION: Final = (
    f"data, kernel: weight, {_WINDOW_2D}, channels=None, kernel_size=None, data_layout='NCHW8c', "
    "kernel_layout='OIHW', out_layout='', out_dtype=''"
)


def _transposed(ones: str, zeros: str, data_layout: str, kernel_layout: str) -> str:
    return (
        f"data, weight, strides={ones}, padding={zeros}, dilation={ones}, groups=1, channels=None, kernel_size=None, "
        f"data_layout='{data_layout}', kernel_layout='{kernel_layout}', out_layout='', output_padding={zeros}, "
        "out_dtype=''"
    )


def _pools() -> dict[str, str]:
    made: dict[str, str] = {}
    for rank, layout in ((1, "NCW"), (2, "NCHW"), (3, "NCDHW")):
        ones, zeros = (1,) * rank, (0,) * rank
        window = f"data, pool_size={ones}, strides={ones}, dilation={ones}, padding={zeros}"
        made[f"nn.max_pool{rank}d"] = f"{window}, {_POOL.format(layout=layout)}"
        made[f"nn.avg_pool{rank}d"] = f"{made[f'nn.max_pool{rank}d']}, count_include_pad=False"
    gradient = f"out_grad: grad, data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0), {_POOL.format(layout='NCHW')}"
    made["nn.max_pool2d_grad"] = gradient
    made["nn.avg_pool2d_grad"] = f"{gradient}, count_include_pad=False"
    return made


_SIGNATURES: Final[dict[str, str]] = {
    # tensor.py and transform.py
    "clip": "a: data, a_min, a_max",
    "shape_of": "data, dtype='int32'",
    "ndarray_size": "data, dtype='int32'",
    "transpose": "data, axes=None",
    "take": "data, indices, axis=None, batch_dims=0, mode='clip'",
    "slice_like": "data, shape_like, axes=None",
    "gather": "data, axis, indices",
    "unravel_index": "indices: data, shape",
    "sparse_to_dense": "sparse_indices, output_shape, sparse_values, default_value=0",
    "unique": "data, is_sorted: sorted=True, return_counts=False",
    "device_copy": "data, src_device: src_virtual_device, dst_device: dst_virtual_device",
    "argmax": f"{_PARAMETERS_OF_REDUCTION}, select_last_index=False",
    "argmin": f"{_PARAMETERS_OF_REDUCTION}, select_last_index=False",
    "argsort": "data, axis=-1, is_ascend=1, dtype='int32'",
    # nn.py
    "nn.conv1d_transpose": _transposed("(1,)", "(0,)", "NCW", "IOW"),
    "nn.conv2d_transpose": _transposed("(1, 1)", "(0, 0)", "NCHW", "IOHW"),
    "nn.conv3d_transpose": _transposed("(1, 1, 1)", "(0, 0, 0)", "NCDHW", "IODHW"),
    **_pools(),
    "nn.dense": "data, weight, units=None, out_dtype=''",
    "nn.matmul": "tensor_a, tensor_b, units=None, out_dtype='', transpose_a=False, transpose_b=False",
    "nn.contrib_dense_pack": "data, weight, weight_layout='NCHW', units=None, out_dtype=''",
    "nn.contrib_conv2d_NCHWc": _PACKED_CONVOLUTION,
    "nn.contrib_depthwise_conv2d_NCHWc": _PACKED_CONVOLUTION,
    "nn.conv2d_backward_weight": (
        f"grad, data, {_WINDOW_2D}, channels=None, kernel_size=None, grad_layout: data_layout='NCHW', "
        "data_layout: kernel_layout='NCHW', kernel_layout: out_layout='OIHW', out_dtype=''"
    ),
    "nn.space_to_batch_nd": "data, block_shape, paddings, pad_value=0",
    "nn.batch_to_space_nd": "data, block_shape, crops",
    "nn.leaky_relu": "data, alpha=0.01",
    "nn.dilate": "data: x, strides, dilation_value=0.0",
    "nn.mirror_pad": "data, pad_width, mode='SYMMETRIC'",
    "nn.lrn": "data, size=5, axis=1, bias=2, alpha=1e-05, beta=0.75",
    "nn.l2_normalize": "data, eps, axis=None",
    "nn.batch_matmul": "tensor_a, tensor_b, out_dtype='', transpose_a=False, transpose_b=True",
    "nn.bitpack": "data, bits=1, pack_axis=1, bit_axis=2, pack_type='uint32', name='BitPack'",
    "nn.bitserial_conv2d": (
        "data, weight, strides=(1, 1), padding=(0, 0), channels=None, kernel_size=(3, 3), activation_bits=1, "
        "weight_bits=1, data_layout='NCHW', kernel_layout='OIHW', pack_dtype='uint32', out_dtype='int16', unipolar=True"
    ),
    "nn.bitserial_dense": (
        "data, weight, units=None, data_bits=1, weight_bits=1, pack_dtype='uint32', out_dtype='int16', unipolar=True"
    ),
    "nn.cross_entropy": "predictions: x, targets: y",
    "nn.cross_entropy_with_logits": "predictions: x, targets: y",
    "nn.nll_loss": "predictions, targets, weights, reduction='mean', ignore_index=-100",
    # image, random, memory
    "image.affine_grid": "data, target_shape=None",
    "random.threefry_generate": "key, shape: out_shape",
    "on_device": "body: data, device: virtual_device, constrain_result=False, constrain_body=True",
    "vision.non_max_suppression": (
        "data, valid_count, indices, max_output_size=-1, iou_threshold=0.5, force_suppress=False, top_k=-1, "
        "coord_start=2, score_index=1, id_index=0, return_indices=True, invalid_to_bottom=False"
    ),
    "vision.all_class_non_max_suppression": (
        "boxes, scores, max_output_boxes_per_class=-1, iou_threshold=-1.0, score_threshold=-1.0, output_format='onnx'"
    ),
    # qnn.py
    "qnn.requantize": (
        "data, input_scale, input_zero_point, output_scale, output_zero_point, axis=-1, rounding='None', "
        "compute_dtype='None', out_dtype='int8'"
    ),
    "qnn.quantize": "data, output_scale, output_zero_point, axis=-1, out_dtype='int8'",
    "qnn.conv2d": (
        f"data, kernel: weight, {_QNN_BINARY}, kernel_size, channels, {_WINDOW_2D}, "
        "data_layout='NCHW', kernel_layout='OIHW', out_layout='', out_dtype='int32'"
    ),
    "qnn.conv2d_transpose": (
        f"data, weight, {_QNN_BINARY}, {_WINDOW_2D}, channels=None, kernel_size=None, data_layout='NCHW', "
        "kernel_layout='IOHW', out_layout='', output_padding=(0, 0), out_dtype='int32'"
    ),
    "qnn.dense": f"data, weight, {_QNN_BINARY}, units, out_dtype='int32'",
    "qnn.contrib_dense_pack": (
        f"data, weight, {_QNN_BINARY}, kernel_layout: weight_layout='NCHW', units=None, out_dtype='int32'"
    ),
    "qnn.leaky_relu": "x: data, alpha, input_scale, input_zero_point, output_scale, output_zero_point",
    **{
        f"qnn.{name}": "x: data, scale, zero_point, output_scale, output_zero_point"
        for name in ("tanh", "exp", "sqrt", "rsqrt", "erf", "abs", "sigmoid", "hardswish", "log")
    },
}
