"""Layers as functions of their own, and back."""
