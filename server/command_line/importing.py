"""``relay-lsp import``: a model of another framework as Relay text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from relay_lsp.frontends.diagnostics import ImportDiagnostic, MissingExtraError, ModelImportError
from relay_lsp.frontends.imported import ImportedModel
from relay_lsp.frontends.model_text import model_text_pieces
from relay_lsp.frontends.models import read_model
from relay_lsp.frontends.verification import compare_with_runtime
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.expressions import NDArray
from relay_lsp.ir.types import ANY, DataType, Dim

from .files import replace_file, write_file
from .limits import limited
from .problems import EXIT_FOUND, EXIT_OK, CommandError
from .watched import note_work

__all__ = ["import_model"]


def import_model(options: argparse.Namespace) -> int:
    """Import a model, and write its text and its parameters where the user says."""
    if options.file == "-":
        raise CommandError("a model is read from a file, whose name says what it is of, and not from standard input")
    path = Path(options.file)
    note_work(f"reading {options.file}")
    imported = _read(path, options)
    _report(options.file, imported.diagnostics)
    folder = Path(options.output).parent if options.output else path.parent
    text, params = model_text_pieces(imported, bool(options.params or options.without_weights), folder)
    if options.params:
        _write_params(Path(options.params), params)
    if options.output:
        write_file(options.output, text)
    else:
        sys.stdout.writelines(text)
    failed = any(diagnostic.severity is Severity.ERROR for diagnostic in imported.diagnostics)
    if options.verify and failed:
        print("relay-lsp: not verified: a part of the model could not be converted, as said above", file=sys.stderr)
    elif options.verify and not _verified(imported, path, options.seed, options.timeout):
        failed = True
    return EXIT_FOUND if failed else EXIT_OK


def _read(path: Path, options: argparse.Namespace) -> ImportedModel:
    given: dict[str, object] = {"strict": options.strict}
    if options.shapes:
        given["shape"] = dict(map(_shape, options.shapes))
    if options.dtypes:
        given["dtype"] = dict(map(_dtype, options.dtypes))
    try:
        return read_model(path, options.framework, **given)
    except ModelImportError as error:
        _report(options.file, error.diagnostics)
        raise CommandError(f"{options.file} was not imported") from None
    except (MissingExtraError, ValueError) as error:
        raise CommandError(str(error)) from None


def _shape(text: str) -> tuple[str, list[Dim]]:
    """``NAME=1,3,?,224``."""
    name, equals, numbers = text.rpartition("=")
    parts = [part.strip() for part in numbers.split(",") if part.strip()]
    if not equals or not all(part.isdecimal() or part == "?" for part in parts):
        raise CommandError(f"--shape takes NAME=1,3,224,224, with ? for what is not known, not {text}")
    return name, [ANY if part == "?" else int(part) for part in parts]


def _dtype(text: str) -> tuple[str, str]:
    """``NAME=int64``."""
    name, equals, dtype = (part.strip() for part in text.rpartition("="))
    if not equals or not name or not DataType(dtype).is_valid:
        raise CommandError(f"--dtype takes NAME=int64, with a dtype of Relay's, not {text}")
    return name, dtype


def _report(name: str, diagnostics: tuple[ImportDiagnostic, ...]) -> None:
    for diagnostic in diagnostics:
        print(f"{name}: {diagnostic.severity.name.lower()}: {diagnostic}", file=sys.stderr)


def _write_params(path: Path, params: Mapping[str, NDArray]) -> None:
    """Write the parameters as ``.npz``, or as ``.safetensors`` where that package is installed."""
    if path.suffix == ".npz":
        replace_file(str(path), lambda file: np.savez(file, **params))  # pyright: ignore[reportArgumentType]
    elif path.suffix == ".safetensors":
        replace_file(str(path), lambda file: file.write(_as_safetensors(params)))
    else:
        raise CommandError(f"{path}: parameters are written as .npz or .safetensors")


def _as_safetensors(params: Mapping[str, NDArray]) -> bytes:
    try:
        from safetensors.numpy import save  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
    except ImportError:
        raise CommandError("writing .safetensors takes the package safetensors: pip install safetensors") from None
    arrays = {name: np.ascontiguousarray(value) for name, value in params.items()}
    return bytes(save(arrays))  # pyright: ignore[reportUnknownArgumentType]


def _verified(imported: ImportedModel, path: Path, seed: int, seconds: float) -> bool:
    """Whether the module and the model's runtime agree, which is stopped after ``seconds`` (0: never)."""
    consequence = "nothing is known about the numbers (--timeout gives more time, 0 without end)"
    try:
        with limited(seconds, lambda: "the comparison", consequence):
            comparison = compare_with_runtime(imported, path, seed)
    except CommandError:
        raise
    except Exception as error:  # The runtime's own errors have no common base.
        print(f"relay-lsp: not verified: {type(error).__name__}: {error}", file=sys.stderr)
        return False
    print(f"relay-lsp: {'verified' if comparison.agrees else 'not verified'}: {comparison.message}", file=sys.stderr)
    return comparison.agrees
