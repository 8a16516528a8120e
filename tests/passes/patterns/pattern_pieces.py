"""Expressions and patterns that the tests of the pattern language share."""

from __future__ import annotations

from relay_lsp.ir.expressions import Constant, Expr, TupleGetItem
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes.patterns import DFPattern, DFPatternCallback, dominates, has_attr, is_constant, is_op, wildcard
from tests.passes.modules import read, typed

PARAMETERS = (
    "%x: Tensor[(1, 3, 12, 12), float32], %w: Tensor[(3, 3, 3, 3), float32], %b: Tensor[(3), float32], "
    "%y: Tensor[(1, 3, 12, 12), float32], %w2: Tensor[(3, 3, 3, 3), float32]"
)
ELEMENTWISE, BROADCAST = 0, 1


def body(text: str, parameters: str = PARAMETERS) -> Expr:
    """The typed body of a function over the parameters above."""
    return typed(read(f"def @main({parameters}) {{ {text} }}"))["main"].body


def any_call(name: str) -> DFPattern:
    """A call of a binary operator."""
    return is_op(name)(wildcard(), wildcard())


conv = any_call("nn.conv2d")
unary = has_attr({"TOpPattern": ELEMENTWISE})(wildcard())
DIAMOND = dominates(conv, unary, any_call("add"))
FUZZY = dominates(conv, unary | any_call("add"), any_call("add"))
BRANCHES = is_op("add")(is_op("nn.relu")(conv), is_op("nn.leaky_relu")(conv))
C = "%0 = nn.conv2d(%x, %w); "


class FuseBatchNorm(DFPatternCallback):
    """A normalisation that is written out becomes one operator."""

    def __init__(self) -> None:
        super().__init__()
        self.x, self.var, self.mean, self.beta, self.gamma = (wildcard() for _ in range(5))
        self.eps = is_constant()
        root = is_op("sqrt")(self.var + self.eps)
        self.pattern = self.gamma * (self.x - self.mean) / root + self.beta

    def callback(self, pre, post, node_map):
        parts = [node_map[part][0] for part in (self.x, self.gamma, self.beta, self.mean, self.var)]
        eps = node_map[self.eps][0]
        assert isinstance(eps, Constant)
        return TupleGetItem(apply("nn.batch_norm", *parts, epsilon=eps.data.item()), 0)


BN_PARAMETERS = ", ".join(f"%{name}: Tensor[(4, 3), float32]" for name in ("x", "var", "mean", "beta", "gamma"))
BN = "add(divide(multiply(%gamma, subtract({}, %mean)), sqrt(add(%var, 1e-05f))), %beta)"
