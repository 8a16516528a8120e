"""Running an ONNX model: by onnxruntime where it is installed, else by the reference evaluator of the package onnx."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from relay_lsp.ir.expressions import NDArray

__all__ = ["run"]


def run(path: Path, inputs: Mapping[str, NDArray]) -> Sequence[NDArray]:
    """The outputs of the model in a file."""
    evaluator = _onnxruntime(path) or _reference(path)
    return [np.asarray(output) for output in evaluator.run(None, dict(inputs))]


def _onnxruntime(path: Path) -> Any:
    """A session of onnxruntime; ``None`` where it is not installed, or too old for the model."""
    if importlib.util.find_spec("onnxruntime") is None:
        return None
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception:  # Its errors have no common base; the reference evaluator has the last word.
        return None


def _reference(path: Path) -> Any:
    reference: Any = importlib.import_module("onnx.reference")
    return reference.ReferenceEvaluator(str(path))
