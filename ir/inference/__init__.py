"""Type inference: forward where everything is known, by unification where it is not."""

from .exhaustiveness import unmatched_cases
from .inference import Inferred, InferredExpr, InferredStatement, infer_expr, infer_local, infer_statement, infer_types
from .open_types import CANNOT_INFER, OPEN, opened, unannotated
from .report import COUNTED

__all__ = [
    "CANNOT_INFER",
    "COUNTED",
    "OPEN",
    "Inferred",
    "InferredExpr",
    "InferredStatement",
    "infer_expr",
    "infer_local",
    "infer_statement",
    "infer_types",
    "opened",
    "unannotated",
    "unmatched_cases",
]
