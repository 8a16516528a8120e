"""The soak's rule about memory: what is loaded late is no leak, and a leak is one however small it begins."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from .memory import is_leak, until_even


def leaking(growth: float, begin: float = 80.0) -> list[float]:
    """Seven looks at a server that grows evenly, by ``growth`` of what it has in the middle until the end."""
    middle = begin / (1 - growth)
    return [begin + (middle - begin) * part / 3 for part in range(7)]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([86, 86, 89, 93, 94, 94, 95], False),
        ([80] * 7, False),
        ([66, 81, 91, 92, 93, 96, 98], False),  # an hour: what texts have in common is learned in the first half
        (leaking(0.09), False),
        (leaking(0.105), True),
        (leaking(0.5), True),
        ([80, 80, 80, 80, 80, 80, 89], True),
        ([71, 90, 120, 160, 200, 250, 285], True),  # what closed texts left behind, once
    ],
)
def test_a_tenth_more_in_the_second_half_is_a_leak(sizes: Sequence[float], expected: bool) -> None:
    assert is_leak(sizes) is expected


def test_the_first_look_waits_for_what_is_loaded_late() -> None:
    found = [60, 60, 60, 75, 80, 81, 81, 81, 81, 99]
    looked = iter(found)
    asyncio.run(until_even(lambda: next(looked), between=0.0))
    assert list(looked) == [99]


def test_what_never_stops_growing_is_measured_all_the_same() -> None:
    looks: list[int] = []

    def size() -> float:
        looks.append(1)
        return float(len(looks))

    asyncio.run(until_even(size, between=0.01, at_most=0.2))
    assert len(looks) > 1
