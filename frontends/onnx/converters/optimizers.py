"""Steps of optimisers, of any number of tensors at once."""

from __future__ import annotations

from collections.abc import Iterator

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr, If

from ...diagnostics import ConversionError
from ...inspection import dtype_of
from ...operators import Outputs, add, divide, multiply, subtract
from ..node import OnnxNode, converter

_DOMAIN = "ai.onnx.preview.training"


def _tensors(node: OnnxNode, kinds: int) -> Iterator[tuple[Expr, ...]]:
    """For each tensor itself, its gradient, and what the optimiser keeps of it."""
    count, rest = divmod(len(node.inputs) - 2, kinds)
    if rest or count < 1:
        raise ConversionError(
            f"{node.operator} takes {kinds} inputs for each tensor, not {len(node.inputs) - 2} in all"
        )
    for index in range(count):
        yield tuple(node.input(2 + index + kind * count) for kind in range(kinds))


@converter("Adagrad", domain=_DOMAIN)
def adagrad(node: OnnxNode) -> Outputs:
    """A step of Adagrad."""
    rate, dtype = node.input(0), dtype_of(node.input(3))
    decay = constant(node.float("decay_factor", 0.0), dtype)
    epsilon = constant(node.float("epsilon", 0.0), dtype)
    norm = constant(node.float("norm_coefficient", 0.0), dtype)
    turn = call("cast_like", node.input(1), node.input(3))
    tensors: list[Expr] = []
    kept: list[Expr] = []
    for x, gradient, squares in _tensors(node, 3):
        step = divide(rate, add(constant(1.0, dtype), multiply(turn, decay)))
        regular = add(multiply(norm, x), gradient)
        grown = add(squares, multiply(regular, regular))
        adapted = add(call("sqrt", grown), epsilon)
        tensors.append(subtract(x, divide(multiply(step, regular), adapted)))
        kept.append(grown)
    return Outputs.of(*tensors, *kept)


@converter("Adam", domain=_DOMAIN)
def adam(node: OnnxNode) -> Outputs:
    """A step of Adam."""
    rate, dtype = node.input(0), dtype_of(node.input(3))
    first, second = node.float("alpha", 0.9), node.float("beta", 0.999)
    inverse_alpha, alpha = constant(1 - first, dtype), constant(first, dtype)
    inverse_beta, beta = constant(1 - second, dtype), constant(second, dtype)
    epsilon = constant(node.float("epsilon", 0.0), dtype)
    norm = constant(node.float("norm_coefficient", 0.0), dtype)
    norm_after = constant(node.float("norm_coefficient_post", 0.0), dtype)
    one = constant(1, dtype)
    turn = call("cast_like", node.input(1), node.input(3))
    tensors: list[Expr] = []
    means: list[Expr] = []
    squares: list[Expr] = []
    for x, gradient, mean, square in _tensors(node, 4):
        regular = add(multiply(norm, x), gradient)
        new_mean = add(multiply(alpha, mean), multiply(inverse_alpha, regular))
        new_square = add(multiply(beta, square), multiply(multiply(inverse_beta, regular), regular))
        root = add(call("sqrt", new_square), epsilon)
        corrected = divide(
            multiply(rate, call("sqrt", subtract(one, call("power", beta, turn)))),
            subtract(one, call("power", alpha, turn)),
        )
        step = If(call("greater", turn, constant(0, dtype)), corrected, rate)
        moved = subtract(x, multiply(step, divide(new_mean, root)))
        tensors.append(multiply(subtract(one, norm_after), moved))
        means.append(new_mean)
        squares.append(new_square)
    return Outputs.of(*tensors, *means, *squares)


@converter("Momentum", domain=_DOMAIN)
def momentum(node: OnnxNode) -> Outputs:
    """A step of gradient descent with momentum, Nesterov's or the plain one."""
    rate, turn, dtype = node.input(0), node.input(1), dtype_of(node.input(3))
    mode = node.string("mode")
    if mode not in ("nesterov", "standard"):
        raise node.invalid("mode", f"mode must be nesterov or standard, not {mode}")
    alpha, beta = constant(node.float("alpha"), dtype), constant(node.float("beta"), dtype)
    norm = constant(node.float("norm_coefficient"), dtype)
    usual = constant(1.0, dtype)
    tensors: list[Expr] = []
    kept: list[Expr] = []
    for x, gradient, former in _tensors(node, 3):
        regular = add(multiply(norm, x), gradient)
        adjusted = If(call("greater", turn, constant(0, "int64")), beta, usual)
        new = add(multiply(alpha, former), multiply(adjusted, regular))
        step = new if mode == "standard" else add(regular, multiply(alpha, new))
        tensors.append(subtract(x, multiply(rate, step)))
        kept.append(new)
    return Outputs.of(*tensors, *kept)
