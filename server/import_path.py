"""Where our processes import from: never from the current folder, nor from a folder that the user has opened.

Started with ``-m`` or ``-c``, or with an empty entry in ``PYTHONPATH``, Python looks for modules in the current folder
before anywhere else; and editors start programs in the folder that they show. With a ``queue.py`` in it, to open that
folder would be to run its code. So a process of ours takes such folders off its path before it imports anything else,
and hands on a path without them.

What Python itself imports before our first line, it imports from the path that it was given: ``python -m`` in a folder
with a ``runpy.py``, or a ``relay_lsp``, runs these. ``relay-lsp`` and ``python -I -m relay_lsp.server`` do not.
"""

# Only what Python has loaded by the time that it starts a program; so nothing from __future__ either, which is a file.
import os
import sys

__all__ = ["environment", "safe_path", "withhold"]

_withheld: set[str] = set()


def withhold(*folders: str) -> None:
    """Import nothing from these folders any more, nor from the current one and what is named relative to it."""
    _withheld.update(map(_real, folders))
    _withheld.update(_relative_folders())
    sys.path[:] = safe_path()


def safe_path() -> list[str]:
    """The entries of ``sys.path`` from which our processes may import, in order.

    Python's own folders stay in their places though the user has opened one of them. An entry that is no path, such as
    those with which packages in development mark themselves, stays too.
    """
    withheld = (_withheld | _relative_folders()) - _folders_of_python()
    safe = [
        entry
        for entry in sys.path
        if entry and (_real(entry) not in withheld if os.path.isabs(entry) else not os.path.exists(entry))
    ]
    # The current folder comes first where it is one of Python's own, which then has its place further down.
    return list(dict.fromkeys(reversed(safe)))[::-1]


def environment() -> dict[str, str]:
    """The environment for a process of ours: this one's, without what would put a withheld folder on its path."""
    given = dict(os.environ)
    if "PYTHONPATH" in given:
        withheld = _withheld | _relative_folders()
        entries = given.pop("PYTHONPATH").split(os.pathsep)
        if safe := [entry for entry in entries if os.path.isabs(entry) and _real(entry) not in withheld]:
            given["PYTHONPATH"] = os.pathsep.join(safe)
    return given


def _relative_folders() -> set[str]:
    """The current folder, and those that ``PYTHONPATH`` names relative to it."""
    try:
        here = os.getcwd()
    except OSError:  # It is there no longer, and nothing can be imported from it.
        return set()
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {_real(here), *(_real(os.path.join(here, entry)) for entry in entries if not os.path.isabs(entry))}


def _folders_of_python() -> set[str]:
    """The standard library, and the folders that packages are installed in."""
    site = sys.modules.get("site")
    installed = [*site.getsitepackages(), site.USER_SITE] if site is not None else []
    return {_real(folder) for folder in (os.path.dirname(os.__file__), *installed) if folder}


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
