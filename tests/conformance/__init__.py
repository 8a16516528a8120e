"""The records of what TVM v0.12.0 did, and the command that measures this project against them."""
