"""The version that the server says is that of the installed package."""

from importlib.metadata import version

from relay_lsp.server.lsp.version import VERSION


def test_the_version_is_that_of_the_package() -> None:
    assert version("relay-lsp") == VERSION
