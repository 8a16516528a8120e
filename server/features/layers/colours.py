"""A colour for each layer, pass, operator, compiler or dtype: the palette, in one place for all editors.

The hues are those of Okabe and Ito (2008), which people who see fewer colours can tell apart; after the last hue they
come again, stronger and weaker. A name keeps its colour for as long as the server runs, and names that follow one
another for the first time have different ones.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["SHADES", "THEMES", "ColourBook", "GroupColour", "blended", "shade"]

Rgb = tuple[int, int, int]

_HUES: tuple[Rgb, ...] = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
    (204, 121, 167),
)

THEMES: dict[str, tuple[Rgb, tuple[float, float, float]]] = {
    "light": ((255, 255, 255), (0.24, 0.38, 0.14)),
    "dark": ((30, 30, 30), (0.23, 0.31, 0.15)),
    "highContrast": ((0, 0, 0), (0.30, 0.38, 0.22)),
    "highContrastLight": ((255, 255, 255), (0.36, 0.46, 0.26)),
}
"""For each kind of theme its background, and how strong the colours lie over it: so that text keeps a contrast of
4.5 to 1, and of 7 to 1 where contrast is high."""

_TEXTS = {"light": "#000000", "dark": "#ffffff", "highContrast": "#ffffff", "highContrastLight": "#000000"}
"""The colour of words on these. Themes give kinds of words colours that are weak already on their own background."""


SHADES = len(_HUES) * len(THEMES["light"][1])
"""How many colours there are before they come again."""


class GroupColour(NamedTuple):
    """The colour of one name: for the background of its values (translucent, and as it looks), for marks beside the
    text, and for the words on that background; as ``#RRGGBB`` or ``#RRGGBBAA``."""

    background: str
    solid: str
    ruler: str
    text: str


class ColourBook:
    """Which name has which colour, for each of the kinds of names."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {}

    def colour(self, kind: str, name: str, theme: str) -> GroupColour:
        """The colour of a name. An unknown theme counts as a light one."""
        numbers = self._numbers.setdefault(kind, {})
        number = numbers.setdefault(name, len(numbers))
        return shade(number, theme)


def shade(number: int, theme: str) -> GroupColour:
    """The colour with a number; names get numbers in the order in which they come."""
    ground, strengths = THEMES.get(theme, THEMES["light"])
    hue = _HUES[number % len(_HUES)]
    strength = strengths[number // len(_HUES) % len(strengths)]
    background, solid = f"{_hex(hue)}{round(strength * 255):02x}", _hex(blended(hue, ground, strength))
    return GroupColour(background, solid, _hex(hue), _TEXTS.get(theme, _TEXTS["light"]))


def blended(colour: Rgb, ground: Rgb, strength: float) -> Rgb:
    """How a translucent colour looks over a background."""
    red, green, blue = (round(strength * a + (1 - strength) * b) for a, b in zip(colour, ground, strict=True))
    return red, green, blue


def _hex(colour: Rgb) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)
