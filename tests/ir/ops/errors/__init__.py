"""Errors that teach: what is wrong, in words, and at the argument or attribute at fault; a module for each family."""
