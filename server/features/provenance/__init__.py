"""Which value a place belongs to, where the value came from, and what passes did to it."""
