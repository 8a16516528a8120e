"""The engine that follows edits: what each statement binds, uses and is typed as, kept from one text to the next.

:class:`~.snapshot.Snapshot` is the way in: an immutable text with everything that is known of it.
"""
