"""Measurements, each one command; none is a test, since a loaded machine may take any time it likes."""
