"""Rewriting expressions into simpler ones that compute the same."""
