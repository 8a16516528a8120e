"""Operators of Arm's Ethos-U processors (``contrib.ethosu``), which the compiler for them puts in the place of others.

TVM types them and makes commands for the processor of them; it has no kernel that computes one, and neither has this
package: evaluation says so at the call.
"""

from . import elementwise, windows

__all__ = ["elementwise", "windows"]
