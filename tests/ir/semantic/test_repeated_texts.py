"""What ``./dev repeats`` found: a few lines that come a thousand times, whose answers grew with the square of that."""

from __future__ import annotations

import pytest

from tests.hostile_figures import seconds_allowed, slowness
from tests.repeated_texts import RepeatedText, answer, random_text

_BODY = ("def @f(%x: Tensor[(2, 3), float32], %c: bool) {\n", "%x\n}\n")
_BRANCH = ("def @f(%x: Tensor[(2, 3), float32], %c: bool) {\n  if (%c) {\n", "%x\n  } else {\n    %x\n  }\n}\n")
_ARMS = ("def @f(%x: int32) {\n  match (%x) {\n", "_ => %x\n}\n}\n")
_VALUE = ("def @f(%x: int32) {\n  let %k = let %j = 1f;\n", "%j;\n%k\n}\n")
_ARGUMENTS = ("def @f(%x: int32) {\n  add(%x, ", ")\n}\n")
_TYPE = ("type T {\n", "}\n")

_FOUND = {
    "braces that nothing closes": RepeatedText("{", _BODY),
    "braces that nothing closes behind what closes nothing": RepeatedText(")spa{n=", _BODY),
    "parentheses that nothing closes in a branch": RepeatedText("(\n", _BRANCH),
    "brackets that close nothing between parentheses": RepeatedText("] fn ( ; ", _ARMS),
    "calls that nothing closes": RepeatedText("Cons(@f(%x);", _ARGUMENTS),
    "names without semicolons": RepeatedText("%N\n", _BODY),
    "numbers without semicolons": RepeatedText("-1\n", _VALUE),
    "quotes in a data type": RepeatedText('"\n', _TYPE),
    "marks of comments in a data type": RepeatedText("/*\n", _TYPE),
    "arms of matches without braces": RepeatedText("match\nNil => %x,\n", _ARMS),
    "numbers and arrows": RepeatedText("-1->", _BODY),
    "data types in a branch": RepeatedText("type T {\n", _BRANCH),
    "values that are missing in a branch": RepeatedText("%N =\n", _BRANCH),
    "lets without their sign": RepeatedText("%x\nlet %x %x;\n", _ARMS),
    "matches in a branch": RepeatedText("<int32>%N = match (%l) { Cons(%h, %t) => { %h }, Nil => { %x } };", _BRANCH),
    "lets with two names in the value of a let": RepeatedText("let %x %x;\n", _VALUE),
}


_TRIES = 4
"""What shares a machine's caches and its power makes it a third as fast from one second to the next."""


@pytest.mark.usefixtures("collecting_as_a_server")
@pytest.mark.parametrize("name", _FOUND)
def test_what_was_found_is_answered_in_time(name: str) -> None:
    repeated = _FOUND[name]
    text = repeated.text(repeated.times)
    late: dict[str, float] = {}
    for _ in range(_TRIES):
        allowed = 3 * slowness() * seconds_allowed(text)
        late = {answered: seconds for answered, seconds in answer(text).items() if seconds > allowed}
        if not late:
            break
    assert not late


def test_a_seed_gives_the_same_text_each_time() -> None:
    assert random_text(1) == random_text(1)
    assert random_text(1) != random_text(2)
