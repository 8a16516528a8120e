"""The formatter: the same tokens and comments in the same order, with white space as the canonical text has it.

It keeps names, comments, and where an author broke a line inside a statement; it puts statements, constructors and arms
on lines of their own, indents by two, leaves at most one blank line, and writes the spaces between tokens as TVM does.
So canonical text stays as it is. Only white space between tokens changes, which is checked on every result.
"""

from .formatter import format_edits, format_text
from .ranges import format_range

__all__ = ["format_edits", "format_range", "format_text"]
