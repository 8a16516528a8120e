"""The log goes to standard error, in order; a client that does not read that holds nothing up."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import logging, sys
from relay_lsp.server.serving.log_output import log_to_standard_error

log_to_standard_error("WARNING")
logger = logging.getLogger("relay_lsp.test")
for number in range(int(sys.argv[1])):
    logger.warning("%s %d", "x" * 100, number)
    logger.info("not this")
logger.warning("%d is no number", "x")
print("done", flush=True)
"""


def start(lines: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, str(lines)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_what_is_logged_is_written_in_order() -> None:
    _, written = start(50).communicate(timeout=60)
    lines = written.decode().splitlines()
    assert [line.rpartition(" ")[2] for line in lines[:50]] == [str(number) for number in range(50)]
    assert lines[0].startswith("WARNING:relay_lsp.test:xxx")
    assert lines[50] == "relay_lsp.test: %d is no number"


def test_a_client_that_does_not_read_it_holds_nothing_up() -> None:
    program = start(30_000)  # three megabytes, and a pipe holds 64 kB
    assert program.stdout is not None
    assert program.stdout.readline() == b"done\n"
    assert program.wait(timeout=30) == 0
    program.communicate()
