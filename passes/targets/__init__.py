"""Targets as declared data: what a program is compiled for, and what that means for layouts and legal operators."""

from .kinds import KINDS, TargetKind, register_target_kind
from .processors import register_processor
from .target import Target, TargetError, current_target

__all__ = [
    "KINDS",
    "Target",
    "TargetError",
    "TargetKind",
    "current_target",
    "register_processor",
    "register_target_kind",
]
