"""Lists and dictionaries in TorchScript: what a program makes longer, changes in place, and takes apart again."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp.frontends.pytorch import read_pytorch

from .programs import assert_computes, errors, infos, main_text, scripted, torch

nn = torch.nn
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
X = torch.arange(12.0).reshape(3, 4)


class Cell(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.input, self.hidden = nn.Linear(4, 3), nn.Linear(3, 3)

    def forward(self, x, hidden):
        return torch.tanh(self.input(x) + self.hidden(hidden))


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = Cell()

    def forward(self, x):
        hidden = torch.zeros(3)
        states = torch.jit.annotate(list[torch.Tensor], [])
        for step in range(x.size(0)):
            hidden = self.cell(x[step], hidden)
            states += [hidden]
        return torch.stack(states), hidden


class Indexed(nn.Module):
    def forward(self, x):
        parts = [x, x + 1.0, x * 2.0]
        return parts[1] + parts[-1] + float(len(parts))


class EveryChange(nn.Module):
    def forward(self, x):
        rows = torch.jit.annotate(list[torch.Tensor], [])
        for row in x.unbind(0):
            rows.append(row + 1.0)
        rows.reverse()
        rows.insert(1, x[0])
        last = rows.pop()
        rows[0] = last * 3.0
        del rows[1]
        rows.extend([last, x[1]])
        return torch.stack(rows[1:] + [last] * 2)


class CountedDown(nn.Module):
    def forward(self, x):
        rows = torch.jit.annotate(list[torch.Tensor], [])
        for index in range(x.size(0) - 1, -1, -1):
            if index % 2 == 0:
                rows.append(x[index])
        return torch.stack(rows)


class WithCondition(nn.Module):
    def forward(self, x):
        parts = torch.jit.annotate(list[torch.Tensor], [])
        index = 0
        while index < 4:
            parts = parts + [x * float(index)]  # noqa: RUF005 - TorchScript has no stars in lists.
            index += 1
        return torch.stack(parts)


class Paired(nn.Module):
    def forward(self, x):
        products = torch.jit.annotate(list[torch.Tensor], [])
        for left, right in zip([x, x + 1.0], [x * 2.0, x * 3.0], strict=False):
            products.append(left * right)
        return products


class Tuples(nn.Module):
    def forward(self, x):
        states = torch.jit.annotate(list[tuple[torch.Tensor, torch.Tensor]], [])
        for index in range(3):
            states.append((x * float(index), x + float(index)))
        first, second = states[1]
        return first + second, states[2][0]


class Entries(nn.Module):
    def forward(self, x):
        entries = {"a": x, "b": x + 1.0}
        entries["c"] = entries["a"] * 2.0
        total = x
        if "c" in entries:
            total = total + 3.0
        for value in entries.values():
            total = total + value
        return total


@pytest.mark.parametrize(
    "module", [Recurrent(), Indexed(), EveryChange(), CountedDown(), WithCondition(), Tuples(), Entries()]
)
@pytest.mark.parametrize("names", ["module", "tvm"])
def test_numbers(module: Any, names: str) -> None:
    assert_computes(read_pytorch(scripted(module), infos([X]), source_names=names), module, X)


def test_each_turn_of_an_unrolled_loop_has_names_of_its_own() -> None:
    text = main_text(read_pytorch(scripted(Recurrent()), infos([X])))
    assert all(f"span=cell.input{number}:0:0" in text for number in ("", "_1", "_2"))
    assert "while_loop" not in text


class Doubled(nn.Module):
    def forward(self, x):
        rows = [x]
        while bool(rows[-1].sum() < 100):
            rows.append(rows[-1] * 2.0)
        return torch.stack(rows)


class Chosen(nn.Module):
    def forward(self, x):
        rows = [x]
        if bool(x.sum() > 0):
            rows.append(x)
        return torch.cat(rows)


class Long(nn.Module):
    def forward(self, x):
        rows = [x]
        for index in range(1_000_000_000):
            rows.append(x * float(index))
        return rows


class Exponential(nn.Module):
    def forward(self, x):
        rows = [x]
        for _ in range(60):
            rows += rows
        return rows


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (Long(), "lists are used in this loop, and it runs more than 4096 times"),
        (Exponential(), "a list of 131072 is more than the 65536 that are unfolded at most"),
        (Doubled(), "lists are used in this loop, so that it must be known how often the loop runs"),
        (Chosen(), "a list changes in a branch, so that the condition must be known"),
    ],
)
def test_lists_that_are_not_converted(module: Any, reason: str) -> None:
    assert reason in errors(read_pytorch(scripted(module), infos([X])))[0]
