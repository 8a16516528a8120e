"""Removing what nothing needs: values, and functions."""
