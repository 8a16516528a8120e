"""Chains in which a pass finds its work again and again, one for each pass that leaves a plain chain as it is, or that
meets there only the simplest of what it is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["WORK"]

_TYPE = "Tensor[(1, 16, 32, 32), float32]"
_WEIGHT = "Tensor[(16, 16, 3, 3), float32]"
_LAST = "Tensor[(1, 32, 32, 16), float32]"
"""Channels last."""
_MATRIX = "Tensor[(16, 16), float32]"
_CONV = "nn.conv2d({last}, %w, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3])"
_CONV_OF_START = "nn.conv2d({start}, %w, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3])"
_IF = "if (%c) {{ add({last}, {before}) }} else {{ multiply({last}, {start}) }}"
_PARAMS = f"%x: {_TYPE}, %w: {_WEIGHT}, %b: Tensor[(16), float32], %s: Tensor[(16, 1, 1), float32], %c: bool"
_PARALLEL_CONVS = tuple(
    f"nn.conv2d({{start}}, %w{branch}, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3])" for branch in "abc"
)
_PARALLEL_PARAMS = _PARAMS + "".join(f", %w{branch}: {_WEIGHT}" for branch in "abc")
_JOINED = (
    "concatenate(({before_that}, {before}, {last}), axis=1)",
    "strided_slice({last}, begin=[0], end=[16], strides=[1], axes=[1])",
)

Writer = Callable[[int], str]
"""Writes a module of about so many operators."""


def _repeated(*statements: str, params: str = _PARAMS, lets: bool = False) -> Writer:
    """These statements again and again, one operator each. ``{last}`` is the value of the statement before,
    ``{before}`` of the one before that, ``{before_that}`` of the one before that one, ``{start}`` what the repetition
    began with, ``{number}`` the number of the statement."""

    def write(operators: int) -> str:
        lines: list[str] = []
        last, before, before_that, number = "%x", "%x", "%x", 0
        while number < operators:
            start = last
            for statement in statements:
                new = f"%v{number}" if lets else f"%{number}"
                value = statement.format(last=last, before=before, before_that=before_that, start=start, number=number)
                lines.append(f"  let {new} = {value};" if lets else f"  {new} = {value};")
                last, before, before_that, number = new, last, before, number + 1
        return "\n".join(['#[version = "0.0.5"]', f"def @main({params}) {{", *lines, f"  {last}", "}", ""])

    return write


def _layers(attributes: str = "", used: int = 1) -> Writer:
    """Functions of ten operators; every so many calls the one before, and ``@main`` the last of these."""

    def write(operators: int) -> str:
        lines = ['#[version = "0.0.5"]', f"def @layer0(%x: {_TYPE}{attributes}) -> {_TYPE} {{ nn.relu(%x) }}"]
        last = 0
        for number in range(1, operators // 10 + 1):
            lines.append(f"def @layer{number}(%x: {_TYPE}{attributes}) -> {_TYPE} {{")
            lines.append(f"  %0 = @layer{last}(%x);")
            lines += [f"  %{inner} = add(%{inner - 1}, %x);" for inner in range(1, 9)]
            lines += ["  nn.relu(%8)", "}"]
            last = number if number % used == 0 else last
        return "\n".join([*lines, f"def @main(%x: {_TYPE}) -> {_TYPE} {{ @layer{last}(%x) }}", ""])

    return write


def _called_in_a_row(attributes: str) -> Writer:
    """Functions of two operators, and ``@main``, which calls one after the other."""

    def write(operators: int) -> str:
        count = operators // 3
        lines = ['#[version = "0.0.5"]', f"def @main(%x: {_TYPE}) -> {_TYPE} {{", "  %0 = nn.relu(%x);"]
        lines += [f"  %{number + 1} = @layer{number}(%{number}, %0);" for number in range(count)]
        lines += [f"  %{count}", "}"]
        lines += [
            f"def @layer{number}(%x: {_TYPE}, %y: {_TYPE}{attributes}) -> {_TYPE} {{ %0 = exp(%x); add(%0, %y) }}"
            for number in range(count)
        ]
        return "\n".join([*lines, ""])

    return write


def _transposed_weights(operators: int) -> str:
    count = operators // 2
    params = ", ".join([f"%x: {_MATRIX}", *(f"%w{number}: {_MATRIX}" for number in range(count))])
    lines = ['#[version = "0.0.5"]', f"def @main({params}) {{"]
    last = "%x"
    for number in range(count):
        lines.append(f"  %{2 * number} = transpose(%w{number}, axes=[1, 0]);")
        lines.append(f"  %{2 * number + 1} = nn.dense({last}, %{2 * number}, units=16);")
        last = f"%{2 * number + 1}"
    return "\n".join([*lines, f"  {last}", "}", ""])


def _first_order(operators: int) -> str:
    """``@main`` gives one function after the other to one that calls it."""
    lines = [
        '#[version = "0.0.5"]',
        "def @apply_to(%f: fn (float32) -> float32, %x: float32) -> float32 { %f(%x) }",
        "def @main(%x: float32) -> float32 {",
    ]
    last = "%x"
    for number in range(0, operators, 2):
        lines.append(f"  let %f{number} = fn (%z{number}: float32) -> float32 {{ negative(%z{number}) }};")
        lines.append(f"  let %v{number} = @apply_to(%f{number}, {last});")
        last = f"%v{number}"
    return "\n".join([*lines, f"  {last}", "}", ""])


def _composites(operators: int) -> str:
    """Functions ``@kernel0`` and so on for an external compiler, each with a composite function inside."""
    count = operators // 3
    lines = ['#[version = "0.0.5"]', f"def @main(%x: {_TYPE}) -> {_TYPE} {{", "  %0 = nn.relu(%x);"]
    lines += [f"  %{number + 1} = @kernel{number}(%{number});" for number in range(count)]
    lines += [f"  %{count}", "}"]
    for number in range(count):
        lines += [
            f'def @kernel{number}(%x: {_TYPE}, Compiler="dnnl", global_symbol="kernel{number}") -> {_TYPE} {{',
            f'  %0 = fn (%y: {_TYPE}, Composite="dnnl.relu") -> {_TYPE} {{ nn.relu(%y) }};',
            "  %0(%x)",
            "}",
        ]
    return "\n".join([*lines, ""])


_KERNEL = (
    f'fn (%y{{number}}: {_TYPE}, Compiler="dnnl", global_symbol="kernel{{number}}") -> {_TYPE} '
    "{{ nn.relu(%y{number}) }}"
)
_QUANTIZED = _repeated(_CONV, "nn.relu({last})", "nn.max_pool2d({last}, pool_size=[1, 1])", "add({last}, {start})")
_DIFFERENTIABLE = ("nn.relu({last})", "multiply({last}, {start})", "exp({last})", "add({last}, {before})")
_ARITHMETIC = _repeated(*_DIFFERENTIABLE, params=f"%x: {_TYPE}")
_FOLDED = _repeated("multiply(2f, 3f)", "add({start}, {last})", "nn.relu({last})")
_BOUND_ARITHMETIC = _repeated(*_DIFFERENTIABLE, params=f"%x: {_TYPE}", lets=True)
_NORMALIZED = _repeated("nn.batch_norm({last}, %b, %b, %b, %b)", "nn.relu({last}.0)")
_COMPILED = _repeated(_CONV, "nn.bias_add({last}, %b)", "nn.relu({last})", "exp({last})", "add({last}, {start})")

WORK: Mapping[str, Writer] = {
    "AlterOpLayout": _COMPILED,
    "AnnotateTarget": _COMPILED,
    **dict.fromkeys(("AutoQuantize", "QuantizeAnnotate", "QuantizeCalibrate", "QuantizeRealize"), _QUANTIZED),
    "BackwardFoldScaleAxis": _repeated(_CONV, "multiply({last}, %s)", "nn.relu({last})"),
    "BatchingOps": _repeated(*_PARALLEL_CONVS, *_JOINED, params=_PARALLEL_PARAMS),
    "CanonicalizeCast": _repeated(
        'cast({last}, dtype="float32")',
        "exp({last})",
        "log({before})",
        "add({before}, {last})",
        'cast({last}, dtype="int8")',
        params="%x: Tensor[(1, 16, 32, 32), int8]",
    ),
    "CombineParallelBatchMatmul": _repeated(
        *(f"nn.batch_matmul({{start}}, %w{branch}, transpose_b=True)" for branch in "abc"),
        "concatenate(({before_that}, {before}, {last}), axis=1)",
        "strided_slice({last}, begin=[0], end=[16], strides=[1], axes=[1])",
        params="%x: Tensor[(1, 16, 16), float32]"
        + "".join(f", %w{name}: Tensor[(1, 16, 16), float32]" for name in "abc"),
    ),
    "CombineParallelConv2D": _repeated(*_PARALLEL_CONVS, *_JOINED, params=_PARALLEL_PARAMS),
    "CombineParallelDense": _repeated(
        *(f"nn.dense({{start}}, %w{branch}, units=16)" for branch in "abc"),
        "concatenate(({before_that}, {before}, {last}), axis=0)",
        "strided_slice({last}, begin=[0], end=[16], strides=[1], axes=[0])",
        params=f"%x: {_MATRIX}, %wa: {_MATRIX}, %wb: {_MATRIX}, %wc: {_MATRIX}",
    ),
    "CollagePartition": _COMPILED,
    "CombineParallelOpBatch": _repeated("exp({last})", "nn.relu({last})", "nn.relu({before})", "add({last}, {before})"),
    "Conv2dToSparse": _repeated(
        'nn.conv2d({last}, %w, padding=[0, 0, 0, 0], channels=16, kernel_size=[1, 1], data_layout="NHWC", '
        'kernel_layout="HWIO")',
        "nn.relu({last})",
        params=f"%x: {_LAST}, %w: Tensor[(1, 1, 16, 16), float32]",
    ),
    "DeadCodeElimination": _repeated("nn.relu({last})", "add({start}, {start})", "tanh({before})", lets=True),
    "Defunctionalization": _first_order,
    "DenseToSparse": _repeated(
        "nn.dense({last}, %w, units=16)", "nn.relu({last})", params=f"%x: {_MATRIX}, %w: {_MATRIX}"
    ),
    "DivToMul": _repeated("nn.relu({last})", "divide({last}, 2f)"),
    "DynamicToStatic": _repeated(
        'shape_of({last}, dtype="int64")', "dyn.reshape({start}, {last}, newshape=[])", "nn.relu({last})"
    ),
    "EliminateCommonSubexpr": _repeated(_CONV_OF_START, _CONV_OF_START, "add({before}, {last})"),
    "FakeQuantizationToInteger": _repeated(
        "qnn.dequantize({last}, 0.5f, 3)",
        "nn.max_pool2d({last}, pool_size=[1, 1])",
        "reshape({last}, newshape=[1, 16, 32, 32])",
        'qnn.quantize({last}, 0.5f, 3, out_dtype="int8")',
        params="%x: Tensor[(1, 16, 32, 32), int8]",
    ),
    "FirstOrderGradient": _ARITHMETIC,
    **dict.fromkeys(
        ("LazyGradientInit", "PartialEvaluate", "ToCPS", "gradient", "to_cps", "un_cps"), _BOUND_ARITHMETIC
    ),
    "EtaExpand": _layers(),
    "FastMath": _repeated("exp({last})", "tanh({last})"),
    "FlattenAtrousConv": _repeated(
        "nn.space_to_batch_nd({last}, block_shape=[2, 2], paddings=[[2, 2], [2, 2]])",
        'nn.conv2d({last}, %w, padding=[0, 0, 0, 0], kernel_size=[3, 3], data_layout="NHWC", kernel_layout="HWIO")',
        "nn.batch_to_space_nd({last}, block_shape=[2, 2], crops=[[0, 0], [0, 0]])",
        params=f"%x: {_LAST}, %w: Tensor[(3, 3, 16, 16), float32]",
    ),
    **dict.fromkeys(("FoldConstant", "FoldConstantExpr"), _FOLDED),
    "FoldExplicitPadding": _repeated(
        "nn.pad({last}, 0f, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]])",
        "nn.conv2d({last}, %w, padding=[0, 0, 0, 0], channels=16, kernel_size=[3, 3])",
    ),
    "FoldScaleAxis": _repeated("nn.relu({last})", "multiply({last}, %s)", _CONV, "multiply({last}, %s)"),
    "ForwardFoldScaleAxis": _repeated("nn.relu({last})", "multiply({last}, %s)", _CONV),
    "FuseOps": _repeated(*_PARALLEL_CONVS, *_JOINED, "add({last}, {start})", params=_PARALLEL_PARAMS),
    "InferType": _repeated(
        _CONV,
        "fn (%y) {{ nn.relu(%y) }}",
        "{last}({before})",
        params=_PARAMS.replace(f"%w: {_WEIGHT}", "%w"),
        lets=True,
    ),
    "Inline": _layers(", Inline=1"),
    "InlineCompilerFunctionsBoundTo": _composites,
    "InlineOutlined": _called_in_a_row(', Outlined="nn.gelu"'),
    "LambdaLift": _repeated(
        f"fn (%y: {_TYPE}) {{{{ add(%y, {{last}}) }}}}", "{last}({start})", "nn.relu({last})", lets=True
    ),
    "Legalize": _repeated(
        'nn.conv2d_transpose({last}, %w, channels=16, kernel_size=[3, 3], padding=[1, 1, 1, 1], data_layout="NHWC", '
        'kernel_layout="HWOI")',
        "nn.relu({last})",
        params=f"%x: {_LAST}, %w: Tensor[(3, 3, 16, 16), float32]",
    ),
    "LiftConstants": _repeated("multiply({last}, 2f)", "add({start}, {last})", lets=True),
    "MarkCompilerFunctionsAsExtern": _composites,
    "MergeCompilerRegions": _COMPILED,
    "MergeComposite": _repeated(_CONV, "add({last}, %s)", "nn.relu({last})"),
    "OutLiner": _NORMALIZED,
    "OutlineCompilerFunctionsWithExistingGlobalSymbols": _repeated(_KERNEL, "{last}({before})", params=f"%x: {_TYPE}"),
    "PartitionGraph": _COMPILED,
    "QnnCanonicalize": _repeated(
        'qnn.quantize({last}, 0.5f, 3, out_dtype="int8")',
        "qnn.add({last}, {last}, 0.5f, 3, 0.5f, 3, 0.5f, 3)",
        "qnn.dequantize({last}, 0.5f, 3)",
    ),
    "QnnLegalize": _repeated(
        'qnn.quantize({last}, 0.5f, 3, out_dtype="int8")',
        "qnn.tanh({last}, 0.5f, 3, 0.5f, 3)",
        "qnn.dequantize({last}, 0.5f, 3)",
    ),
    "RemoveUnusedFunctions": _layers(used=2),
    "SimplifyExpr": _repeated(
        "reshape({last}, newshape=[1, 16, 1024])",
        "reshape({last}, newshape=[1, 16, 32, 32])",
        "transpose({last}, axes=[0, 2, 3, 1])",
        "transpose({last}, axes=[0, 3, 1, 2])",
        "full_like({last}, 1f)",
        "add({before}, {last})",
    ),
    "SimplifyExprPostAlterOp": _repeated(
        "reshape({last}, newshape=[1, 16, 1024])", "reshape({last}, newshape=[1, 16, 32, 32])", "nn.relu({last})"
    ),
    "SimplifyFCTranspose": _transposed_weights,
    "SimplifyInference": _NORMALIZED,
    "SplitArgs": _repeated(
        f"({', '.join(['{last}'] * 16)})",
        "concatenate({last})",
        "strided_slice({last}, begin=[0], end=[1], strides=[1], axes=[0])",
    ),
    "ToANormalForm": _repeated(
        "nn.relu({last})", _IF, f"fn (%y{{number}}: {_TYPE}) {{{{ add(%y{{number}}, {{last}}) }}}}", "{last}({before})"
    ),
    "ToBasicBlockNormalForm": _repeated("nn.relu({last})", _IF),
    "ToGraphNormalForm": _repeated("nn.relu({last})", "add({start}, {last})", lets=True),
    "ToMixedPrecision": _repeated(_CONV, "nn.softmax({last})"),
    "recast": _COMPILED,
}
"""How a module is written in which the pass of this name has work all along."""
