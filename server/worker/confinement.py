"""What keeps the code of users, once it runs, from the network and from other processes: a filter of system calls.

Linux has such filters (seccomp, since 3.5; ``man 2 seccomp``). The filter holds for the process and all that it starts,
and cannot be taken off. It is set with two calls of the kernel and needs no library. Elsewhere there is none, which
:func:`confine` says.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

__all__ = ["confine"]

_PR_SET_SECCOMP: Final = 22
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_MODE_FILTER: Final = 2
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000
"""With the number of an error, which the call then fails with."""

_LOAD: Final = 0x20
_JUMP_IF_EQUAL: Final = 0x15
_JUMP_IF_AT_LEAST: Final = 0x35
_RETURN: Final = 0x06

_CALL, _ARCHITECTURE = 0, 4
"""Where these lie in what a filter looks at (``struct seccomp_data``, little-endian)."""
_FOREIGN_CALLS: Final = 0x40000000
"""From this number on, calls of x86-64 are those of its 32-bit variant."""


class _Machine(NamedTuple):
    """What a kind of processor calls itself and its system calls (``linux/audit.h``, ``asm/unistd.h``)."""

    architecture: int
    refused: Sequence[int]
    """``socket``, ``ptrace``, ``process_vm_readv``, ``process_vm_writev``, ``io_uring_setup``: ways out."""


_MACHINES: Final = {
    "x86_64": _Machine(0xC000003E, (41, 101, 310, 311, 425)),
    "aarch64": _Machine(0xC00000B7, (198, 117, 270, 271, 425)),
}


class _Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def confine() -> str:
    """Keep this process from the network and from other processes from now on, in all threads that it will start.

    No socket can be made, not those of this computer alone (``AF_UNIX``) either: other programs that listen there would
    do what this process may not. Pairs of sockets that are connected with each other stay.

    Returns:
        why that is not possible here; empty where it was done.
    """
    machine = _MACHINES.get(platform.machine())
    if not sys.platform.startswith("linux") or machine is None:
        return f"there is no filter of system calls for {platform.system()} on {platform.machine()}"
    instructions = _filter(machine)
    code = b"".join(instructions)
    program = _Program(len(instructions), code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program)):
        return f"the kernel takes no filter of system calls ({os.strerror(ctypes.get_errno())})"
    return ""


def _filter(machine: _Machine) -> Sequence[bytes]:
    """The instructions of the filter; each jump says how many it passes over."""
    refusals = len(machine.refused)
    return [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_JUMP_IF_EQUAL, machine.architecture, 1, 0),
        _instruction(_RETURN, _REFUSE | errno.EPERM),
        _instruction(_LOAD, _CALL),
        _instruction(_JUMP_IF_AT_LEAST, _FOREIGN_CALLS, refusals + 1, 0),
        *(_instruction(_JUMP_IF_EQUAL, call, refusals - place, 0) for place, call in enumerate(machine.refused)),
        _instruction(_RETURN, _ALLOW),
        _instruction(_RETURN, _REFUSE | errno.EPERM),
    ]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction (``struct sock_filter``)."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
