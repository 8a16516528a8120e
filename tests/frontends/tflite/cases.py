"""A small model for each operator, and for each way in which its converter tells cases apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flatbuffers import flexbuffers

from .models import Operator, Tensor, constant, model, schema

RELU, RELU_N1_TO_1, RELU6, TANH = 1, 2, 3, 4
SAME, VALID = 0, 1
INT32, INT64, FLOAT32 = schema.TensorType.INT32, schema.TensorType.INT64, schema.TensorType.FLOAT32

_generator = np.random.default_rng(24)


@dataclass
class Case:
    """An operator with its inputs; arrays are inputs of the model, tensors with data are constants."""

    operator: str
    inputs: Sequence[Any]
    outputs: Sequence[Tensor]
    table: str
    options: Mapping[str, Any]
    version: int = 1
    custom_options: bytes = b""

    @property
    def id(self) -> str:
        """The operator and what is special about this case."""
        shown = [f"{key}={value}" for key, value in self.options.items() if isinstance(value, (int, float))]
        quantized = [tensor.dtype for tensor in self.inputs if isinstance(tensor, Tensor) and tensor.scale is not None]
        return "-".join([self.operator, *quantized[:1], *shown])

    def build(self) -> tuple[bytes, dict[str, Any]]:
        """The model's file, and random numbers for its inputs."""
        tensors: list[Tensor] = []
        names: list[str] = []
        arrays: dict[str, Any] = {}
        for index, given in enumerate(self.inputs):
            if given is None:
                names.append("_")
                continue
            tensor = given if isinstance(given, Tensor) else array_input(given)
            tensor.name = f"x{index}"
            tensors.append(tensor)
            names.append(tensor.name)
            if not isinstance(given, Tensor):
                arrays[tensor.name] = given
            elif tensor.data is None and not tensor.is_variable:
                arrays[tensor.name] = numbers(tensor)
        for index, tensor in enumerate(self.outputs):
            tensor.name = f"y{index}"
        outputs = [tensor.name for tensor in self.outputs]
        operator = Operator(self.operator, names, outputs, self.table, self.options, self.custom_options, self.version)
        return model([*tensors, *self.outputs], [operator], list(arrays), outputs), arrays


def array_input(array: Any) -> Tensor:
    return Tensor("", array.shape, array.dtype.name)


def numbers(tensor: Tensor) -> Any:
    """Random numbers of a tensor's type."""
    if tensor.dtype.startswith("float"):
        return _generator.standard_normal(tensor.shape).astype(tensor.dtype)
    if tensor.dtype == "bool":
        return _generator.integers(0, 2, tensor.shape).astype(bool)
    limits = np.iinfo(tensor.dtype)
    return _generator.integers(max(limits.min, -128), min(limits.max, 255), tensor.shape).astype(tensor.dtype)


def real(*shape: int) -> Tensor:
    return Tensor("", shape)


def positive(*shape: int) -> Any:
    return (_generator.random(shape) + 0.1).astype(np.float32)


def steps(*shape: int, dtype: str = "int8", scale: float = 0.05, zero_point: int = 3) -> Tensor:
    """A quantised tensor."""
    return Tensor("", shape, dtype, scale=scale, zero_point=zero_point)


def weights(*shape: int, dtype: str = "float32", **quantization: Any) -> Tensor:
    tensor = Tensor("", shape, dtype)
    return constant("", numbers(tensor), **quantization)


def fixed(value: Any, dtype: str = "int32") -> Tensor:
    return constant("", np.asarray(value, dtype))


def out(dtype: str = "float32", scale: float | None = None, zero_point: int = 3, shape: Sequence[int] = (1,)) -> Tensor:
    return Tensor("", shape, dtype, scale=scale, zero_point=zero_point)


def case(
    operator: str, inputs: Sequence[Any], *outputs: Tensor, table: str = "", version: int = 1, **options: Any
) -> Case:
    return Case(operator, inputs, outputs or (out(),), table, options, version)


def _unary() -> list[Case]:
    anywhere = ["ABS", "CEIL", "COS", "EXP", "FLOOR", "NEG", "ROUND", "SIN", "TANH", "LOGISTIC", "ELU", "SQUARE",
                "RELU", "RELU6", "RELU_N1_TO_1", "HARD_SWISH", "ZEROS_LIKE"]  # fmt: skip
    made = [case(name, [real(2, 3)]) for name in anywhere]
    made += [case(name, [positive(2, 3)]) for name in ("LOG", "SQRT", "RSQRT")]
    made += [
        case("SOFTMAX", [real(2, 3)], table="SoftmaxOptions", Beta=1.0),
        case("SOFTMAX", [real(2, 3)], table="SoftmaxOptions", Beta=0.5),
        case("LOG_SOFTMAX", [real(2, 3)]),
        case("LEAKY_RELU", [real(2, 3)], table="LeakyReluOptions", Alpha=0.2),
        case("PRELU", [real(1, 2, 2, 3), weights(3)]),
        case("L2_NORMALIZATION", [real(2, 3)], table="L2NormOptions"),
        case("LOGICAL_NOT", [Tensor("", (2, 3), "bool")], out("bool")),
        case("CAST", [real(2, 3)], out("int32"), table="CastOptions", InDataType=FLOAT32, OutDataType=INT32),
        case("CAST", [Tensor("", (2, 3), "int32")], out("float32")),
        case("FAKE_QUANT", [real(2, 3)], table="FakeQuantOptions", Min=-1.0, Max=2.0, NumBits=8, NarrowRange=False),
    ]
    for dtype in ("int8", "uint8"):
        least = -128 if dtype == "int8" else 0
        for name in ("RELU", "RELU6"):
            made.append(case(name, [steps(2, 3, dtype=dtype)], out(dtype, 0.05), version=2))
        made += [
            case("LOGISTIC", [steps(2, 3, dtype=dtype)], out(dtype, 1 / 256, least), version=2),
            case("TANH", [steps(2, 3, dtype=dtype)], out(dtype, 1 / 128, least + 128), version=2),
            case("HARD_SWISH", [steps(2, 3, dtype=dtype)], out(dtype, 0.05)),
            case("LEAKY_RELU", [steps(2, 3, dtype=dtype)], out(dtype, 0.05), table="LeakyReluOptions", Alpha=0.2,
                 version=2),
            case("SOFTMAX", [steps(2, 3, dtype=dtype)], out(dtype, 1 / 256, least),
                 table="SoftmaxOptions", Beta=1.0, version=2),
            case("PRELU", [steps(1, 2, 2, 3, dtype=dtype), weights(3, dtype=dtype, scale=0.02, zero_point=1)],
                 out(dtype, 0.05)),
        ]  # fmt: skip
    return made


def _binary() -> list[Case]:
    made: list[Case] = []
    for name, table in (("ADD", "AddOptions"), ("SUB", "SubOptions"), ("MUL", "MulOptions"), ("DIV", "DivOptions")):
        right = positive(2, 3) if name == "DIV" else real(2, 3)
        made.append(case(name, [real(2, 3), right], table=table))
        for activation in (RELU, RELU6, RELU_N1_TO_1):
            made.append(case(name, [real(2, 3), right], table=table, FusedActivationFunction=activation))
        if name != "DIV":
            for dtype in ("int8", "uint8"):
                pair = [steps(2, 3, dtype=dtype), steps(3, dtype=dtype, scale=0.03, zero_point=5)]
                result = out(dtype, 0.1)
                made.append(case(name, pair, result, table=table, FusedActivationFunction=RELU6, version=2))
    made += [case(name, [real(2, 3), real(1, 3)]) for name in ("MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE")]
    made += [case(name, [positive(2, 3), positive(2, 3)]) for name in ("POW", "FLOOR_DIV")]
    integers = Tensor("", (2, 3), "int32")
    made += [
        case("FLOOR_MOD", [integers, fixed([[3, -5, 7]])], out("int32")),
        case("FLOOR_DIV", [integers, fixed([[3, -5, 7]])], out("int32"), version=2),
        case("MAXIMUM", [steps(2, 3), steps(2, 3)], out("int8", 0.05), version=2),
        case("MINIMUM", [steps(2, 3), steps(2, 3)], out("int8", 0.05), version=2),
        case("ADD_N", [real(2, 3), real(2, 3), real(2, 3)]),
        case("ADD", [real(2, 3), weights(3)], table="AddOptions"),
    ]
    for name in ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"):
        array = _generator.integers(0, 3, (2, 3)).astype(np.int32)
        made.append(case(name, [array, fixed([[1, 1, 2]])], out("bool")))
        made.append(case(name, [steps(2, 3), steps(2, 3)], out("bool"), version=2))
    made.append(case("GREATER", [steps(2, 3), steps(2, 3, scale=0.02)], out("bool"), version=2))
    truth = Tensor("", (2, 3), "bool")
    made += [case(name, [truth, weights(2, 3, dtype="bool")], out("bool")) for name in ("LOGICAL_AND", "LOGICAL_OR")]
    made.append(case("SELECT", [truth, real(2, 3), real(2, 3)]))
    return made


def _layers() -> list[Case]:
    made: list[Case] = []
    per_channel: dict[str, Any] = {"scale": [0.01, 0.02, 0.03, 0.04], "zero_point": 0}
    bias_steps: dict[str, Any] = {"scale": [0.0005, 0.001, 0.0015, 0.002], "zero_point": 0}
    int8_bias = constant("", _generator.integers(-500, 500, 4).astype(np.int32), **bias_steps)
    for padding in (SAME, VALID):
        conv: dict[str, Any] = {"table": "Conv2DOptions", "Padding": padding, "StrideH": 2, "StrideW": 1}
        made += [
            case("CONV_2D", [real(1, 7, 6, 3), weights(4, 3, 3, 3), weights(4)], **conv, FusedActivationFunction=RELU),
            case("CONV_2D", [real(1, 7, 6, 3), weights(4, 3, 3, 3), weights(4)], table="Conv2DOptions", Padding=padding,
                 StrideH=1, StrideW=1, DilationHFactor=2, DilationWFactor=1),
            case("CONV_2D", [steps(1, 7, 6, 3), weights(4, 3, 3, 3, dtype="int8", axis=0, **per_channel), int8_bias],
                 out("int8", 0.5), **conv, FusedActivationFunction=RELU6, version=3),
            case("CONV_2D", [steps(1, 7, 6, 3, dtype="uint8", zero_point=120),
                             weights(4, 3, 3, 3, dtype="uint8", scale=0.02, zero_point=130),
                             constant("", np.array([100, -50, 3, 0], np.int32), scale=0.001)],
                 out("uint8", 0.6, 100), **conv),
        ]  # fmt: skip
        deep: dict[str, Any] = {"table": "DepthwiseConv2DOptions", "Padding": padding, "StrideH": 1, "StrideW": 2}
        made += [
            case("DEPTHWISE_CONV_2D", [real(1, 6, 7, 2), weights(1, 3, 3, 4), weights(4)], **deep, DepthMultiplier=2),
            case("DEPTHWISE_CONV_2D", [real(1, 6, 7, 1), weights(1, 3, 3, 4), weights(4)], **deep, DepthMultiplier=4),
            case("DEPTHWISE_CONV_2D",
                 [steps(1, 6, 7, 4), weights(1, 3, 3, 4, dtype="int8", axis=3, **per_channel), int8_bias],
                 out("int8", 0.3), **deep, DepthMultiplier=1, version=3),
        ]  # fmt: skip
        size = [1, 8, 8, 4] if padding == SAME else [1, 9, 9, 4]
        turned: dict[str, Any] = {"table": "TransposeConvOptions", "Padding": padding, "StrideH": 2, "StrideW": 2}
        made += [
            case("TRANSPOSE_CONV", [fixed(size), weights(4, 3, 3, 2), real(1, 4, 4, 2)], **turned),
            case("TRANSPOSE_CONV", [fixed(size), weights(4, 3, 3, 2), real(1, 4, 4, 2), weights(4)], **turned,
                 version=3),
            case("TRANSPOSE_CONV",
                 [fixed(size), weights(4, 3, 3, 2, dtype="int8", axis=0, **per_channel), steps(1, 4, 4, 2), int8_bias],
                 out("int8", 0.3), **turned, version=3),
        ]  # fmt: skip
        pool: dict[str, Any] = {"table": "Pool2DOptions", "Padding": padding, "StrideH": 2, "StrideW": 1,
                                "FilterHeight": 3, "FilterWidth": 2}  # fmt: skip
        for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
            made.append(case(name, [real(1, 7, 6, 3)], **pool, FusedActivationFunction=RELU6))
            for dtype in ("int8", "uint8"):
                made.append(case(name, [steps(1, 7, 6, 3, dtype=dtype)], out(dtype, 0.05), **pool, version=2))
        made.append(case("L2_POOL_2D", [positive(1, 7, 6, 3)], **pool))
    dense: dict[str, Any] = {"table": "FullyConnectedOptions"}
    made += [
        case("FULLY_CONNECTED", [real(2, 6), weights(4, 6), weights(4)], **dense, FusedActivationFunction=RELU),
        case("FULLY_CONNECTED", [real(2, 3, 6), weights(4, 6)], **dense),
        case("FULLY_CONNECTED", [real(2, 3, 6), weights(4, 6), None], **dense, KeepNumDims=True, version=5),
        case("FULLY_CONNECTED",
             [steps(2, 6), weights(4, 6, dtype="int8", scale=0.02, zero_point=0),
              constant("", np.array([100, -50, 3, 0], np.int32), scale=0.001)],
             out("int8", 0.2), **dense, FusedActivationFunction=RELU, version=4),
        case("LOCAL_RESPONSE_NORMALIZATION", [real(1, 2, 2, 6)], table="LocalResponseNormalizationOptions", Radius=2,
             Bias=1.0, Alpha=0.5, Beta=0.75),
        case("RESIZE_BILINEAR", [real(1, 4, 5, 2), fixed([8, 7])], table="ResizeBilinearOptions"),
        case("RESIZE_BILINEAR", [real(1, 4, 5, 2), fixed([8, 7])], table="ResizeBilinearOptions", AlignCorners=True),
        case("RESIZE_BILINEAR", [real(1, 4, 5, 2), fixed([8, 7])], table="ResizeBilinearOptions",
             HalfPixelCenters=True, version=3),
        case("RESIZE_NEAREST_NEIGHBOR", [real(1, 4, 5, 2), fixed([8, 7])], table="ResizeNearestNeighborOptions"),
        case("RESIZE_NEAREST_NEIGHBOR", [real(1, 4, 5, 2), fixed([8, 7])], table="ResizeNearestNeighborOptions",
             AlignCorners=True),
        case("RESIZE_NEAREST_NEIGHBOR", [real(1, 4, 5, 2), fixed([8, 7])], table="ResizeNearestNeighborOptions",
             HalfPixelCenters=True, version=3),
    ]  # fmt: skip
    product: dict[str, Any] = {"table": "BatchMatMulOptions"}
    made += [
        case("BATCH_MATMUL", [real(3, 2, 4), real(3, 4, 5)], **product),
        case("BATCH_MATMUL", [real(3, 4, 2), real(3, 5, 4)], **product, AdjX=True, AdjY=True),
        case("BATCH_MATMUL", [real(2, 3, 2, 4), real(2, 3, 4, 5)], **product),
        case("BATCH_MATMUL", [real(2, 1, 2, 4), real(3, 4, 5)], **product),
        case("BATCH_MATMUL", [real(2, 4), real(4, 5)], **product),
        case("BATCH_MATMUL", [steps(3, 2, 4), steps(3, 4, 5, scale=0.02, zero_point=-2)], out("int8", 0.1), **product,
             version=2),
    ]  # fmt: skip
    return made


def _shapes() -> list[Case]:
    image = real(1, 4, 4, 3)
    made = [
        case("RESHAPE", [real(2, 6)], table="ReshapeOptions", NewShape=[3, 4]),
        case("RESHAPE", [real(2, 6), fixed([-1, 4])]),
        case("RESHAPE", [steps(2, 6), fixed([3, 4])], out("int8", 0.05)),
        case("SQUEEZE", [real(1, 2, 1, 3)], table="SqueezeOptions", SqueezeDims=[0]),
        case("SQUEEZE", [real(1, 2, 1, 3)], table="SqueezeOptions"),
        case("EXPAND_DIMS", [real(2, 3), fixed(-1)]),
        case("EXPAND_DIMS", [steps(2, 3), fixed([1])], out("int8", 0.05)),
        case("TRANSPOSE", [real(2, 3, 4), fixed([2, 0, 1])]),
        case("TILE", [real(2, 3), fixed([2, 1])]),
        case("SHAPE", [real(2, 3)], out("int32"), table="ShapeOptions", OutType=INT32),
        case("FILL", [fixed([2, 3]), np.float32(3.5).reshape(())]),
        case("RANGE", [fixed(1), fixed(9), fixed(3)], out("int32"), table="RangeOptions"),
        case("RANGE", [fixed(1.0, "float32"), fixed(7.0, "float32"), fixed(2.0, "float32")], table="RangeOptions"),
        case("MATRIX_DIAG", [real(2, 3)]),
        case("MATRIX_SET_DIAG", [real(2, 3, 3), real(2, 3)]),
        case("DEPTH_TO_SPACE", [real(1, 2, 2, 8)], table="DepthToSpaceOptions", BlockSize=2),
        case("SPACE_TO_DEPTH", [image], table="SpaceToDepthOptions", BlockSize=2),
        case("SPACE_TO_BATCH_ND", [image, fixed([2, 2]), fixed([[0, 0], [2, 0]])]),
        case("SPACE_TO_BATCH_ND", [steps(1, 3, 4, 3), fixed([2, 2]), fixed([[1, 0], [0, 0]])], out("int8", 0.05),
             version=2),
        case("BATCH_TO_SPACE_ND", [real(4, 2, 2, 3), fixed([2, 2]), fixed([[0, 1], [0, 0]])]),
        case("PAD", [real(2, 3), fixed([[1, 0], [0, 2]])]),
        case("PAD", [steps(2, 3), fixed([[1, 0], [0, 2]])], out("int8", 0.05), version=2),
        case("PADV2", [real(2, 3), fixed([[1, 0], [0, 2]]), fixed([1.5], "float32")]),
        case("MIRROR_PAD", [real(3, 4), fixed([[1, 1], [2, 0]])], table="MirrorPadOptions", Mode=0),
        case("MIRROR_PAD", [real(3, 4), fixed([[1, 1], [2, 0]])], table="MirrorPadOptions", Mode=1),
        case("CONCATENATION", [real(2, 3), real(2, 2)], table="ConcatenationOptions", Axis=1),
        case("CONCATENATION", [steps(2, 3, dtype="uint8"), steps(1, 3, dtype="uint8", scale=0.02)], out("uint8", 0.05),
             table="ConcatenationOptions", Axis=0, version=2),
        case("PACK", [real(2, 3), real(2, 3)], table="PackOptions", ValuesCount=2, Axis=1),
        case("UNPACK", [real(2, 3)], out(), out(), out(), table="UnpackOptions", Num=3, Axis=1),
        case("UNPACK", [real(1, 3)], out(), table="UnpackOptions", Num=1, Axis=0),
        case("SPLIT", [fixed(1), real(2, 6)], out(), out(), table="SplitOptions", NumSplits=2),
        case("SPLIT_V", [real(2, 6), fixed([1, 3, 2]), fixed(1)], out(), out(), out(), table="SplitVOptions",
             NumSplits=3),
        case("SPLIT_V", [real(2, 6), fixed([1, -1]), fixed(1)], out(), out(), table="SplitVOptions", NumSplits=2),
        case("SLICE", [real(3, 4), fixed([1, 0]), fixed([2, -1])], out(shape=(2, 4))),
        case("REVERSE_V2", [real(2, 3), fixed([1])]),
        case("REVERSE_SEQUENCE", [real(3, 4), fixed([2, 3, 1, 3])], table="ReverseSequenceOptions", SeqDim=0,
             BatchDim=1),
        case("GATHER", [real(3, 4), fixed([2, 0])], table="GatherOptions", Axis=0),
        case("GATHER", [real(3, 4), np.array([[1, 3]], np.int32)], table="GatherOptions", Axis=-1),
        case("GATHER_ND", [real(2, 3, 4), fixed([[0, 1], [1, 2]])]),
        case("ONE_HOT", [np.array([0, 2, 5], np.int32), fixed(4), fixed(1.0, "float32"), fixed(-1.0, "float32")],
             table="OneHotOptions", Axis=-1),
        case("TOPK_V2", [real(3, 5), fixed(2)], out(), out("int32")),
        case("SPARSE_TO_DENSE", [fixed([[0, 1], [2, 0]]), fixed([3, 2]), weights(2), fixed(0.5, "float32")]),
    ]  # fmt: skip
    cuts = [
        ({}, [0, 1], [2, 4], [1, 2]),
        ({"BeginMask": 1, "EndMask": 2}, [1, 1], [2, 2], [1, 1]),
        ({"ShrinkAxisMask": 1}, [1, 0], [2, 4], [1, 1]),
        ({"ShrinkAxisMask": 2}, [0, -1], [3, 0], [1, 1]),
        ({"ShrinkAxisMask": 3}, [1, 2], [2, 3], [1, 1]),
        ({"EndMask": 3}, [2, 3], [0, 0], [-1, -1]),
        ({"NewAxisMask": 1}, [0, 1], [0, 3], [1, 1]),
        ({"EllipsisMask": 1}, [0, 1], [0, 3], [1, 1]),
        ({"Offset": True}, [1, 1], [2, 2], [1, 1]),
    ]
    made += [
        case("STRIDED_SLICE", [real(3, 4), fixed(begin), fixed(end), fixed(strides)], table="StridedSliceOptions",
             version=8 if "Offset" in masks else 4 if "NewAxisMask" in masks or "EllipsisMask" in masks else 1, **masks)
        for masks, begin, end, strides in cuts
    ]  # fmt: skip
    return made


def _reductions() -> list[Case]:
    reducer: dict[str, Any] = {"table": "ReducerOptions"}
    made = [
        case(name, [real(2, 3, 4), fixed([0, 2])], **reducer, KeepDims=keep)
        for name in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD")
        for keep in (False, True)
    ]
    for name in ("MEAN", "REDUCE_MAX", "REDUCE_MIN"):
        made.append(case(name, [steps(2, 3, 4), fixed([1])], out("int8", 0.05), **reducer, version=2))
    made += [
        case("SUM", [steps(2, 3), fixed([1])], out("int8", 0.1), **reducer, version=2),
        case("REDUCE_ANY", [Tensor("", (2, 3), "bool"), fixed(1)], out("bool"), **reducer, KeepDims=True),
        case("ARG_MAX", [real(2, 3), fixed(1)], out("int32"), table="ArgMaxOptions", OutputType=INT32),
        case("ARG_MIN", [real(2, 3), fixed(0)], out("int32"), table="ArgMinOptions", OutputType=INT32),
        case("ARG_MAX", [steps(2, 3), fixed(-1)], out("int32"), table="ArgMaxOptions", OutputType=INT32, version=2),
    ]
    return made


def _quantization() -> list[Case]:
    sparse = Tensor("", (2, 3), data=np.array([1.5, 2.5, 3.5], np.float32))
    sparse.sparsity = {"order": [0, 1], "dimensions": [2, ([0, 1, 3], [2, 0, 1])]}
    return [
        case("QUANTIZE", [real(2, 3)], out("int8", 0.05)),
        case("QUANTIZE", [steps(2, 3)], out("int8", 0.07, -4)),
        case("QUANTIZE", [steps(2, 3)], out("uint8", 0.05, 131)),
        case("DEQUANTIZE", [steps(2, 3)]),
        case("DEQUANTIZE", [steps(2, 3, dtype="uint8", zero_point=130)]),
        case("DEQUANTIZE", [weights(2, 3, dtype="float16")], version=3),
        case("DEQUANTIZE", [weights(2, 3, dtype="int8", scale=[0.1, 0.2], zero_point=0, axis=0)], version=5),
        case("DENSIFY", [sparse], out(shape=(2, 3))),
    ]


def _recurrent() -> list[Case]:
    made: list[Case] = []
    for batch, time_major in ((1, False), (2, False), (2, True)):
        size, hidden, length = 3, 4, 5
        data = real(length, batch, size) if time_major else real(batch, length, size)
        inputs: list[Any] = [data]
        inputs += [weights(hidden, size) for _ in range(4)] + [weights(hidden, hidden) for _ in range(4)]
        inputs += [None] * 3 + [weights(hidden) for _ in range(4)] + [None] * 2
        states = [Tensor("", (batch, hidden), is_variable=True) for _ in range(2)]
        inputs += [*states, None, None, None, None]
        made.append(
            case("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, table="UnidirectionalSequenceLSTMOptions",
                 FusedActivationFunction=TANH, TimeMajor=time_major)
        )  # fmt: skip
    return made


def _detection() -> list[Case]:
    builder: Any = flexbuffers.Builder()
    with builder.Map():
        for name, value in (("max_detections", 3), ("max_classes_per_detection", 1), ("num_classes", 2)):
            builder.Int(name, value)
        for name, value in (("y_scale", 10.0), ("x_scale", 10.0), ("h_scale", 5.0), ("w_scale", 5.0)):
            builder.Float(name, value)
        builder.Float("nms_iou_threshold", 0.5)
        builder.Float("nms_score_threshold", 0.1)
        builder.Bool("use_regular_nms", False)
    anchors = [[0.2, 0.2, 0.2, 0.2], [0.7, 0.7, 0.3, 0.2], [0.2, 0.8, 0.2, 0.1], [0.5, 0.5, 0.1, 0.1]]
    scores = [[[0.1, 0.8, 0.1], [0.1, 0.2, 0.7], [0.2, 0.6, 0.2], [0.3, 0.2, 0.5]]]
    postprocess = case(
        "TFLite_Detection_PostProcess",
        [np.zeros((1, 4, 4), np.float32), np.array(scores, np.float32), fixed(anchors, "float32")],
        *(out() for _ in range(4)),
    )
    postprocess.custom_options = bytes(builder.Finish())
    boxes = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3]], np.float32)
    suppression = case(
        "NON_MAX_SUPPRESSION_V5",
        [boxes, np.array([0.9, 0.75, 0.6], np.float32), fixed(3), fixed(0.5, "float32"), fixed(0.1, "float32"),
         fixed(0.0, "float32")],
        out("int32"), out(), out("int32"),
    )  # fmt: skip
    return [postprocess, suppression]


def all_cases() -> list[Case]:
    """Every case, in the same order each time."""
    families = (_unary, _binary, _layers, _shapes, _reductions, _quantization, _recurrent, _detection)
    return [made for family in families for made in family()]
