"""``BindParams``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.expressions import NDArray
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import TensorType

from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option
from .parameters import bind_params_by_name, read_parameters


@declare_pass(opt_level=0)
class BindParams(ModulePass):
    """Put constants in the place of parameters of ``@main``, so that other passes can fold them.

    They come from a file (``.npz`` of numpy, or ``.safetensors``), or are written out. Names that ``@main`` does not
    have are ignored. TVM does it for the ``params`` of a build; ``passes.bind_params_by_name`` is the same for arrays.

    Source of the rule: ``BindParamsByName`` in ``src/relay/backend/utils.cc``.

    Before (params={"scale": 2.0})::

        def @main(%x: Tensor[(2), float32], %scale: float32) {
          multiply(%x, %scale)
        }

    After::

        def @main(%x: Tensor[(2), float32]) {
          multiply(%x, 2f)
        }
    """

    params: Mapping[str, object] | None = option(
        default=None, doc="Values by name, as numbers and nested lists of numbers."
    )
    file: str = option(default="", doc="The file with more values, `.npz` or `.safetensors`.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with constants in the place of parameters."""
        arrays = dict(read_parameters(self.file)) if self.file else {}
        if "main" not in module:
            raise PassError("there is no function @main to bind parameters of")
        annotations = {param.name_hint: param.type_annotation for param in module["main"].params}
        for name, value in (self.params or {}).items():
            type = annotations.get(name)
            if isinstance(type, TensorType):
                arrays[name] = _array(name, value, type)
        return bind_params_by_name(module, arrays)


def _array(name: str, value: Any, type: TensorType) -> NDArray:
    try:
        return np.array(value, numpy_dtype(type.dtype))
    except (TypeError, ValueError) as error:
        raise PassError(f"the value of parameter {name} is no tensor of {type.dtype}: {error}") from None
