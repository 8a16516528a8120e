"""Every operator with a kernel, called once: what the kernel computes has the type that the relation says.

The values are judged by the tests of each family and by the records; here nothing is left out. A ``?`` of the type
agrees with any size. An operator that is added needs a line in ``CALLS``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.dimensions import ANY, DimOperation, SizeVar
from relay_lsp.ir.evaluation import evaluate
from relay_lsp.ir.expressions import Call, Constant, Expr, Function, GlobalVar, Tuple, Var
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.metadata import MetadataNode
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import DataType, TensorType, TupleType, Type

CHOOSER = np.random.default_rng(7)


def f32(*shape: int) -> np.ndarray:
    return CHOOSER.uniform(0.05, 0.95, shape).astype("float32")


def ints(*shape: int, high: int = 3, dtype: str = "int32") -> np.ndarray:
    return CHOOSER.integers(0, high, shape).astype(dtype)


def array(*values: Any, dtype: str = "int32") -> np.ndarray:
    return np.array(values, dtype)


def scalar(value: Any, dtype: str = "float32") -> np.ndarray:
    return np.array(value, dtype)


@dataclass(frozen=True)
class Sample:
    """One call: arrays, or tuples of them, and the attributes that differ from their defaults."""

    arguments: Sequence[Any]
    attrs: Mapping[str, Any] = field(default_factory=dict)


def call(*arguments: Any, **attrs: Any) -> Sample:
    return Sample(arguments, attrs)


IMAGE = f32(1, 4, 8, 8)
KEY = array(*range(10), dtype="uint64")
SCALES = (scalar(0.5), scalar(3, "int32"))
QUANTIZED = ints(2, 3, high=20, dtype="uint8")
CSR = (f32(3), array(0, 2, 1), array(0, 1, 2, 3))
"""A sparse 3x3 matrix with a value in each row."""
BSR = (f32(2, 4, 1), array(0, 1), array(0, 1, 2))
"""A sparse 8x2 matrix of blocks 4x1."""

ROW, COLUMN = SizeVar("i", nonnegative=False), SizeVar("j", nonnegative=False)
INDEX_MAP = MetadataNode(
    "tir.IndexMap",
    fields={
        "initial_indices": (ROW, COLUMN),
        "final_indices": (DimOperation("//", COLUMN, 3), ROW, DimOperation("%", COLUMN, 3)),
    },
)
"""A matrix in blocks of three columns."""

UNARY = """abs acos acosh asin asinh atan atanh ceil copy cos cosh erf exp fast_erf fast_exp fast_tanh floor isfinite
isinf isnan log log10 log2 negative ones_like round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc zeros_like
nn.relu nn.dropout nn.leaky_relu nn.softmax nn.fast_softmax nn.log_softmax annotation.stop_fusion annotation.checkpoint
annotation.bitpack_start annotation.bitpack_end memory.kill argwhere sort argmax argmin
sum prod max min mean nn.batch_flatten transpose"""
ARITHMETIC = "add subtract multiply divide floor_divide trunc_divide mod trunc_mod floor_mod power maximum minimum"
COMPARISON = "equal not_equal less less_equal greater greater_equal"
BITWISE = "bitwise_and bitwise_or bitwise_xor left_shift right_shift"
LOGICAL = "logical_and logical_or logical_xor"
QNN_UNARY = "tanh exp sqrt rsqrt erf sigmoid hardswish log abs leaky_relu"

CALLS: dict[str, Sample] = {
    **{name: call(f32(2, 3)) for name in UNARY.split()},
    **{name: call(f32(2, 3), f32(1, 3)) for name in (ARITHMETIC + " " + COMPARISON).split()},
    **{name: call(ints(2, 3), ints(3)) for name in BITWISE.split()},
    **{name: call(ints(2, 3, high=2, dtype="bool"), ints(3, high=2, dtype="bool")) for name in LOGICAL.split()},
    **{f"qnn.{name}": call(QUANTIZED, *SCALES, *SCALES) for name in QNN_UNARY.split()},
    **{f"qnn.{name}": call(QUANTIZED, QUANTIZED, *SCALES, *SCALES, *SCALES) for name in ("add", "subtract", "mul")},
    **{name: call(ints(2, 3, high=2, dtype="bool")) for name in ("all", "any", "logical_not")},
    "bitwise_not": call(ints(2, 3)),
    "clip": call(f32(2, 3), a_min=0.2, a_max=0.4),
    **{name: call(f32(2, 3), dtype="int32") for name in ("shape_of", "ndarray_size", "vm.shape_of")},
    "cast": call(f32(2, 3), dtype="int8"),
    "cast_like": call(f32(2, 3), ints(1)),
    "reinterpret": call(f32(2, 3), dtype="int32"),
    "annotation.compiler_begin": call(f32(2), compiler="c"),
    "annotation.compiler_end": call(f32(2), compiler="c"),
    "annotation.cast_hint": call(f32(2), dtype="int8"),
    "relay.op.annotation.simulated_quantize": call(f32(2, 3), scalar(0.5), scalar(-8), scalar(8), kind=1),
    "on_device": call(f32(2)),
    "device_copy": call(f32(2)),
    # Elements by index.
    "adv_index": call((f32(4, 5), ints(2, 3), ints(3))),
    "gather": call(f32(4, 5), ints(4, 2), axis=1),
    "gather_nd": call(f32(4, 5), ints(2, 3)),
    "take": call(f32(4, 5), ints(2, 3), axis=1),
    "where": call(ints(2, 3, high=2, dtype="bool"), f32(3), f32(2, 1)),
    "one_hot": call(ints(2, 3), scalar(1), scalar(0), depth=4, dtype="float32"),
    "unravel_index": call(ints(5, high=6), array(2, 3)),
    "sequence_mask": call(f32(4, 2, 3), ints(2)),
    "invert_permutation": call(array(2, 0, 1)),
    "argsort": call(f32(2, 3), dtype="int32"),
    "topk": call(f32(2, 5), k=2, dtype="int32"),
    "searchsorted": call(f32(2, 5), f32(2, 3)),
    "unique": call(ints(6), return_counts=True),
    "matrix_set_diag": call(f32(2, 3, 4), f32(2, 2, 3), k1=-1, k2=0),
    "trilu": call(f32(2, 3, 4), scalar(1, "int32")),
    "scatter_elements": call(f32(3, 3), ints(2, 3), f32(2, 3), reduction="mean"),
    "scatter_nd": call(f32(3, 3), ints(2, 4), f32(4), mode="add"),
    "cumsum": call(f32(2, 3), axis=1, exclusive=True),
    "cumprod": call(ints(2, 3), dtype="int64"),
    "variance": call(f32(2, 3), f32(2, 1), axis=(1,)),
    # Shapes.
    "concatenate": call((f32(2, 3), f32(4, 3))),
    "stack": call((f32(2, 3), f32(2, 3)), axis=1),
    "meshgrid": call((f32(2), f32(3)), indexing="xy"),
    "zeros": call(shape=(2, 3), dtype="float32"),
    "ones": call(shape=(2, 3), dtype="int8"),
    "full": call(scalar(2), shape=(2, 3)),
    "full_like": call(f32(2, 3), scalar(2)),
    "arange": call(scalar(0), scalar(3), scalar(0.5), start=0.0, stop=3.0, step=0.5, dtype="float32"),
    "repeat": call(f32(2, 3), repeats=2, axis=-1),
    "tile": call(f32(2, 3), reps=(2, 1, 3)),
    "broadcast_to": call(f32(3), shape=(2, 3)),
    "broadcast_to_like": call(f32(3), f32(2, 3)),
    "collapse_sum_like": call(f32(2, 3), f32(1, 3)),
    "collapse_sum_to": call(f32(2, 3), array(1, 3), shape=None),
    "reshape": call(f32(2, 6), newshape=(3, -1)),
    "contrib_reverse_reshape": call(f32(2, 6), newshape=(-1, 3)),
    "reshape_like": call(f32(2, 6), f32(3, 4)),
    "squeeze": call(f32(1, 3, 1), axis=(0,)),
    "expand_dims": call(f32(2, 3), axis=1, num_newaxis=2),
    "strided_slice": call(f32(6, 4), begin=(5, 1), end=(0, 3), strides=(-2, 1), axes=None),
    "strided_set": call(f32(6, 4), f32(2, 4), array(1), array(5), array(2)),
    "split": call(f32(6, 4), indices_or_sections=(1, 4)),
    "slice_like": call(f32(6, 4), f32(2, 9), axes=(0,)),
    "sliding_window": call(f32(2, 6, 7), axis=1, window_shape=(3, 2), strides=(2, 3)),
    "reverse": call(f32(2, 3), axis=1),
    "reverse_sequence": call(f32(4, 2), ints(2, high=4), seq_axis=0, batch_axis=1),
    "layout_transform": call(IMAGE, src_layout="NCHW", dst_layout="NCHW2c"),
    "auto_scheduler_layout_transform": call(f32(4, 6), src_layout="4A6B", dst_layout="2A6B2A"),
    "meta_schedule_layout_transform": call(f32(4, 6), index_map=INDEX_MAP),
    "einsum": call((f32(2, 3), f32(3, 4)), equation="ij,jk->ki"),
    "stft": call(f32(2, 16), f32(4), n_fft=4, hop_length=2, win_length=4),
    "dft": call(f32(2, 8), f32(2, 8)),
    "fixed_point_multiply": call(ints(2, 3, high=99), multiplier=1 << 30, shift=1),
    "fixed_point_multiply_per_axis": call(
        ints(2, 3, high=99), array(1 << 30, 1 << 29, 1 << 30), array(0, 0, 0), array(1, 2, 3), axes=(1,)
    ),
    # Shapes known at run time.
    "dyn.reshape": call(f32(2, 6), array(3, -1, dtype="int64"), newshape=None),
    "dyn.tile": call(f32(2, 3), array(2, 1), reps=None),
    "dyn.broadcast_to": call(f32(3), array(2, 3), shape=None),
    "dyn.zeros": call(array(2, 3), shape=None, dtype="float32"),
    "dyn.ones": call(array(2, 3), shape=None, dtype="float32"),
    "dyn.full": call(scalar(2), array(2, 3), shape=None, dtype="int32"),
    "dyn.one_hot": call(ints(2, 3), scalar(1), scalar(0), scalar(4, "int32"), dtype="float32"),
    "dyn.strided_slice": call(f32(6, 4), array(1), array(5), array(2), begin=None, end=None, strides=None, axes=None),
    "dyn.expand_dims": call(f32(2, 3), scalar(1, "int32"), num_newaxis=1),
    "dyn.squeeze": call(f32(1, 3), array(0)),
    "dyn.topk": call(f32(2, 5), scalar(2, "int32"), k=None, dtype="int64"),
    "dyn.nn.pad": call(f32(2, 3), np.array([[0, 1], [2, 0]]), scalar(0), pad_width=()),
    "dyn.nn.upsampling": call(IMAGE, scalar(2), scalar(2), scale_h=1.0, scale_w=1.0),
    "dyn.nn.upsampling3d": call(f32(1, 2, 3, 3, 3), *[scalar(2)] * 3, scale_d=1.0, scale_h=1.0, scale_w=1.0),
    "dyn.image.resize2d": call(IMAGE, array(5, 6, dtype="int64"), f32(4)),
    "dyn.sparse_to_dense": call(np.array([[0, 1], [1, 2]]), f32(2), scalar(0), array(2, 3)),
    # Networks.
    "nn.conv1d": call(f32(1, 4, 9), f32(6, 4, 3), padding=(1, 1)),
    "nn.conv2d": call(IMAGE, f32(6, 2, 3, 3), padding=(1, 1, 1, 1), groups=2, strides=(2, 2)),
    "nn.conv3d": call(f32(1, 2, 5, 5, 5), f32(3, 2, 3, 3, 3), dilation=(2, 1, 1)),
    "nn.contrib_depthwise_conv2d_NCHWc": call(
        f32(1, 2, 8, 8, 2),
        f32(2, 1, 3, 3, 1, 2),
        groups=4,
        channels=4,
        kernel_size=(3, 3),
        data_layout="NCHW2c",
        kernel_layout="OIHW1i2o",
        out_layout="NCHW2c",
    ),
    "nn.contrib_conv2d_NCHWc": call(
        f32(1, 2, 8, 8, 2),
        f32(2, 2, 3, 3, 2, 3),
        channels=6,
        kernel_size=(3, 3),
        data_layout="NCHW2c",
        kernel_layout="OIHW2i3o",
        out_layout="NCHW3c",
    ),
    "nn.conv2d_backward_weight": call(
        f32(1, 6, 8, 8), IMAGE, kernel_size=(3, 3), padding=(1, 1), kernel_layout="NCHW", out_layout="OIHW"
    ),
    "nn.conv1d_transpose": call(f32(1, 4, 9), f32(4, 6, 3), strides=(2,), padding=(1, 1), output_padding=(1,)),
    "nn.conv2d_transpose": call(IMAGE, f32(4, 3, 3, 3), strides=(2, 2), groups=2, channels=6, kernel_size=(3, 3)),
    "nn.conv3d_transpose": call(f32(1, 2, 4, 4, 4), f32(2, 3, 2, 2, 2), strides=(2, 2, 2)),
    "nn.contrib_conv2d_winograd_without_weight_transform": call(
        IMAGE, f32(6, 6, 4, 5), tile_size=4, kernel_size=(3, 3), padding=(1, 1), channels=5
    ),
    "nn.contrib_conv3d_winograd_without_weight_transform": call(
        f32(1, 4, 6, 6, 6), f32(6, 6, 6, 4, 5), tile_size=4, kernel_size=(3, 3, 3), padding=(1, 1, 1), channels=5
    ),
    "nn.contrib_conv2d_winograd_weight_transform": call(f32(5, 4, 3, 3), tile_size=4),
    "nn.contrib_conv3d_winograd_weight_transform": call(f32(5, 4, 3, 3, 3), tile_size=4),
    "nn.contrib_conv2d_gemm_without_weight_transform": call(
        f32(1, 8, 8, 4),
        f32(2, 9, 4, 4),
        channels=6,
        kernel_size=(3, 3),
        data_layout="NHWC",
        kernel_layout="HWIO",
        padding=(1, 1),
    ),
    "nn.contrib_conv2d_gemm_weight_transform": call(f32(3, 3, 4, 6), tile_rows=4, tile_cols=4),
    "nn.deformable_conv2d": call(IMAGE, f32(1, 18, 6, 6), f32(6, 4, 3, 3), kernel_size=(3, 3), channels=6),
    "nn.bitpack": call(ints(1, 8, 4, dtype="uint8"), bits=2, pack_axis=1, bit_axis=2, pack_type="uint8"),
    "nn.bitserial_conv2d": call(
        ints(1, 8, 5, 5, high=2, dtype="uint8"),
        ints(3, 8, 3, 3, high=2, dtype="uint8"),
        channels=3,
        pack_dtype="uint8",
        out_dtype="int16",
        padding=(1, 1),
    ),
    "nn.bitserial_dense": call(
        ints(2, 16, high=2, dtype="uint8"),
        ints(3, 16, high=2, dtype="uint8"),
        units=3,
        pack_dtype="uint8",
        out_dtype="int16",
    ),
    "nn.bias_add": call(IMAGE, f32(4)),
    "nn.dense": call(f32(2, 5), f32(3, 5), units=None),
    "nn.matmul": call(f32(2, 5), f32(5, 3), units=None),
    "nn.batch_matmul": call(f32(2, 3, 4), f32(1, 5, 4), transpose_b=True),
    "nn.contrib_dense_pack": call(f32(2, 6), f32(2, 6, 4), units=None),
    "nn.prelu": call(IMAGE, f32(4)),
    "nn.correlation": call(IMAGE, IMAGE, max_displacement=2, padding=(2, 2)),
    "nn.cross_entropy": call(f32(2, 3), f32(2, 3)),
    "nn.cross_entropy_with_logits": call(f32(2, 3), f32(2, 3)),
    "nn.nll_loss": call(f32(2, 3, 4), ints(2, 4), f32(3), reduction="none", ignore_index=-100),
    "nn.batch_norm": call(IMAGE, f32(4), f32(4), f32(4), f32(4)),
    "nn.instance_norm": call(IMAGE, f32(4), f32(4)),
    "nn.layer_norm": call(f32(2, 3), f32(3), f32(3)),
    "nn.group_norm": call(IMAGE, f32(4), f32(4), num_groups=2),
    "nn.lrn": call(IMAGE),
    "nn.l2_normalize": call(IMAGE, eps=0.001, axis=(1,)),
    "nn.pad": call(f32(2, 3), scalar(0), pad_width=((1, 0), (0, 2))),
    "nn.mirror_pad": call(f32(2, 3), pad_width=((1, 0), (0, 2))),
    **{
        f"nn.{how}_pool{rank}d": call(f32(1, 2, *(7,) * rank), pool_size=(3,) * rank, strides=(2,) * rank)
        for how in ("max", "avg")
        for rank in (1, 2, 3)
    },
    **{
        f"nn.adaptive_{how}_pool{rank}d": call(f32(1, 2, *(7,) * rank), output_size=(3,) * rank)
        for how in ("max", "avg")
        for rank in (1, 2, 3)
    },
    "nn.global_max_pool2d": call(IMAGE),
    "nn.global_avg_pool2d": call(IMAGE),
    "nn.max_pool2d_grad": call(f32(1, 4, 4, 4), IMAGE, pool_size=(2, 2), strides=(2, 2)),
    "nn.avg_pool2d_grad": call(f32(1, 4, 4, 4), IMAGE, pool_size=(2, 2), strides=(2, 2)),
    "nn.depth_to_space": call(IMAGE, block_size=2),
    "nn.space_to_depth": call(IMAGE, block_size=2),
    "nn.space_to_batch_nd": call(f32(1, 4, 6, 2), block_shape=(2, 2), paddings=((0, 0), (1, 1))),
    "nn.batch_to_space_nd": call(f32(4, 3, 3, 2), block_shape=(2, 2), crops=((0, 1), (0, 0))),
    "nn.dilate": call(f32(2, 3), strides=(2, 3), dilation_value=1.0),
    "nn.fifo_buffer": call(f32(1, 2), f32(3, 2)),
    "nn.sparse_dense": call(f32(2, 3), *CSR),
    "nn.internal.sparse_dense_padded": call(f32(2, 3), *CSR),
    "nn.sparse_transpose": call(*CSR),
    "nn.sparse_add": call(f32(3, 3), *CSR),
    "nn.sparse_conv2d": call(f32(1, 4, 4, 2), *BSR),
    "nn.upsampling": call(IMAGE, scale_h=2.0, scale_w=3.0, method="bilinear"),
    "nn.upsampling3d": call(f32(1, 2, 3, 3, 3), scale_d=2.0, scale_h=2.0, scale_w=2.0),
    "image.dilation2d": call(f32(1, 2, 6, 6), f32(2, 3, 3), padding=(1, 1)),
    "image.affine_grid": call(f32(2, 2, 3), target_shape=(4, 5)),
    "image.grid_sample": call(IMAGE, f32(1, 2, 5, 6)),
    "image.resize1d": call(f32(1, 2, 5), size=(9,), roi=(0.0,) * 2),
    "image.resize2d": call(IMAGE, size=(5, 12), method="cubic", roi=(0.0,) * 4),
    "image.resize3d": call(f32(1, 2, 3, 3, 3), size=(4, 5, 6), roi=(0.0,) * 6),
    "image.crop_and_resize": call(IMAGE, f32(3, 4), ints(3, high=1), crop_size=(3, 2)),
    # Quantized networks.
    "qnn.quantize": call(f32(2, 3), *SCALES, out_dtype="int8"),
    "qnn.dequantize": call(QUANTIZED, f32(3), ints(3), axis=1),
    "qnn.simulated_quantize": call(f32(2, 3), scalar(1, "int32"), *SCALES),
    "qnn.simulated_dequantize": call(f32(2, 3), scalar(1, "int32"), *SCALES),
    "qnn.requantize": call(ints(2, 3, high=99), *SCALES, *SCALES, out_dtype="int8"),
    "qnn.concatenate": call((QUANTIZED, QUANTIZED), (SCALES[0], SCALES[0]), (SCALES[1], SCALES[1]), *SCALES),
    "qnn.conv2d": call(
        ints(1, 4, 6, 6, dtype="uint8"),
        ints(5, 4, 3, 3, dtype="int8"),
        SCALES[1],
        SCALES[1],
        SCALES[0],
        SCALES[0],
        channels=5,
        kernel_size=(3, 3),
        padding=(1, 1),
        out_dtype="int32",
    ),
    "qnn.conv2d_transpose": call(
        ints(1, 4, 6, 6, dtype="uint8"),
        ints(4, 5, 3, 3, dtype="int8"),
        SCALES[1],
        SCALES[1],
        SCALES[0],
        SCALES[0],
        channels=5,
        kernel_size=(3, 3),
        strides=(2, 2),
        out_dtype="int32",
    ),
    "qnn.dense": call(
        QUANTIZED, ints(4, 3, dtype="int8"), SCALES[1], SCALES[1], SCALES[0], SCALES[0], units=4, out_dtype="int32"
    ),
    "qnn.contrib_dense_pack": call(
        ints(2, 8, dtype="uint8"),
        ints(3, 2, 2, 4, dtype="int8"),
        SCALES[1],
        ints(6),
        SCALES[0],
        SCALES[0],
        units=None,
        out_dtype="int32",
    ),
    "qnn.batch_matmul": call(
        ints(2, 3, 4, dtype="int8"),
        ints(2, 5, 4, dtype="int8"),
        SCALES[1],
        SCALES[1],
        SCALES[0],
        SCALES[0],
        out_dtype="int32",
        transpose_b=True,
    ),
    # Random numbers, sparse tensors, boxes.
    "random.threefry_generate": call(KEY, out_shape=(4,)),
    "random.threefry_split": call(KEY),
    "random.uniform": call(KEY, scalar(0), scalar(1), out_shape=(2, 3), out_dtype="float32"),
    "random.normal": call(KEY, *[scalar(0, "float64")] * 2, out_shape=(2, 3), out_dtype="float64"),
    "random.multinomial": call(KEY, f32(4), num_samples=3),
    "sparse_to_dense": call(np.array([[0, 1], [1, 2]]), f32(2), scalar(0), output_shape=(2, 3)),
    "sparse_fill_empty_rows": call(
        np.array([[0, 1], [2, 2]]), array(5, 6, dtype="int64"), array(4, 3, dtype="int64"), scalar(0, "int64")
    ),
    "sparse_reshape": call(np.array([[0, 1], [1, 2]]), array(2, 3, dtype="int64"), array(3, -1, dtype="int64")),
    "vision.multibox_prior": call(IMAGE, sizes=(0.5, 0.25), ratios=(1.0, 2.0)),
    "vision.multibox_transform_loc": call(f32(1, 3, 5), f32(1, 20), f32(1, 5, 4)),
    "vision.roi_align": call(IMAGE, array([0, 1, 1, 6, 6], dtype="float32"), pooled_size=(2, 3), spatial_scale=0.5),
    "vision.roi_pool": call(IMAGE, array([0, 1, 1, 6, 6], dtype="float32"), pooled_size=(2, 3), spatial_scale=0.5),
    "vision.proposal": call(
        f32(1, 6, 4, 4),
        f32(1, 12, 4, 4),
        array([64, 64, 1], dtype="float32"),
        scales=(2.0,),
        ratios=(0.5, 1.0, 2.0),
        rpn_post_nms_top_n=5,
        rpn_min_size=1,
    ),
    "vision.get_valid_counts": call(f32(1, 5, 6), scalar(0.5), score_threshold=None),
    "vision.non_max_suppression": call(
        f32(1, 5, 6), array(5), ints(1, 5, high=5), scalar(-1, "int32"), scalar(0.5), return_indices=False
    ),
    "vision.all_class_non_max_suppression": call(
        f32(1, 5, 4), f32(1, 2, 5), scalar(3, "int64"), scalar(0.5), scalar(0.1)
    ),
    "vision.yolo_reorg": call(IMAGE, stride=2),
    "vm.reshape_tensor": call(f32(2, 3), array(6, dtype="int64"), newshape=(6,)),
}

CALLED_OTHERWISE = {"debug", "memory.alloc_storage", "memory.alloc_tensor"}
"""What a call from outside cannot reach: a hook of Python's, and the type ``Storage``, which a module defines."""


def arrays_of(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, tuple):
        for part in value:
            yield from arrays_of(part)
    else:
        yield np.asarray(value)


def expression_of(value: Any, params: list[Var]) -> Expr:
    """The parameters that take ``value``, in a tuple where it is one."""
    if isinstance(value, tuple):
        return Tuple(tuple(expression_of(part, params) for part in value))
    given = np.asarray(value)
    params.append(Var(f"p{len(params)}", TensorType(given.shape, DataType(str(given.dtype)))))
    return params[-1]


def check(actual: Any, expected: Type, where: str) -> None:
    if isinstance(expected, TupleType):
        assert isinstance(actual, tuple), where
        assert len(actual) == len(expected.fields), where
        for index, (part, type) in enumerate(zip(actual, expected.fields, strict=True)):
            check(part, type, f"{where}, field {index}")
        return
    assert isinstance(expected, TensorType), where
    assert isinstance(actual, np.ndarray), where
    assert actual.ndim == expected.ndim, where
    assert all(dim is ANY or dim == size for dim, size in zip(expected.shape, actual.shape, strict=True)), where
    assert actual.dtype == numpy_dtype(expected.dtype), where


@pytest.mark.parametrize("name", CALLS)
def test_the_value_has_the_type(name: str):
    sample = CALLS[name]
    op = ops.get(name)
    params: list[Var] = []
    arguments = tuple(expression_of(value, params) for value in sample.arguments)
    declared = op.metadata_attrs_type or op.attrs_type
    attrs = None
    if declared is not None:
        fields = declared.fields()
        given = {
            key: Constant(np.asarray(value, np.float32))
            if key in ("start", "stop", "step")
            else fields[key].convert(value)
            for key, value in sample.attrs.items()
        }
        required = {key: None for key, item in fields.items() if item.required}
        attrs = declared(**{**required, **given})
    function = Function(tuple(params), Call(op, arguments, attrs), None)
    typed = infer_types(IRModule({GlobalVar("main"): function}))
    assert not typed.diagnostics, [diagnostic.message for diagnostic in typed.diagnostics]
    body = typed.module["main"].body
    assert body.checked_type is not None
    values = [part for value in sample.arguments for part in arrays_of(value)]
    actual = evaluate(typed.module, *values)
    if isinstance(body.checked_type, TupleType) and not body.checked_type.fields:
        return
    check(actual, body.checked_type, f"{name}: {body.checked_type!r}")


def test_every_operator_with_a_kernel_is_called():
    with_kernel = {name for name, op in ops.registered().items() if op.kernel is not None}
    assert with_kernel - set(CALLS) == CALLED_OTHERWISE
