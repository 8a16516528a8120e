"""Running a TFLite model by the interpreter of LiteRT (``ai-edge-litert``), or by that of TensorFlow Lite."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from relay_lsp.ir.expressions import NDArray

__all__ = ["run"]

_INTERPRETERS = ("ai_edge_litert.interpreter", "tflite_runtime.interpreter", "tensorflow.lite")


def run(path: Path, inputs: Mapping[str, NDArray]) -> Sequence[NDArray]:
    """The outputs of the model in a file, by the interpreter's own kernels alone.

    Raises:
        ModuleNotFoundError: no interpreter is installed.
    """
    interpreter: Any = _interpreter(str(path))
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        given = inputs.get(detail["name"])
        if given is None:  # What the module does not use.
            given = np.zeros(detail["shape"], detail["dtype"])
        interpreter.set_tensor(detail["index"], np.asarray(given, detail["dtype"]))
    interpreter.invoke()
    return [np.asarray(interpreter.get_tensor(detail["index"])) for detail in interpreter.get_output_details()]


def _interpreter(path: str) -> Any:
    for name in _INTERPRETERS:
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            continue
        module: Any = importlib.import_module(name)
        kernels = getattr(getattr(module, "experimental", module), "OpResolverType", None) or module.OpResolverType
        return module.Interpreter(
            model_path=path, experimental_op_resolver_type=kernels.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        )
    raise ModuleNotFoundError("no interpreter of TFLite is installed: pip install ai-edge-litert")
