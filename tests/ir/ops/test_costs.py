"""What calls cost: operations and bytes, from the declarations of operators."""

import pytest

from relay_lsp.ir import infer_types, parse
from relay_lsp.ir.expressions import Call, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.costs import CallCost, call_cost, total_flops, type_bytes
from relay_lsp.ir.testing import mobilenet, resnet
from relay_lsp.ir.types import ANY, TensorType, TupleType
from relay_lsp.ir.visitor import post_order

IMAGE = "Tensor[(1, 3, 8, 8), float32]"


def cost_of(parameters: str, expr: str) -> CallCost:
    """The cost of the last call of a function with this parameter list and body."""
    parsed = parse(f'#[version = "0.0.5"]\ndef @main({parameters}) {{\n  {expr}\n}}')
    typed = infer_types(parsed.module)
    assert not [*parsed.diagnostics, *typed.diagnostics]
    main = typed.module["main"]
    assert isinstance(main, Function)
    calls = [each for each in post_order(main) if isinstance(each, Call)]
    return call_cost(calls[-1])


@pytest.mark.parametrize(
    ("parameters", "expr", "flops"),
    [
        # 16 channels of 8 x 8, each element 3 x 3 x 3 multiplications and additions.
        (f"%x: {IMAGE}, %w: Tensor[(16, 3, 3, 3), float32]", "nn.conv2d(%x, %w, padding=[1, 1, 1, 1])", 1024 * 54),
        # Depthwise: 3 x 3 for each element.
        (f"%x: {IMAGE}, %w: Tensor[(3, 1, 3, 3), float32]", "nn.conv2d(%x, %w, groups=3)", 3 * 36 * 18),
        # In blocks of channels the count is the same.
        (
            "%x: Tensor[(1, 2, 8, 8, 4), float32], %w: Tensor[(2, 2, 1, 1, 4, 8), float32]",
            'nn.conv2d(%x, %w, kernel_size=[1, 1], channels=16, data_layout="NCHW4c", kernel_layout="OIHW4i8o", '
            'out_layout="NCHW8c")',
            2 * 16 * 64 * 8,
        ),
        # Each element of the data meets the kernels of its channel, whatever the stride.
        (
            f"%x: {IMAGE}, %w: Tensor[(3, 4, 2, 2), float32]",
            "nn.conv2d_transpose(%x, %w, channels=4, kernel_size=[2, 2], strides=[2, 2])",
            2 * 192 * 16,
        ),
        ("%x: Tensor[(5, 7), float32], %w: Tensor[(11, 7), float32]", "nn.dense(%x, %w, units=11)", 2 * 5 * 11 * 7),
        (
            "%x: Tensor[(7, 5), float32], %w: Tensor[(7, 11), float32]",
            "nn.matmul(%x, %w, units=None, transpose_a=True)",
            2 * 5 * 11 * 7,
        ),
        (
            "%x: Tensor[(2, 5, 7), float32], %w: Tensor[(2, 11, 7), float32]",
            "nn.batch_matmul(%x, %w, transpose_b=True)",
            2 * 2 * 5 * 11 * 7,
        ),
        (f"%x: {IMAGE}", "nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2])", 48 * 4),
        (f"%x: {IMAGE}", "nn.global_avg_pool2d(%x)", 192),
        (f"%x: {IMAGE}", "nn.relu(%x)", 192),
        (f"%x: {IMAGE}", "add(%x, 1f)", 192),
        (f"%x: {IMAGE}", "sum(%x)", 192),
        (f"%x: {IMAGE}", "nn.batch_flatten(%x)", 0),
        (f"%x: {IMAGE}", "copy(%x)", 0),
        (f"%x: {IMAGE}", "zeros_like(%x)", 0),
        (f"%x: {IMAGE}", "nn.softmax(%x)", 5 * 192),
        (
            "%x: Tensor[(2, 3), float32], %y: Tensor[(3, 4), float32]",
            'einsum((%x, %y), equation="ij,jk->ik")',
            2 * 2 * 3 * 4,
        ),
        # What no rule counts is not known, which is not nothing.
        ("%x: Tensor[(8), float32]", "sort(%x)", None),
        ("%x: Tensor[(?, 8), float32]", "nn.relu(%x)", None),
    ],
)
def test_the_operations_of_a_call(parameters: str, expr: str, flops: int | None) -> None:
    """Two for a multiplication and an addition, one for anything else; those of the definition, not of a schedule."""
    assert cost_of(parameters, expr).flops == flops


def test_the_bytes_of_a_call() -> None:
    """A call reads its arguments and writes its result."""
    cost = cost_of("%x: Tensor[(4, 4), float32], %y: Tensor[(4), int8]", 'add(cast(%x, dtype="int8"), %y)')
    assert cost == CallCost(flops=16, bytes_read=16 + 4, bytes_written=16)
    assert cost.bytes == 36
    assert type_bytes(TupleType((TensorType((3,), "float16"), TensorType((9,), "bool")))) == 6 + 9
    assert type_bytes(TensorType((ANY,), "float32")) is None


def test_a_fused_function_takes_the_operations_of_its_body() -> None:
    """It reads and writes what goes in and out alone."""
    cost = cost_of(
        "%x: Tensor[(4), float32]",
        "fn (%p: Tensor[(4), float32], Primitive=1) { nn.relu(add(%p, 1f)) }(%x)",
    )
    assert cost == CallCost(flops=8, bytes_read=16, bytes_written=16)


def test_whole_networks() -> None:
    """ResNet-18 takes 1.82 and MobileNet 0.57 thousand million multiplications with additions, as published."""
    for network, published in ((resnet(), 1.82e9), (mobilenet(), 0.57e9)):
        assert isinstance(network, IRModule)
        flops = total_flops(infer_types(network).module["main"])
        assert flops is not None
        assert flops / 2 == pytest.approx(published, rel=0.03)
