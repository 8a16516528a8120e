"""Parts of a graph that go to external compilers: which operators each takes, and the regions that annotations mark."""

from .annotations import compiler_begin, compiler_end, compiler_of, is_begin, is_end
from .pattern_tables import CompositePattern, pattern_tables, register_pattern_table
from .regions import Region, RegionSet
from .targets import register_target_support, supports

__all__ = [
    "CompositePattern",
    "Region",
    "RegionSet",
    "compiler_begin",
    "compiler_end",
    "compiler_of",
    "is_begin",
    "is_end",
    "pattern_tables",
    "register_pattern_table",
    "register_target_support",
    "supports",
]
