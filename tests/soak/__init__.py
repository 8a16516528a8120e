"""A long day of an editor in short: ``./dev soak --minutes N``."""
