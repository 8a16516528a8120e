"""What passes that make whole functions anew build them with: lists of bindings, copies, recursion without a stack."""

from .de_duplicate import copies, de_duplicate
from .let_list import LetList
from .recursion import Steps, run_steps

__all__ = ["LetList", "Steps", "copies", "de_duplicate", "run_steps"]
