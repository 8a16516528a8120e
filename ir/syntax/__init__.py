"""ir/syntax."""
