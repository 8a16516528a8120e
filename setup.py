"""Maps the folders ``ir``, ``passes`` and ``server`` into the namespace ``relay_lsp`` (see pyproject.toml)."""

from setuptools import find_packages, setup

setup(
    packages=[
        "relay_lsp." + name
        for name in find_packages(include=["ir", "ir.*", "passes", "passes.*", "server", "server.*"])
    ]
)
