"""``tvm.relay.testing``: networks, each as a module with ``get_workload``."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final

from relay_lsp.ir import testing as networks
from relay_lsp.ir.expressions import Function, NDArray
from relay_lsp.ir.module import IRModule

from ....arrays import as_script_array
from ....modules import MutableModule, thawed

__all__ = ["create_workload"]


def create_workload(net: Function | IRModule, seed: int = 0) -> tuple[MutableModule, dict[str, NDArray]]:
    """The typed module of a network, and parameters for it."""
    module, params = networks.create_workload(net, seed)
    return thawed(module), {name: as_script_array(value) for name, value in params.items()}


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


def _network(name: str) -> SimpleNamespace:
    def named(args: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
        given = {**dict(zip(_PARAMETERS[name], args, strict=False)), **options}
        return {_RENAMED.get(option, option): value for option, value in given.items()}

    def get_net(*args: Any, **options: Any) -> Function:
        """The function of the network."""
        return getattr(networks, name)(**named(args, options))["main"]

    def get_workload(*args: Any, **options: Any) -> tuple[MutableModule, dict[str, NDArray]]:
        """The module of the network, and parameters for it."""
        return create_workload(getattr(networks, name)(**named(args, options)))

    return SimpleNamespace(get_net=get_net, get_workload=get_workload)


def __getattr__(name: str) -> SimpleNamespace:
    if name not in _PARAMETERS:
        raise AttributeError(f"relay_lsp has no network {name}; it has {', '.join(_PARAMETERS)}")
    made = globals()[name] = _network(name)
    return made


def __dir__() -> list[str]:
    return sorted({*__all__, *_PARAMETERS})
