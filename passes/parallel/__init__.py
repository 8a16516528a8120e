"""Combining parallel operators on one input into one operator."""
