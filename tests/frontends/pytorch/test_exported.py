"""Exported programs: paths of modules, lines of Python, sizes that are open, branches, objects and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from relay_lsp.frontends import from_pytorch, read_model
from relay_lsp.frontends.pytorch import read_pytorch
from relay_lsp.frontends.verification import compare_with_runtime
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.passes import PassContext

from .programs import assert_computes, errors, exported, main_text, torch

library = vars(torch)["library"]
nn = torch.nn
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 3, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(3)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, x: Any) -> Any:
        y = self.conv2(self.relu(self.bn1(self.conv1(x))))
        return self.relu(y + x)


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer1 = nn.Sequential(Residual(), Residual())
        self.attention = nn.MultiheadAttention(3, 1, batch_first=True)
        self.head = nn.Linear(3, 2)

    def forward(self, image: Any) -> Any:
        y = self.layer1(image).flatten(2).transpose(1, 2)
        y, _ = self.attention(y, y, y)
        return self.head(y.mean(1))


IMAGE = torch.randn(1, 3, 6, 6, generator=torch.Generator().manual_seed(1))


def test_layers_are_called_by_their_modules_and_know_their_lines() -> None:
    made = read_pytorch(exported(Network(), IMAGE))
    layers = {layer.name: layer for layer in made.layers}
    assert {"layer1.0.conv1", "layer1.0.bn1", "layer1.0.relu", "layer1.0.add", "layer1.0.relu_1", "head"} <= set(layers)
    assert {"attention.softmax", "layer1.1.conv2", "mean"} <= set(layers)
    file, _, line = layers["layer1.0.conv1"].source.rpartition(":")
    assert file == __file__
    assert "self.conv1(x)" in Path(file).read_text().splitlines()[int(line) - 1]
    text = main_text(made)
    assert "%layer1.0.conv1.weight: Tensor[(3, 3, 3, 3), float32]" in text
    assert "span=layer1.0.conv1.weight:0:0" in text
    assert "span=layer1.0.conv1.image:0:0" in text
    assert "None" not in {str(expression.span) for expression in made.module["main"].params}


def test_numbers_and_the_order_of_inputs() -> None:
    module = Network()
    assert_computes(read_pytorch(exported(module, IMAGE)), module, IMAGE)


def test_names_of_tvm() -> None:
    text = main_text(read_pytorch(exported(Network(), IMAGE), source_names="tvm"))
    assert "span=aten::conv2d_0:0:0" in text
    assert "%aten::conv2d_0.weight: Tensor[(3, 3, 3, 3), float32]" in text


def test_sizes_that_are_open() -> None:
    class Head(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 2)

        def forward(self, x: Any) -> Any:
            y = self.linear(x)
            return y.reshape(x.shape[0] * 3, 2), torch.cat([y, torch.zeros(x.shape[0], 3, 2)], 1)

    x = torch.randn(5, 3, 4)
    shapes = ({0: torch.export.Dim("batch", min=2)},)
    made = read_pytorch(exported(Head(), x, dynamic_shapes=shapes))
    assert "%x: Tensor[(?, 3, 4), float32]" in main_text(made)
    assert errors(made) == []
    fixed = read_pytorch(exported(Head(), x, dynamic_shapes=shapes), shape={"x": (5, 3, 4)})
    assert "%x: Tensor[(5, 3, 4), float32]" in main_text(fixed)


def test_a_branch_by_cond() -> None:
    class Branch(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.cond(x.sum() > 0, lambda y: y + 1.0, lambda y: y * 2.0, (x,))

    for x in (torch.ones(3), -torch.ones(3)):
        assert_computes(read_pytorch(torch.export.export(Branch(), (x,))), Branch(), x)


def test_a_loop_by_while_loop(tmp_path: Path) -> None:
    while_loop = pytest.importorskip("torch._higher_order_ops.while_loop").while_loop

    class Repeated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(3, 3)

        def forward(self, x: Any, offset: Any) -> Any:
            def goes_on(count: Any, y: Any) -> Any:
                return (count < 4) & (y.sum() < 100)

            def turn(count: Any, y: Any) -> Any:
                return count + 1, self.linear(y) + offset

            return while_loop(goes_on, turn, (torch.zeros((), dtype=torch.int64), x))

    x = torch.ones(2, 3)
    path = tmp_path / "repeated.pt2"
    path.write_bytes(exported(Repeated(), x, x))
    made = read_pytorch(path)
    assert errors(made) == []
    assert "%while_loop(" in main_text(made)
    assert compare_with_runtime(made, path).agrees


@pytest.mark.parametrize("is_open", [False, True])
def test_scan_and_map(tmp_path: Path, is_open: bool) -> None:
    """Turns whose number is known stand one behind the other; else they are a loop."""
    scan = pytest.importorskip("torch._higher_order_ops.scan").scan
    map_rows = pytest.importorskip("torch._higher_order_ops.map").map

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.input, self.hidden = nn.Linear(4, 3), nn.Linear(3, 3)

        def forward(self, x: Any, offset: Any) -> Any:
            def turn(state: Any, row: Any) -> Any:
                state = torch.tanh(self.input(row) + self.hidden(state))
                return state, state * 2.0

            last, states = scan(turn, torch.zeros(2, 3), x)
            return last, map_rows(lambda row, other: torch.relu(row) + other, states, offset)

    x, offset = torch.linspace(-1, 1, 40).reshape(5, 2, 4), torch.ones(3)
    length = {0: torch.export.Dim("length", min=2, max=64)} if is_open else None
    path = tmp_path / "recurrent.pt2"
    module = Recurrent()
    path.write_bytes(exported(module, x, offset, dynamic_shapes=(length, None)))
    made = read_pytorch(path)
    assert_computes(made, module, x, offset)
    assert ("%while_loop(" in main_text(made)) == is_open
    assert ("Tensor[(5, 2, 3), float32])" in main_text(made)) != is_open
    assert compare_with_runtime(made, path).agrees


def test_constants_and_buffers_are_parameters() -> None:
    class Offset(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("offset", torch.arange(3.0), persistent=False)

        def forward(self, x: Any) -> Any:
            return x + self.offset * torch.tensor([1.0, 2.0, 3.0])

    x = torch.ones(2, 3)
    made = read_pytorch(exported(Offset(), x))
    assert "offset" in made.params
    assert_computes(made, Offset(), x)


def test_operators_of_torchvision() -> None:
    torchvision = library.Library("torchvision", "DEF")
    torchvision.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    kept = torch.tensor([1, 2])
    torchvision.impl("nms", lambda boxes, scores, threshold: kept.clone(), "CPU")
    torchvision.impl("nms", lambda boxes, scores, threshold: scores.new_empty(2, dtype=torch.long), "Meta")

    class Detection(nn.Module):
        def forward(self, boxes: Any, scores: Any) -> Any:
            return torch.ops.torchvision.nms(boxes, scores, 0.5)

    boxes = torch.tensor([[0.0, 0, 4, 4], [0, 0, 4, 5], [8, 8, 9, 9]])
    scores = torch.tensor([0.2, 0.9, 0.5])
    made = read_pytorch(torch.export.export(Detection(), (boxes, scores)))
    assert_computes(made, Detection(), boxes, scores)
    assert "vision.non_max_suppression" in main_text(made)


def test_files_bytes_and_objects_are_the_same_model(tmp_path: Path) -> None:
    data = exported(Network(), IMAGE)
    path = tmp_path / "network.pt2"
    path.write_bytes(data)
    texts = [main_text(read_pytorch(model)) for model in (data, path, str(path))]
    texts.append(main_text(read_model(path)))
    assert len(set(texts)) == 1
    assert compare_with_runtime(read_model(path), path).agrees


def test_an_annotator_and_no_spans() -> None:
    data = exported(Residual(), IMAGE)
    line = Span(SourceName("net.py"), 12, 12, 5, 20)
    module, _ = from_pytorch(data, annotator=lambda name: line if name == "conv1" else None)
    assert "net.py:12:5" in {str(argument.span) for argument in _calls(module)}
    with PassContext(config={"relay.frontend.fill_span": False}):
        module, _ = from_pytorch(data)
    assert {str(call.span) for call in _calls(module)} == {"None"}


def _calls(module: Any) -> Any:
    from relay_lsp import ir
    from relay_lsp.ir.visitor import post_order

    return [expression for expression in post_order(module["main"].body) if isinstance(expression, ir.Call)]


def test_layers_tell_their_attributes() -> None:
    made = read_pytorch(exported(Residual(), IMAGE))
    conv = made.layers[0]
    assert (conv.name, conv.operator, conv.outputs) == ("conv1", "aten::conv2d", ("conv2d",))
    assert dict(conv.attributes) == {"stride": "[1, 1]", "padding": "[1, 1]", "dilation": "[1, 1]", "groups": "1"}
