"""Persistent structures that an edit shares with the state before it, and memories of bounded size."""
