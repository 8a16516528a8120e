"""``tvm.relay.quantize``: configurations, the steps as passes, and all of them at once."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from relay_lsp.ir.expressions import Function, NDArray
from relay_lsp.ir.module import IRModule
from relay_lsp.passes import Pass, PassContext, create
from relay_lsp.passes import quantize as native
from relay_lsp.passes.quantize import AnnotationKind, QConfig, current_qconfig

from ...modules import MutableModule, frozen, thawed
from ...pass_classes import module_pass_of

__all__ = [
    "AnnotationKind",
    "QAnnotateKind",
    "QConfig",
    "annotate",
    "calibrate",
    "current_qconfig",
    "partition",
    "partition_conversions",
    "prerequisite_optimize",
    "qconfig",
    "quantize",
    "quantize_context",
    "realize",
]

QAnnotateKind = AnnotationKind


def qconfig(**kwargs: object) -> QConfig:
    """A configuration. As in TVM, an option that is not known changes nothing; here it gives a warning."""
    known = {field.name for field in dataclasses.fields(QConfig)}
    for name in kwargs.keys() - known:
        warnings.warn(f"quantisation has no option {name}", stacklevel=2)
    return native.qconfig(**{name: value for name, value in kwargs.items() if name in known})


@contextlib.contextmanager
def quantize_context() -> Generator[None]:
    """Where TVM counts convolutions from; here each run of a pass counts from the beginning of a function."""
    yield


def partition() -> Pass:
    """``QuantizePartition``, by the configuration at its run."""
    return _at_run("QuantizePartition")


def annotate() -> Pass:
    """``QuantizeAnnotate``, by the configuration at its run."""
    return _at_run("QuantizeAnnotate")


def realize() -> Pass:
    """``QuantizeRealize``, by the configuration at its run."""
    return _at_run("QuantizeRealize")


def calibrate(dataset: Sequence[Mapping[str, NDArray]] | None = None) -> Any:
    """The function over a module and a context that ``module_pass`` makes a pass of."""

    def calibrate_module(mod: IRModule, ctx: PassContext) -> IRModule:
        return _configured("QuantizeCalibrate", dataset=None if dataset is None else tuple(dataset))(frozen(mod))

    return calibrate_module


def prerequisite_optimize(mod: IRModule, params: Mapping[str, NDArray] | None = None) -> MutableModule:
    """The module as quantisation needs it."""
    return thawed(native.prerequisite_optimize(frozen(mod), params))


def quantize(
    mod: IRModule | Function,
    params: Mapping[str, NDArray] | None = None,
    dataset: Sequence[Mapping[str, object]] | None = None,
) -> MutableModule:
    """The module on integers, by the current configuration."""
    module = IRModule.from_expr(mod) if isinstance(mod, Function) else frozen(mod)
    return thawed(native.quantize(module, params, dataset))


def partition_conversions(
    mod: IRModule, quantized_dtypes: Sequence[str] | set[str], ensure_fully_integral: bool
) -> MutableModule:
    """The module cut into conversions and computation."""
    dtypes = sorted(quantized_dtypes)
    names = ("dtype_input", "dtype_weight", "dtype_activation")
    options: dict[str, object] = {name: dtypes[min(place, len(dtypes) - 1)] for place, name in enumerate(names)}
    made = create("PartitionConversions", fully_integral=ensure_fully_integral, **options)
    return thawed(made(frozen(mod)))


def _configured(name: str, **others: object) -> Pass:
    return create(name, **current_qconfig().options_for(type(create(name))), **others)


def _at_run(name: str) -> Pass:
    def transform(mod: IRModule, ctx: PassContext) -> IRModule:
        return _configured(name).run(frozen(mod), ctx)

    return module_pass_of(transform, opt_level=1, name=name)
