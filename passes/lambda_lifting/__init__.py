"""What ``LambdaLift`` must know of the functions inside a function."""

from .closures import Closure, closures

__all__ = ["Closure", "closures"]
