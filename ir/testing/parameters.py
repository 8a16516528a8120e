"""Weights for a network, so that it can be evaluated. Source of the rule: ``python/tvm/relay/testing/init.py``."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..arrays import numpy_dtype
from ..diagnostics import Severity
from ..expressions import Function, NDArray
from ..inference import infer_types
from ..lazy_numpy import np
from ..module import IRModule
from ..types import TensorType, is_static

__all__ = ["create_workload", "random_parameters"]

_MAGNITUDE = 3.0
_CONSTANT_ENDINGS = {"bias": 0.0, "beta": 0.0, "mean": 0.0, "gamma": 1.0, "var": 1.0}


def random_parameters(module: IRModule, seed: int = 0) -> dict[str, NDArray]:
    """Arrays for all parameters of ``@main`` but ``data``, by name.

    A weight is uniform in the interval that Xavier and Bengio propose: the square root of three over the mean of the
    numbers of inputs and outputs, to either side. Biases, means and ``beta`` are 0, variances and ``gamma`` are 1. The
    stream of random numbers is numpy's default generator, not TVM's.

    Args:
        module: a typed module.
        seed: of the generator.

    Raises:
        ValueError: a parameter's name does not say what it is, or its type is not a tensor of known shape.
    """
    return _parameters(module, np.random.default_rng(seed).uniform)


def create_workload(net: Function | IRModule, seed: int = 0) -> tuple[IRModule, dict[str, NDArray]]:
    """The typed module of a network, and the parameters that TVM's ``create_workload`` gives it, to the bit.

    They are as those of :func:`random_parameters`, from the stream of random numbers that numpy had before its present
    generator, seeded with ``seed``.

    Args:
        net: a function, which becomes ``@main``, or a module.
        seed: of the stream.

    Raises:
        ValueError: the network is ill-typed, a parameter's name does not say what it is, or its type is not a tensor of
            known shape.
    """
    typed = infer_types(net if isinstance(net, IRModule) else IRModule.from_expr(net))
    faults = [each for each in typed.diagnostics if each.severity is Severity.ERROR]
    if faults:
        raise ValueError(f"the network is ill-typed: {faults[0].message}")
    return typed.module, _parameters(typed.module, np.random.RandomState(seed).uniform)


def _parameters(module: IRModule, uniform: Callable[[float, float, tuple[int, ...]], NDArray]) -> dict[str, NDArray]:
    parameters: dict[str, NDArray] = {}
    for param in module["main"].params:
        name = param.name_hint
        if name == "data":
            continue
        type = param.checked_type or param.type_annotation
        if not isinstance(type, TensorType) or not is_static(type.shape):
            raise ValueError(f"parameter {name} is not a tensor of known shape but {type!r}")
        shape = tuple(int(extent) for extent in type.shape if isinstance(extent, int))
        dtype = numpy_dtype(type.dtype)
        if name.endswith("weight"):
            scale = _scale(name, shape)
            parameters[name] = uniform(-scale, scale, shape).astype(dtype)
            continue
        value = next((value for ending, value in _CONSTANT_ENDINGS.items() if name.endswith(ending)), None)
        if value is None:
            raise ValueError(f"the name of parameter {name} does not say whether it is a weight, a bias, …")
        parameters[name] = np.full(shape, value, dtype)
    return parameters


def _scale(name: str, shape: tuple[int, ...]) -> float:
    if len(shape) < 2:
        raise ValueError(f"the weight {name} has rank {len(shape)}; it must have at least 2")
    window = math.prod(shape[2:])
    factor = window if "depthwise" in name else (shape[0] + shape[1]) * window / 2
    return math.sqrt(_MAGNITUDE / factor)
