"""Open documents: their text, the positions in it that the client counts, and edits line by line."""
