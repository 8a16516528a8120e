"""Instruments that show the module before or after passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text

from ..infrastructure import PassInfo, PassInstrument

__all__ = ["PassPrintingInstrument", "PrintAfterAll", "PrintBeforeAll"]

Show = Callable[[str], None]


class _PrintingInstrument(PassInstrument):
    def __init__(self, *, show: Show = print, show_meta_data: bool = False) -> None:
        self._show = show
        self._show_meta_data = show_meta_data

    def _print(self, when: str, mod: IRModule, info: PassInfo) -> None:
        self._show(f"// {when} {info.name}\n{to_text(mod, show_meta_data=self._show_meta_data)}")


class PassPrintingInstrument(_PrintingInstrument):
    """Shows the module before the passes of some names and after those of others."""

    def __init__(
        self,
        print_before_pass_names: Iterable[str] = (),
        print_after_pass_names: Iterable[str] = (),
        *,
        show: Show = print,
        show_meta_data: bool = False,
    ) -> None:
        super().__init__(show=show, show_meta_data=show_meta_data)
        self._before = frozenset(print_before_pass_names)
        self._after = frozenset(print_after_pass_names)

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Show what the pass gets, if it is one of the first names."""
        if info.name in self._before:
            self._print("before", mod, info)

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Show what the pass made, if it is one of the second names."""
        if info.name in self._after:
            self._print("after", mod, info)


class PrintBeforeAll(_PrintingInstrument):
    """Shows the module before every pass."""

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Show what the pass gets."""
        self._print("before", mod, info)


class PrintAfterAll(_PrintingInstrument):
    """Shows the module after every pass."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Show what the pass made."""
        self._print("after", mod, info)
