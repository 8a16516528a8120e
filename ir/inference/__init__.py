"""Type inference: forward where everything is known, by unification where it is not."""

from .exhaustiveness import unmatched_cases
from .inference import Inferred, InferredExpr, InferredStatement, infer_expr, infer_local, infer_statement, infer_types

__all__ = [
    "Inferred",
    "InferredExpr",
    "InferredStatement",
    "infer_expr",
    "infer_local",
    "infer_statement",
    "infer_types",
    "unmatched_cases",
]
