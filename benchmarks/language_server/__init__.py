"""How fast the language server answers, over real stdio: ``python -m benchmarks.language_server``."""
