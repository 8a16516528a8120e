"""The parts of a text without errors, and what follows from an edit of one of them: told by lines and names alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

__all__ = ["Part", "bound_in", "braces_of", "felt_parts", "names_in", "parts_of"]

_NAME: Final = re.compile(r"[%@]\w+|\b[A-Z]\w*")
_BINDS: Final = re.compile(r"(%\w+)\s*(?:/\*.*?\*/\s*)?(?::[^=]*)?=(?![=>])|let\s+(%\w+)")
_DECLARED: Final = re.compile(r"def\s+(@\w+)|type\s+(\w+)|^\s*([A-Z]\w*)\s*[(,]|(%\w+)\s*:")
_WITHOUT_BRACKETS: Final = re.compile(r'/\*.*?\*/|"[^"]*"|//.*')
_LOCAL: Final = "%"


class Part:
    """The lines of a statement, an arm or a head that are in no braces in it, and those of its closing braces."""

    def __init__(self, around: Part | None) -> None:
        self.around: Final = around
        self.lines: Final[list[str]] = []

    @property
    def definition(self) -> Part:
        """The function or data type that it belongs to."""
        return self if self.around is None else self.around.definition

    @property
    def is_of_type(self) -> bool:
        """Whether it belongs to a data type."""
        return self.definition.lines[0].startswith(("type ", "extern "))

    @property
    def names(self) -> set[str]:
        """What it mentions."""
        return names_in(self.lines)

    def bound(self, *, inside: bool) -> set[str]:
        """What it binds; ``inside``: also what it binds for what is in its braces, or stands behind its arrow."""
        return bound_in(self.lines, inside=inside)


def names_in(lines: Iterable[str]) -> set[str]:
    """What some lines mention."""
    return {name for line in lines for name in _NAME.findall(line)}


def bound_in(lines: Iterable[str], *, inside: bool) -> set[str]:
    """What some lines bind; ``inside``: also for what is in their braces, or stands behind an arrow."""
    names: set[str] = set()
    for line in lines:
        names.update(one or other for one, other in _BINDS.findall(line))
        if inside:
            names.update(name for found in _DECLARED.findall(line) for name in found if name)
            names.update(_NAME.findall(line.partition("=>")[0]) if "=>" in line else ())
    return names


def braces_of(line: str) -> str:
    """The braces of a line, but for those in what an edit may have made a string or a comment."""
    return re.sub('[^{}]|["/].*', "", line)


def parts_of(text: str) -> list[Part]:
    """The part that each line of a text without errors belongs to."""
    parts: list[Part] = []
    around: list[Part] = []
    current: Part | None = None
    depth = 0
    for line in text.split("\n"):
        bare = _WITHOUT_BRACKETS.sub("", line)
        if current is None and bare.lstrip().startswith("}"):
            part = around.pop()
        else:
            part = current = current or Part(around[-1] if around else None)
            depth += sum(map(bare.count, "([")) - sum(map(bare.count, ")]"))
        if bare.count("{") > bare.count("}") or (current is None and bare.rstrip().endswith("{")):
            around.append(part)
            current = None
        elif depth <= 0:
            current = None
        depth = depth if current is not None else 0
        part.lines.append(line)
        parts.append(part)
    return parts


def felt_parts(parts: Sequence[Part], edited: Collection[Part], names: set[str]) -> set[Part]:
    """The parts in which an edit of some may be felt, where ``names`` mean something else in what they are in.

    A name of a value means something in its own definition alone.
    """
    names_of = {part: part.names for part in parts}
    felt: set[Part] = set()
    known: dict[Part | None, set[str]] = {}
    """What means something else, in a definition, and everywhere."""

    def add(part: Part, names: set[str]) -> None:
        known.setdefault(part.definition, set()).update(name for name in names if name.startswith(_LOCAL))
        known.setdefault(None, set()).update(name for name in names if not name.startswith(_LOCAL))

    felt.update(each for each in parts if each.around in edited and not each.bound(inside=False))  # other branches
    for part in edited:
        add(part, names | part.bound(inside=True))
        if part.lines[0].startswith("type "):
            add(part, {name for each in parts if each.around is part for name in each.names})
    waiting = set(edited)
    while waiting:
        for part in waiting:
            around: Part | None = part
            while around is not None:
                felt.add(around)
                # What a function has in it tells nothing of it that its head does not, and a type all of it.
                if around.around is not None:
                    add(around, around.bound(inside=False))
                elif around is part or "->" not in around.lines[0]:
                    add(around, around.bound(inside=True))
                around = around.around
            if part.around is not None and not part.bound(inside=False):  # a value: other branches give the same type
                felt.update(each for each in parts if each.around is part.around and not each.bound(inside=False))
            if any("match" in line or "=>" in line for line in part.lines):
                arms = [arm for arm in parts if arm.around is part]
                felt.update(arms)
                add(part, part.bound(inside=True).union(*(arm.bound(inside=True) for arm in arms)))
        everywhere = known.get(None, set())
        waiting = {
            part
            for part, mentioned in names_of.items()
            if part not in felt
            and not (everywhere.isdisjoint(mentioned) and known.get(part.definition, set()).isdisjoint(mentioned))
        }
    return felt
