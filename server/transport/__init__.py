"""Bytes to messages and back: framing, the queue of messages, standard streams."""
