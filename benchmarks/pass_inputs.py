"""Chains in which a pass finds its work again and again, for the passes that leave a plain chain as it is."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["WORK", "chain_of_work"]

_TYPE = "Tensor[(1, 16, 32, 32), float32]"
_CONV = "nn.conv2d({last}, %w, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3])"
_CONV_OF_START = "nn.conv2d({start}, %w, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3])"
_PARAMS = (
    f"%x: {_TYPE}, %w: Tensor[(16, 16, 3, 3), float32], %b: Tensor[(16), float32], %s: Tensor[(16, 1, 1), float32]"
)

WORK: dict[str, Sequence[str]] = {
    "FoldConstant": ("multiply(2f, 3f)", "add({start}, {last})", "nn.relu({last})"),
    "SimplifyInference": ("nn.batch_norm({last}, %b, %b, %b, %b)", "nn.relu({last}.0)"),
    "FastMath": ("exp({last})", "tanh({last})"),
    "DivToMul": ("nn.relu({last})", "divide({last}, 2f)"),
    "EliminateCommonSubexpr": (_CONV_OF_START, _CONV_OF_START, "add({before}, {last})"),
    "SimplifyExpr": (
        "reshape({last}, newshape=[1, 16, 1024])",
        "reshape({last}, newshape=[1, 16, 32, 32])",
        "transpose({last}, axes=[0, 2, 3, 1])",
        "transpose({last}, axes=[0, 3, 1, 2])",
        "full_like({last}, 1f)",
        "add({before}, {last})",
    ),
    "BackwardFoldScaleAxis": (_CONV, "multiply({last}, %s)", "nn.relu({last})"),
    "ForwardFoldScaleAxis": ("nn.relu({last})", "multiply({last}, %s)", _CONV),
    "FoldScaleAxis": ("nn.relu({last})", "multiply({last}, %s)", _CONV, "multiply({last}, %s)"),
    "DynamicToStatic": (
        'shape_of({last}, dtype="int64")',
        "dyn.reshape({start}, {last}, newshape=[])",
        "nn.relu({last})",
    ),
    "CombineParallelConv2D": (
        *(
            f"nn.conv2d({{start}}, %w{branch}, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3])"
            for branch in "abc"
        ),
        "concatenate(({before_that}, {before}, {last}), axis=1)",
        "strided_slice({last}, begin=[0], end=[16], strides=[1], axes=[1])",
    ),
    "FoldExplicitPadding": (
        "nn.pad({last}, 0f, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]])",
        "nn.conv2d({last}, %w, padding=[0, 0, 0, 0], channels=16, kernel_size=[3, 3])",
    ),
    "SplitArgs": (
        f"({', '.join(['{last}'] * 16)})",
        "concatenate({last})",
        "strided_slice({last}, begin=[0], end=[1], strides=[1], axes=[0])",
    ),
}
"""The statements that are repeated, one operator each. ``{last}`` is the value of the statement before, ``{before}`` of
the one before that, ``{before_that}`` of the one before that one, ``{start}`` what the repetition began with."""

_IN_LETS: dict[str, Sequence[str]] = {
    "DeadCodeElimination": ("nn.relu({last})", "add({start}, {start})", "tanh({before})"),
    "ToGraphNormalForm": ("nn.relu({last})", "add({start}, {last})"),
    "LambdaLift": (f"fn (%y: {_TYPE}) {{{{ nn.relu(%y) }}}}", "{last}({start})"),
}
"""The same for passes whose work is in bindings."""


def chain_of_work(name: str, operators: int) -> str | None:
    """A chain of about so many operators in which the pass ``name`` has work all along; ``None`` where a plain chain
    is work enough."""
    statements = WORK.get(name) or _IN_LETS.get(name)
    if statements is None:
        return None
    in_lets = name in _IN_LETS
    params = _PARAMS
    if name == "CombineParallelConv2D":
        params += "".join(f", %w{branch}: Tensor[(16, 16, 3, 3), float32]" for branch in "abc")
    lines = ['#[version = "0.0.5"]', f"def @main({params}) {{"]
    last, before, before_that, number = "%x", "%x", "%x", 0
    while number < operators:
        start = last
        for statement in statements:
            new = f"%v{number}" if in_lets else f"%{number}"
            value = statement.format(last=last, before=before, before_that=before_that, start=start)
            lines.append(f"  let {new} = {value};" if in_lets else f"  {new} = {value};")
            last, before, before_that, number = new, last, before, number + 1
    return "\n".join([*lines, f"  {last}", "}", ""])
