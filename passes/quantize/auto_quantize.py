"""``AutoQuantize``, and the same as functions over a module with its parameters and a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relay_lsp.ir.expressions import NDArray
from relay_lsp.ir.module import IRModule

from ..infrastructure import Pass, PassContext, Pipeline, Sequential, create, declare_pass, option
from ..optimization.parameters import bind_params_by_name
from .configuration import QConfig, QuantizationOptions, current_qconfig

__all__ = ["AutoQuantize", "prerequisite_optimize", "quantize"]


@declare_pass(opt_level=0)
class AutoQuantize(QuantizationOptions, Pipeline):
    """Quantise ``@main``: prepare it, mark its parts, simulate, calibrate, and compute on integers.

    The parameters must be constants already (``BindParams``). As a function, ``relay_lsp.passes.quantize.quantize``
    binds them, takes a data set, and reads the options from ``qconfig``. Scales are folded
    at level 3 only, as in TVM.

    Source of the rule: ``python/tvm/relay/quantize/quantize.py`` (``quantize``).

    Before (skip_dense_layer=False)::

        def @main(%x: Tensor[(1, 2), float32]) {
          nn.dense(%x, meta[relay.Constant][0], units=2)
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]},
            {"type_key": "Array", "data": [3]},
            {"type_key": "relay.Constant", "attrs": {"_checked_type_": "0", "data": "0", "span": "0",
             "virtual_device_": "0"}}
          ],
          "b64ndarrays": [
            "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQACAAAAAAAAAAIAAAAAAAAAEAAAAAAAAAAAAIA/AAAAPwAAgL4AAAAA"
          ],
          "attrs": {"tvm_version": "0.12.0"}
        }

    After::

        def @main(%x: Tensor[(1, 2), float32]) -> Tensor[(1, 2), float32] {
          %0 = multiply(%x, 16f);
          %1 = round(%0);
          %2 = clip(%1, a_min=-127f, a_max=127f);
          %3 = cast(%2, dtype="int8");
          %4 = nn.dense(%3, meta[relay.Constant][0], units=2, out_dtype="int32");
          %5 = cast(%4, dtype="float32");
          multiply(%5, 0.00048828125f)
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]},
            {"type_key": "Array", "data": [3]},
            {"type_key": "relay.Constant", "attrs": {"_checked_type_": "0", "data": "0", "span": "0",
             "virtual_device_": "0"}}
          ],
          "b64ndarrays": [
            "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAAIAQACAAAAAAAAAAIAAAAAAAAABAAAAAAAAAB/QOAA"
          ],
          "attrs": {"tvm_version": "0.12.0"}
        }
    """

    dataset: tuple[Mapping[str, object], ...] | None = option(
        default=None, doc="The values of the parameters by name, for each run of the calibration."
    )
    dataset_files: tuple[str, ...] = option(default=(), doc="The files of further runs, `.npz` or `.safetensors`.")

    def passes(self) -> Sequence[Pass]:
        """The passes in TVM's order."""
        config = QConfig(**{name: getattr(self, name) for name in QuantizationOptions.__dataclass_fields__})
        return [*_preparing(), *_quantizing(config, self.dataset, self.dataset_files), *_partitioning(config)]


def _preparing() -> list[Pass]:
    names = ("SimplifyInference", "FoldConstant", "FoldScaleAxis", "CanonicalizeOps", "FoldConstant")
    return [create(name) for name in names]


def _configured(name: str, config: QConfig, **others: object) -> Pass:
    made = create(name)
    return create(name, **config.options_for(type(made)), **others)


def _quantizing(
    config: QConfig, dataset: Sequence[Mapping[str, object]] | None, dataset_files: Sequence[str] = ()
) -> list[Pass]:
    runs = None if dataset is None else tuple(dataset)
    steps = [
        _configured("QuantizePartition", config),
        _configured("QuantizeAnnotate", config),
        _configured("QuantizeCalibrate", config, dataset=runs, dataset_files=tuple(dataset_files)),
        create("InferType"),
    ]
    if not config.do_simulation:
        steps.append(_configured("QuantizeRealize", config))
    return [*steps, create("FoldConstant")]


def _partitioning(config: QConfig) -> list[Pass]:
    if config.partition_conversions == "disabled":
        return []
    fully_integral = config.partition_conversions == "fully_integral"
    return [_configured("PartitionConversions", config, fully_integral=fully_integral)]


def prerequisite_optimize(module: IRModule, params: Mapping[str, NDArray] | None = None) -> IRModule:
    """``module`` as quantisation needs it: parameters bound, batch norms and scales folded, operators canonical.

    Raises:
        PassError: a parameter does not fit, or a pass cannot do its work.
    """
    if params:
        module = bind_params_by_name(module, params)
    return Sequential(_preparing())(module)


def quantize(
    module: IRModule,
    params: Mapping[str, NDArray] | None = None,
    dataset: Sequence[Mapping[str, object]] | None = None,
) -> IRModule:
    """``module`` computed on integers, as the current :func:`qconfig` says.

    Args:
        module: the module; its ``@main`` is what is calibrated.
        params: the parameters of ``@main`` that are known, by name.
        dataset: the values of the other parameters by name, for each run of the calibration; read where the scales
            come from data.

    Raises:
        PassError: an option or a parameter does not fit, the data set is missing where it is needed, or a pass cannot
            do its work.
    """
    config = current_qconfig()
    module = prerequisite_optimize(module, params)
    with PassContext(opt_level=3, required_pass=["QuantizeAnnotate", "QuantizeCalibrate", "QuantizeRealize"]):
        module = Sequential(_quantizing(config, dataset))(module)
    return Sequential(_partitioning(config))(module)
