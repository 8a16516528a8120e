"""Lists and dictionaries in TorchScript: what a program makes longer, changes in place, and takes apart again."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp import ir
from relay_lsp.frontends.model_text import model_text_pieces
from relay_lsp.frontends.pytorch import read_pytorch
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.types import ANY

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
        rows = torch.jit.annotate(list[torch.Tensor], [])
        row = x
        while bool(row.sum() < 1000):
            rows.append(row)
            row = rows[-1] * 2.0
        return torch.stack(rows, dim=1), len(rows)


class Carried(nn.Module):
    def forward(self, x):
        rows = [x]
        while bool(x.sum() < 1000):
            x = x * 2.0
            rows = rows + [x]  # noqa: RUF005 - TorchScript has no stars in lists.
        total = torch.zeros_like(x)
        for row in rows:
            total = total + row
        return torch.cat(rows, dim=1), rows[0] + total


class Chosen(nn.Module):
    def forward(self, x):
        rows = [x]
        if bool(x.sum() > 0):
            rows.append(x * 3.0)
        rows.extend([x])
        return torch.cat(rows)


class Changed(nn.Module):
    def forward(self, x):
        rows, place = [x, x + 1.0, x + 2.0], 0
        while bool(x.sum() < 1000):
            x = x * 2.0
            place += 1
        rows[place % 3] = x
        rows.reverse()
        return torch.stack(rows), rows[place % 2]


class Nested(nn.Module):
    def forward(self, x):
        rows = torch.jit.annotate(list[torch.Tensor], [])
        while bool(x.sum() < 1000):
            row = x
            while bool(row.sum() < 500):
                rows.append(row)
                row = row * 2.0
            if bool(row.sum() > 700):
                rows += [row]
            x = x * 3.0
        return torch.stack(rows)


class Given(nn.Module):
    def forward(self, rows: list[torch.Tensor], x):  # pyright: ignore[reportInvalidTypeForm]
        rows = rows + [x]  # noqa: RUF005 - TorchScript has no stars in lists.
        return torch.stack(rows), len(rows)


@pytest.mark.parametrize("names", ["module", "tvm"])
@pytest.mark.parametrize("module", [Doubled(), Carried(), Chosen(), Changed(), Nested()])
def test_lists_whose_length_is_known_when_the_program_runs(module: Any, names: str) -> None:
    for x in (X, X + 3.0):
        made = read_pytorch(scripted(module), infos([x]), source_names=names)
        assert_computes(made, module, x)
    written = "".join(model_text_pieces(made, True, None)[0])
    assert "type List[A] {" in written
    assert [shown for shown in ir.parse(written).diagnostics if shown.severity is Severity.ERROR] == []


def test_a_loop_over_an_open_dimension_gives_an_open_dimension() -> None:
    module = Recurrent()
    made = read_pytorch(scripted(module), [("x", ((ANY, 4), "float32"))])
    assert "-> (Tensor[(?, 3), float32], Tensor[(3), float32])" in main_text(made)
    assert_computes(made, module, X)


def test_a_list_as_input() -> None:
    made = read_pytorch(scripted(Given()), [("rows", [(3, 4), (3, 4)]), ("x", (3, 4))])
    assert errors(made) == []
    assert "def @main(%rows: List[Tensor[(3, 4), float32]]" in main_text(made)
    with pytest.raises(ValueError, match="the shape of the input rows must be a list of one shape"):
        read_pytorch(scripted(Given()), [("rows", [(3, 4), (3, 5)]), ("x", (3, 4))])


class Long(nn.Module):
    def forward(self, x):
        rows = [x]
        for index in range(1_000_000_000):
            rows.append(x * float(index))
        return rows


def test_a_loop_that_is_too_long_to_unroll_is_a_function() -> None:
    made = read_pytorch(scripted(Long()), infos([X]))
    assert errors(made) == []
    assert "-> List[Tensor[(3, 4), float32]]" in main_text(made)


class Exponential(nn.Module):
    def forward(self, x):
        rows = [x]
        for _ in range(60):
            rows += rows
        return rows


class Mixed(nn.Module):
    def forward(self, x):
        rows = [x]
        while bool(x.sum() < 1000):
            x = torch.cat([x, x])
            rows.append(x)
        return rows


class Sliced(nn.Module):
    def forward(self, x):
        rows = [x]
        while bool(x.sum() < 1000):
            rows.append(x)
        return rows[1:]


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (Exponential(), "a list of 16384 is more than the 10000 that are unfolded at most"),
        (Mixed(), "a list whose length is not known holds values of one type: Tensor[(3, 4), float32] here, and"),
        (Sliced(), "a list whose length is known is expected"),
    ],
)
def test_lists_that_are_not_converted(module: Any, reason: str) -> None:
    assert reason in errors(read_pytorch(scripted(module), infos([X])))[0]
