"""What ``relay.build`` and ``relay.vm.compile`` do to a module before they make code of it, and its parameters."""

from .entry import optimize
from .parameters import bind_params_by_name, read_parameters

__all__ = ["bind_params_by_name", "optimize", "read_parameters"]
