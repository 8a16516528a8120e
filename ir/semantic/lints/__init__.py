"""Findings about code that is correct but useless: what nothing uses, and what never runs."""
