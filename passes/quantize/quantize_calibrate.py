"""``QuantizeCalibrate``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, NDArray, Var
from relay_lsp.ir.module import IRModule

from ..binding import bind
from ..construction import scalar
from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option
from ..main_function import main_of
from ..optimization.parameters import read_parameters
from .configuration import AnnotationKind, shared_option
from .kl_divergence import find_scale_by_kl
from .samples import collect_samples, quantized_calls

_PERCENTILE = 0.99999


@declare_pass(opt_level=1)
class QuantizeCalibrate(ModulePass):
    """Give every simulated quantisation in ``@main`` its scale and its limits.

    A weight's range is that of its numbers, which must be constants. That of everything else is ``global_scale``, or
    what the values on a data set show: the threshold of the least Kullback-Leibler divergence, or that below which
    99.999 % of the values lie. The data set is given as ``dataset``, the values of the parameters by name for each run,
    or as files in ``.npz`` or ``.safetensors``, one for each run. TVM runs it in compiled code, which may round
    otherwise than the evaluation here.

    Source of the rule: ``python/tvm/relay/quantize/_calibrate.py``, ``src/relay/quantize/calibrate.cc``.

    Before (global_scale=4.0)::

        def @main(%x: Tensor[(2), float32], %dom_scale: float32, %clip_min: float32, %clip_max: float32) {
          relay.op.annotation.simulated_quantize(%x, %dom_scale, %clip_min, %clip_max, kind=1)
        }

    After::

        def @main(%x: Tensor[(2), float32]) {
          relay.op.annotation.simulated_quantize(%x, 0.03125f, -127f, 127f, kind=1)
        }
    """

    nbit_input: int = shared_option("nbit_input")
    nbit_weight: int = shared_option("nbit_weight")
    nbit_activation: int = shared_option("nbit_activation")
    calibrate_mode: str = shared_option("calibrate_mode")
    global_scale: float = shared_option("global_scale")
    weight_scale: str = shared_option("weight_scale")
    calibrate_chunk_by: int = shared_option("calibrate_chunk_by")
    dataset: tuple[Mapping[str, object], ...] | None = option(
        default=None, doc="The values of the parameters by name, for each run."
    )
    dataset_files: tuple[str, ...] = option(default=(), doc="The files of further runs, `.npz` or `.safetensors`.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with scales and limits in ``@main``.

        Raises:
            PassError: there is no ``@main``, a weight is no constant, there is no data set where one is needed, or
                ``@main`` does not run on it.
        """
        var, main = main_of(module)
        ranges = self._ranges(module)
        known: dict[Var, Expr] = {}
        for call in quantized_calls(main):
            attrs: Any = call.attrs
            kind = AnnotationKind(attrs.kind)
            largest = self._weight_range(call) if kind is AnnotationKind.WEIGHT else next(ranges)
            steps = 2 ** (self._bits(kind, call) - int(attrs.sign))
            values = (largest / steps, -(steps - 1), steps - 1)
            for limit, value in zip(call.args[1:], values, strict=True):
                if isinstance(limit, Var):
                    known[limit] = scalar(float(value), "float32")
        if not known:
            return module
        params = tuple(param for param in main.params if param not in known)
        new = Function(
            params,
            bind(main.body, known),
            main.ret_type,
            main.type_params,
            main.attrs,
            main.span,
            main.virtual_device,
        )
        return module.with_function(var, new)

    def _bits(self, kind: AnnotationKind, call: Call) -> int:
        bits = {
            AnnotationKind.INPUT: self.nbit_input,
            AnnotationKind.WEIGHT: self.nbit_weight,
            AnnotationKind.ACTIVATION: self.nbit_activation,
        }
        if kind not in bits:
            raise PassError("this passes values through (kind=0) and has no bits to be calibrated for", place=call)
        return bits[kind]

    def _weight_range(self, call: Call) -> float:
        weight = call.args[0]
        if not isinstance(weight, Constant):
            message = "the weight must be a constant: bind the parameters (BindParams) and fold (FoldConstant) before"
            raise PassError(message, place=call)
        largest = np.amax(np.abs(weight.data)) if weight.data.size else np.float32(0)
        if self.weight_scale == "max":
            return float(largest)
        return float(2 ** math.ceil(math.log(largest, 2))) if largest > 0 else 1.0

    def _ranges(self, module: IRModule) -> Iterator[float]:
        """The range of each quantised input and activation, in their order."""
        if self.calibrate_mode == "global_scale":
            while True:
                yield self.global_scale
        batches: list[Mapping[str, NDArray]] = [
            {name: np.asarray(value) for name, value in batch.items()} for batch in self.dataset or ()
        ]
        batches += [read_parameters(file) for file in self.dataset_files]
        if not batches:
            message = f"calibrate_mode={self.calibrate_mode!r} needs a data set: give dataset or dataset_files"
            raise PassError(message)
        find = find_scale_by_kl if self.calibrate_mode == "kl_divergence" else find_scale_by_percentile
        for values in collect_samples(module, batches, self.calibrate_chunk_by):
            if not values.size or not np.isfinite(values).all():
                raise PassError("on the data set, a value that is quantised is empty or not finite")
            yield find(values)


def find_scale_by_percentile(values: NDArray, percentile: float = _PERCENTILE) -> float:
    """The absolute value below which this part of ``values``, a flat array that is not empty, lies."""
    magnitudes = np.abs(values)
    place = int(magnitudes.size * percentile)
    return np.partition(magnitudes, place)[place]
