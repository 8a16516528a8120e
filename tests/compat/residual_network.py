"""ResNet-18 of ``torch.nn`` alone, for samples that take it from torchvision: the same operators in the same order.

Source of the architecture: He, Zhang, Ren, Sun, *Deep Residual Learning for Image Recognition*.
"""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

__all__ = ["torchvision_without_it"]


def torchvision_without_it(torch: Any) -> ModuleType:
    """A module in the place of torchvision, with ``models.resnet18``."""
    nn = torch.nn

    def convolved(inputs: int, outputs: int, size: int, stride: int) -> list[Any]:
        convolution = nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False)
        return [convolution, nn.BatchNorm2d(outputs)]

    class Block(nn.Module):
        def __init__(self, inputs: int, outputs: int, stride: int) -> None:
            super().__init__()
            last = convolved(outputs, outputs, 3, 1)
            self.main = nn.Sequential(*convolved(inputs, outputs, 3, stride), nn.ReLU(inplace=True), *last)
            self.shortcut = nn.Sequential(*convolved(inputs, outputs, 1, stride)) if stride > 1 else nn.Identity()
            self.relu = nn.ReLU(inplace=True)

        def forward(self, x: Any) -> Any:
            out = self.main(x)
            out += self.shortcut(x)
            return self.relu(out)

    def resnet18() -> Any:
        first = [*convolved(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, padding=1)]
        widths = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
        blocks = [block for i, o, stride in widths for block in (Block(i, o, stride), Block(o, o, 1))]
        return nn.Sequential(*first, *blocks, nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(1), nn.Linear(512, 1000))

    module: Any = ModuleType("torchvision")
    module.models = SimpleNamespace(resnet18=resnet18)
    return module
