"""What the server can say about a buffer: one feature one file, in families, each a pure function of a snapshot
and an offset.

Nothing here imports LSP's types: results are data with offsets, which handlers turn into those with
:mod:`..lsp.conversion`.
"""
