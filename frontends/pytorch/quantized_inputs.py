"""Scales and zero points as inputs: PyTorch keeps them inside of tensors, Relay's ``qnn`` operators take them.

Each quantised operator gives its result the scale and zero point that stand among its inputs; following the first input
of each operation back to such a one tells those of any value.

Source of the rules: ``python/tvm/relay/frontend/qnn_torch.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .graph import Operation, OperationBlock, Program, Value

__all__ = ["add_quantized_inputs", "is_quantized_program"]

_OF_RESULT = {
    "aten::quantize_per_tensor": (1, 2),
    "quantized::conv2d": (2, 3),
    "quantized::conv2d_relu": (2, 3),
    "quantized::linear": (2, 3),
    "quantized::linear_relu": (2, 3),
    "quantized::add_relu": (2, 3),
    "quantized::add": (2, 3),
    "quantized::mul_relu": (2, 3),
    "quantized::mul": (2, 3),
    "quantized::cat": (2, 3),
    "quantized::mul_scalar": (2, 3),
    "quantized::add_scalar": (2, 3),
    "quantized::hardswish": (1, 2),
    "quantized::conv_transpose2d": (2, 3),
    "quantized::leaky_relu": (3, 4),
    "aten::sigmoid": (1, 2),
}
"""Where each operator has the scale and the zero point of its result."""

_QUANTIZED_INPUTS = {
    "quantized::conv2d": 1,
    "quantized::conv2d_relu": 1,
    "quantized::linear": 1,
    "quantized::linear_relu": 1,
    "quantized::add_relu": 2,
    "quantized::add": 2,
    "quantized::mul_relu": 2,
    "quantized::mul": 2,
    "aten::dequantize": 1,
    "aten::mean": 1,
    "aten::sigmoid": 1,
    "aten::upsample_nearest2d": 1,
    "aten::upsample_bilinear2d": 1,
    "aten::relu_": 1,
    "aten::relu": 1,
    "quantized::add_scalar": 1,
    "quantized::mul_scalar": 1,
    "quantized::relu6": 1,
    "quantized::hardswish": 1,
    "aten::hardsigmoid": 1,
    "quantized::conv_transpose2d": 1,
    "quantized::leaky_relu": 1,
}
"""How many of the first inputs of each operator are quantised."""

_LOWEST, _HIGHEST = 0, 255


def is_quantized_program(program: Program) -> bool:
    """Whether any operation quantises."""
    marks = ("aten::quantize_per_tensor", "quantized::linear_dynamic", "quantized::linear_relu_dynamic")
    return any(operation.kind in marks for operation in program.walk())


@dataclass(frozen=True, slots=True)
class _Parameters:
    scale: Value
    zero_point: Value

    @property
    def numbers(self) -> tuple[float, int] | None:
        """Scale and zero point, where they are constants."""
        attributes = [value.producer.attribute if value.producer else None for value in (self.scale, self.zero_point)]
        if all(isinstance(number, (int, float)) for number in attributes):
            scale, zero_point = attributes
            return float(scale), int(zero_point)  # type: ignore[arg-type]
        return None


def add_quantized_inputs(program: Program) -> dict[Value, float]:
    """Add to each operation the scales and zero points of its quantised inputs.

    Returns:
        the scale of the input of each layer, by the value of its packed weights: the bias is quantised by it.
    """
    _constants_for_attributes(program)
    scales: dict[Value, float] = {}
    _add_to_block(program, scales)
    return scales


def _constants_for_attributes(program: Program) -> None:
    """Scales and zero points that are buffers of the program, as constants."""
    for operation in program.walk():
        places = _OF_RESULT.get(operation.kind, ())
        for place in places if operation.kind != "aten::sigmoid" else ():
            if place >= len(operation.inputs):
                continue
            value = operation.inputs[place]
            path = program.parameters.get(value)
            if path is not None and np.size(program.tensors[path]) == 1:
                number = np.asarray(program.tensors[path]).reshape(-1)[0].item()
                operation.inputs[place] = _constant(number)
                program.constants.append(operation.inputs[place])


def _constant(number: float) -> Value:
    value = Value("constant", "FloatType" if isinstance(number, float) else "IntType")
    value.producer = Operation("prim::Constant", outputs=[value], attribute=number)
    return value


def _add_to_block(program: Program, scales: dict[Value, float]) -> None:
    block: OperationBlock = program
    for operation in block.operations:
        kind = operation.kind
        if kind == "quantized::cat":
            producer = operation.inputs[0].producer
            quantised = list(producer.inputs) if producer else []
        elif kind in _QUANTIZED_INPUTS:
            quantised = operation.inputs[: _QUANTIZED_INPUTS[kind]]
        else:
            continue
        of_inputs = [parameters for value in quantised if (parameters := _parameters_of(value)) is not None]
        if kind in ("quantized::add_scalar", "quantized::mul_scalar"):
            _add_result_of_scalar(program, operation, of_inputs)
        if kind == "aten::sigmoid" and of_inputs:
            _append(program, operation, 1.0 / 256, 0)
        for parameters in of_inputs:
            operation.inputs += [parameters.scale, parameters.zero_point]
        if kind.startswith(("quantized::conv", "quantized::linear")) and of_inputs:
            numbers = of_inputs[0].numbers
            if numbers is not None:
                scales[operation.inputs[1]] = numbers[0]


def _append(program: Program, operation: Operation, scale: float, zero_point: int) -> None:
    added = [_constant(scale), _constant(zero_point)]
    operation.inputs += added
    program.constants += added


def _parameters_of(value: Value) -> _Parameters | None:
    """The scale and zero point of a value: those of the operator that made what it comes from."""
    current: Value | None = value
    while current is not None and current.producer is not None:
        operation = current.producer
        places = _OF_RESULT.get(operation.kind)
        if places is not None and places[1] < len(operation.inputs):
            return _Parameters(operation.inputs[places[0]], operation.inputs[places[1]])
        current = operation.inputs[0] if operation.inputs else None
    return None


def _add_result_of_scalar(program: Program, operation: Operation, of_inputs: list[_Parameters]) -> None:
    """The scale and zero point that the result has where a number is added or multiplied.

    Source of the rule: ``qadd.cpp`` and ``qmul.cpp`` in ``aten/src/ATen/native/quantized/cpu`` of PyTorch.
    """
    numbers = of_inputs[0].numbers if of_inputs else None
    producer = operation.inputs[1].producer
    number = producer.attribute if producer else None
    if numbers is None or not isinstance(number, (int, float)):
        return
    scale, zero_point = numbers
    if operation.kind == "quantized::mul_scalar":
        if number > 0:
            result = number * scale, zero_point
        elif number == 0:
            result = 1.0, 0
        else:
            result = abs(number) * scale, _HIGHEST - (zero_point - _LOWEST)
    else:
        moved = zero_point - round(number / scale)
        if moved < _LOWEST:
            result = (_HIGHEST - moved) / (_HIGHEST - _LOWEST) * scale, _LOWEST
        elif moved > _HIGHEST:
            result = (moved - _LOWEST) / (_HIGHEST - _LOWEST) * scale, _HIGHEST
        else:
            result = scale, moved
    _append(program, operation, *result)
