"""``tvm.relay.testing``: networks, each as a module with ``get_workload``; what runs a pass on an expression."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

import numpy as np

from relay_lsp.ir import testing as networks
from relay_lsp.ir.expressions import Expr, Function, NDArray
from relay_lsp.ir.module import IRModule
from relay_lsp.passes import Pass, create

from ....arrays import as_script_array
from ....modules import MutableModule, frozen, thawed

__all__ = ["create_workload", "run_infer_type", "run_opt_pass"]


def create_workload(
    net: Function | IRModule, initializer: Callable[[str, NDArray], object] | None = None, seed: int = 0
) -> tuple[MutableModule, dict[str, NDArray]]:
    """The typed module of a network, and parameters for it.

    An ``initializer`` writes each parameter, whose name it is given, into an array of zeros.
    """
    module, params = networks.create_workload(net, seed)
    if initializer is not None:
        params = {name: np.zeros_like(value) for name, value in params.items()}
        for name, value in params.items():
            initializer(name, value)
    return thawed(module), {name: as_script_array(value) for name, value in params.items()}


def run_opt_pass(expr: Expr, opt_pass: Pass, import_prelude: bool = False) -> Expr:
    """What a pass makes of an expression, or of a function, once that is typed.

    Raises:
        NotImplementedError: TVM's prelude is to be imported, which is not here.
    """
    if import_prelude:
        raise NotImplementedError("TVM's prelude of data types is not here")
    after = frozen(opt_pass(create("InferType")(IRModule.from_expr(expr))))["main"]
    return after if isinstance(expr, Function) else after.body


def run_infer_type(expr: Expr) -> Expr:
    """An expression with its types."""
    return run_opt_pass(expr, create("InferType"))


_IMAGE: Final = ("batch_size", "num_classes", "image_shape", "dtype")
_RESIDUAL: Final = ("batch_size", "num_classes", "num_layers", "image_shape", "layout", "dtype")
_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "dcgan": ("batch_size",),
    "densenet": ("densenet_size", "classes", "batch_size", "image_shape", "dtype"),
    "dqn": ("batch_size", "num_actions", "image_shape", "dtype", "layout"),
    "inception_v3": _IMAGE,
    "lstm": ("iterations", "num_hidden", "batch_size", "dtype"),
    "mlp": _IMAGE,
    "mobilenet": (*_IMAGE, "layout"),
    "resnet": _RESIDUAL,
    "resnet_3d": _RESIDUAL,
    "squeezenet": ("batch_size", "num_classes", "version", "image_shape", "dtype"),
    "synthetic": ("input_shape", "dtype"),
    "vgg": ("batch_size", "num_classes", "image_shape", "dtype", "num_layers"),
}
"""The networks, and the parameters of TVM's ``get_workload`` by position."""

_RENAMED: Final = {"densenet_size": "num_layers", "classes": "num_classes", "ngf": "features"}


class _Network(ModuleType):
    """A network as a module, from which scripts import what makes it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{__name__}.{name}")
        self._network = name

    def get_net(self, *args: Any, **options: Any) -> Function:
        """The function of the network."""
        return self._made(args, options)["main"]

    def get_workload(self, *args: Any, **options: Any) -> tuple[MutableModule, dict[str, NDArray]]:
        """The module of the network, and parameters for it."""
        return create_workload(self._made(args, options))

    def _made(self, args: tuple[Any, ...], options: dict[str, Any]) -> IRModule:
        given = {**dict(zip(_PARAMETERS[self._network], args, strict=False)), **options}
        named = {_RENAMED.get(option, option): value for option, value in given.items()}
        return getattr(networks, self._network)(**named)


for _name in _PARAMETERS:
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = _Network(_name)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"relay_lsp has no network {name}; it has {', '.join(_PARAMETERS)}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_PARAMETERS})
