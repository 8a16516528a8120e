"""Lifting functions inside functions to the top of a module."""
