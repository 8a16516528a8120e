"""What keeps the code of users, once it runs, from writing outside some folders: the kernel's Landlock.

Linux has it since 5.13 (``man 7 landlock``), where it is built and turned on. A set of rules holds for the process and
all that it starts, and cannot be taken off. Each version of Landlock guards more; what the kernel's version leaves
open, :func:`confine_files` says.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ["confine_files"]

# Numbers of the system calls, which are the same on all processors, and constants (``linux/landlock.h``).
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38

_WRITE_FILE: Final = 1 << 1
_MOVE_BETWEEN_FOLDERS: Final = 1 << 13
_CUT_SHORT: Final = 1 << 14
_DEVICE_CONTROL: Final = 1 << 15
_CHANGES_OF_FOLDERS: Final = sum(1 << bit for bit in range(4, 13))
"""To remove and to make files, folders, links, pipes, sockets and devices."""

_OTHER_PROCESSES: Final = 0b11
"""To send signals, and to reach sockets without a path, of processes that are not confined in the same way."""

_PLAIN_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full")


def confine_files(folders: Iterable[str]) -> str:
    """Let this process write in ``folders`` alone from now on, and in nothing else that it has not opened yet.

    What is only read is not touched by this, nor are rights, owners and times of files. Nothing is allowed in a folder
    that is not there yet. Call it before other threads are started: it holds for those alone that are
    started afterwards.

    Returns:
        what the kernel does not keep the process from; empty where that is nothing.
    """
    if not sys.platform.startswith("linux"):
        return "there is no Landlock but on Linux"
    libc = ctypes.CDLL(None, use_errno=True)
    version: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    if version < 1:
        return f"the kernel has no Landlock ({os.strerror(ctypes.get_errno())})"
    guarded = _guarded(version)
    attributes = struct.pack("=QQQ", guarded, 0, _OTHER_PROCESSES if version >= 6 else 0)
    attributes = attributes[: 8 if version < 4 else 16 if version < 6 else 24]
    rules: int = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return f"the kernel takes no rules of Landlock ({os.strerror(ctypes.get_errno())})"
    try:
        for path, allowed in _allowed(folders, guarded):
            _allow(libc, rules, path, allowed)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(_RESTRICT_SELF, rules, 0):
            return f"the kernel takes no rules of Landlock ({os.strerror(ctypes.get_errno())})"
    finally:
        os.close(rules)
    return "" if version >= 3 else f"version {version} of Landlock does not keep files from being cut short"


def _guarded(version: int) -> int:
    """What a version of Landlock can keep a process from, of all that changes files."""
    guarded = _WRITE_FILE | _CHANGES_OF_FOLDERS
    for since, right in ((2, _MOVE_BETWEEN_FOLDERS), (3, _CUT_SHORT), (5, _DEVICE_CONTROL)):
        guarded |= right if version >= since else 0
    return guarded


def _allowed(folders: Iterable[str], guarded: int) -> Iterator[tuple[str, int]]:
    """Paths, each with what may be done there."""
    for folder in folders:
        yield folder, guarded
    for device in _PLAIN_DEVICES:
        yield device, guarded & (_WRITE_FILE | _CUT_SHORT | _DEVICE_CONTROL)


def _allow(libc: ctypes.CDLL, rules: int, path: str, allowed: int) -> None:
    """Add a rule. Where there is no such path, nothing is allowed there."""
    with contextlib.suppress(OSError, ValueError):
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", allowed, opened), 0)
        finally:
            os.close(opened)
