"""The command ``relay-lsp``: the language server, and what it knows, from a terminal."""
