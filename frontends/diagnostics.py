"""What is wrong with a model, and where in it: the node, its operator, and the attribute or input at fault."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from relay_lsp.ir.builder import BuilderError
from relay_lsp.ir.diagnostics import Severity, shortened
from relay_lsp.ir.evaluation import EvaluationError

__all__ = [
    "CONVERSION_FAILURES",
    "WHOLE_MODEL",
    "ConversionError",
    "ImportDiagnostic",
    "ImportReport",
    "MissingExtraError",
    "ModelImportError",
    "ModelImportWarning",
    "ModelPlace",
    "load_extra",
]


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A part of a model: a node by its source name, its operator, and one attribute or input of it.

    Without a node it is the model as a whole.
    """

    node: str = ""
    operator: str = ""
    attribute: str = ""
    input: str = ""

    def __str__(self) -> str:
        if not self.node:
            return "the model"
        parts = [f"node {self.node}"]
        if self.operator:
            parts[0] += f" ({self.operator})"
        if self.attribute:
            parts.append(f"attribute {self.attribute}")
        if self.input:
            parts.append(f"input {self.input}")
        return ", ".join(parts)


WHOLE_MODEL = ModelPlace()
"""No node in particular."""


@dataclass(frozen=True, slots=True)
class ImportDiagnostic:
    """One finding about a model. ``code`` names a page of ``docs/diagnostics``."""

    code: str
    severity: Severity
    message: str
    place: ModelPlace = WHOLE_MODEL

    def __str__(self) -> str:
        place, message = _on_one_line(str(self.place)), _on_one_line(self.message)
        return f"{place}: {message} [{self.code}]"


def _on_one_line(text: str) -> str:
    """``text`` as a terminal can show it: names are the model's, of any length, with any characters in them."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in shortened(text)
    )


class ModelImportError(ValueError):
    """A model that cannot be imported; ``diagnostics`` tell why, the worst first."""

    def __init__(self, diagnostics: Iterable[ImportDiagnostic]) -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.severity))
        super().__init__("\n".join(map(str, self.diagnostics)))


class ModelImportWarning(UserWarning):
    """What ``warnings`` shows of a model that was imported with diagnostics."""


class ConversionError(Exception):
    """Raised by a converter that cannot convert its node: what was expected, and the attribute or input at fault."""

    def __init__(
        self, message: str, *, attribute: str = "", input: str = "", code: str = "unsupported-model-node"
    ) -> None:
        super().__init__(message)
        self.message = message
        self.attribute = attribute
        self.input = input
        self.code = code


CONVERSION_FAILURES: tuple[type[Exception], ...] = (
    BuilderError,
    EvaluationError,
    ValueError,
    TypeError,
    IndexError,
    KeyError,
    ArithmeticError,
    AssertionError,
    MemoryError,
)
"""What a converter raises where a model asks for what Relay's operators, or Python's numbers, do not admit."""


class ImportReport:
    """The findings about one model, in the order in which its nodes were examined."""

    def __init__(self) -> None:
        self.diagnostics: list[ImportDiagnostic] = []
        self._noted: set[ImportDiagnostic] = set()

    def add(self, code: str, severity: Severity, message: str, place: ModelPlace = WHOLE_MODEL) -> None:
        """Note a finding; the same one twice counts once."""
        diagnostic = ImportDiagnostic(code, severity, message, place)
        if diagnostic not in self._noted:
            self._noted.add(diagnostic)
            self.diagnostics.append(diagnostic)

    def error(self, code: str, message: str, place: ModelPlace = WHOLE_MODEL) -> None:
        """Note what makes a part of the module wrong or missing."""
        self.add(code, Severity.ERROR, message, place)

    def warning(self, code: str, message: str, place: ModelPlace = WHOLE_MODEL) -> None:
        """Note what may make the module compute something else than the model."""
        self.add(code, Severity.WARNING, message, place)

    def note(self, code: str, message: str, place: ModelPlace = WHOLE_MODEL) -> None:
        """Note what is worth knowing and changes no value."""
        self.add(code, Severity.INFORMATION, message, place)

    def refuse(self, code: str, message: str, place: ModelPlace = WHOLE_MODEL) -> ModelImportError:
        """The error to raise where nothing of the model can be imported."""
        self.error(code, message, place)
        return ModelImportError(self.diagnostics)

    def require_no_errors(self) -> None:
        """What ``strict`` asks for.

        Raises:
            ModelImportError: there is an error.
        """
        if any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics):
            raise ModelImportError(self.diagnostics)


class MissingExtraError(ImportError):
    """A framework's package that is not installed; the message names the extra that brings it."""


def load_extra(module: str, extra: str) -> None:
    """Import the package that reading a framework's models takes.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        __import__(module)
    except ImportError as error:
        raise MissingExtraError(
            f"reading these models takes the package {module}: pip install 'relay-lsp[{extra}]' ({error})"
        ) from error
