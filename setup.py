"""Maps the top folders (``ir``, ``passes``, …) into the namespace ``relay_lsp`` (see pyproject.toml).

The pages on diagnostics come along as data: ``docs/diagnostics`` lies as near to ``server`` there as it does here.
"""

from setuptools import find_packages, setup

setup(
    packages=[
        "relay_lsp." + name
        for name in find_packages(
            include=["ir", "ir.*", "passes", "passes.*", "frontends", "frontends.*", "server", "server.*"]
        )
    ]
    + ["relay_lsp.docs.diagnostics"]
)
