"""What is wrong with a buffer, and what mends it."""
