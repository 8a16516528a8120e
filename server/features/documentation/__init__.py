"""Declarations and types in words, as hover, completion and the command line show them."""
