"""The recorded verdicts of TVM v0.12.0, and the command that measures this project against them."""
