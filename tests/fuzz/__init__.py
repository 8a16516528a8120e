"""Random inputs for what reads what others have written. ``./dev fuzz TARGET`` runs one target for minutes or hours."""
