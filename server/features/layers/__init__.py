"""Layers of a framework in a buffer: which values stand for which, and what can be shown of them."""
