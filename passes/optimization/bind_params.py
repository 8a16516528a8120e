"""``BindParams``."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Any, Final

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.expressions import NDArray
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import TensorType

from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option
from .parameters import bind_params_by_name, read_parameters

_UNREADABLE: Final = re.compile(r"[^A-Za-z0-9_]")


@declare_pass(opt_level=0)
class BindParams(ModulePass):
    """Put constants in the place of parameters of ``@main``, so that other passes can fold them.

    They come from a file (``.npz`` of numpy, or ``.safetensors``), or are written out. Names that ``@main`` does not
    have are ignored, unless it has none of them. TVM does it for the ``params`` of a build;
    ``passes.bind_params_by_name`` is the same for arrays. Where a name has dots, as those of
    a framework's weights have, the parameter has underscores in the text.

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
        """The module with constants in the place of parameters.

        Raises:
            PassError: there is no ``@main``, the file cannot be read, none of the names is one of a parameter, or a
                value is none of its parameter's type.
        """
        read = read_parameters(self.file) if self.file else {}
        if "main" not in module:
            raise PassError("there is no function @main to bind parameters of")
        annotations = {param.name_hint: param.type_annotation for param in module["main"].params}
        arrays = {_parameter(name, annotations): array for name, array in read.items()}
        written = {_parameter(name, annotations): value for name, value in (self.params or {}).items()}
        if (read or written) and annotations.keys().isdisjoint({**arrays, **written}):
            names, there = (", ".join(f"%{name}" for name in each) for each in ({**arrays, **written}, annotations))
            raise PassError(f"@main has none of the parameters {names}; it has {there or 'none'}", code="parameters")
        for name, value in written.items():
            type = annotations.get(name)
            if isinstance(type, TensorType):
                arrays[name] = _array(name, value, type)
        return bind_params_by_name(module, arrays)


def _parameter(name: str, parameters: Container[str]) -> str:
    """The name of the parameter that a value is for: its own, or as a text can have it, such as ``layer1_0_weight``."""
    plain = _UNREADABLE.sub("_", name)
    plain = plain if plain[:1].isalpha() else f"v{plain}"
    return plain if name not in parameters and plain in parameters else name


def _array(name: str, value: Any, type: TensorType) -> NDArray:
    try:
        return np.array(value, numpy_dtype(type.dtype))
    except (TypeError, ValueError) as error:
        raise PassError(f"the value of parameter {name} is no tensor of {type.dtype}: {error}") from None
