"""``DumpIR``: every state of the module in a file of its own."""

from __future__ import annotations

from pathlib import Path

from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text

from ..infrastructure import PassInfo, PassInstrument

__all__ = ["DumpIR"]


class DumpIR(PassInstrument):
    """Writes what each pass made to ``000_PassName.relay``, ``001_…`` in a folder.

    ``refresh`` empties the folder of earlier dumps when the context is entered; nothing else in it is touched.
    """

    def __init__(self, dump_dir: str | Path, refresh: bool = False) -> None:
        self._folder = Path(dump_dir)
        self._refresh = refresh
        self._count = 0

    def enter_pass_ctx(self) -> None:
        """Make the folder.

        Raises:
            OSError: it cannot be made, or there is a file of its name.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        self._count = 0
        if self._refresh:
            for old in self._folder.glob("[0-9][0-9][0-9]_*.relay"):
                old.unlink()

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Write what the pass made.

        Raises:
            OSError: the file cannot be written.
        """
        name = "".join(character if character.isalnum() else "_" for character in info.name)
        path = self._folder / f"{self._count:03d}_{name}.relay"
        path.write_text(to_text(mod), encoding="utf-8")
        self._count += 1
