"""What the server can say about a buffer: one feature one file, in families, each a pure function of a snapshot
and an offset.

Nothing here knows LSP: results are data with offsets, which :mod:`..conversion` turns into the protocol's types.
"""
