"""Running a module over numpy arrays.

``evaluate(module, *arrays)`` gives what TVM's executors give, within the rounding of the dtypes. It runs any program:
control flow, closures, recursion of any depth, algebraic data types, references. Operators are computed by the numpy
kernels of their declarations; ``bfloat16`` arrays are those of ``ml_dtypes``.
"""

from .evaluate import evaluate, evaluate_and_keep, evaluate_expr
from .values import ADTValue, Closure, EvaluationError, Reference, Value

__all__ = [
    "ADTValue",
    "Closure",
    "EvaluationError",
    "Reference",
    "Value",
    "evaluate",
    "evaluate_and_keep",
    "evaluate_expr",
]
