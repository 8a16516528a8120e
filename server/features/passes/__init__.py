"""Passes and pipelines from a user's side: which one a text names, what one would do, and where a place is after it."""
