"""From a name to where else it stands: its definition, its uses, its callers, and the outline of all definitions."""
