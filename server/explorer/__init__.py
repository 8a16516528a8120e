"""The explorer of traces: its page, made by ``./dev explorer`` out of the folder ``explorer``, and the server of it."""
