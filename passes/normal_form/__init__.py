"""What the passes to A-normal and basic block normal form share: scopes, and filling them with bindings."""

from .fill import Fill
from .scopes import Scope, Scopes

__all__ = ["Fill", "Scope", "Scopes"]
