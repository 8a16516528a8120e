"""The numbers of operators and layers, as exported programs, decomposed or not, and as TorchScript."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp.frontends.pytorch import read_pytorch

from .programs import assert_computes, infos, scripted, torch

nn, F = torch.nn, torch.nn.functional
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
GENERATOR = torch.Generator().manual_seed(0)


def r(*shape: int) -> Any:
    """Numbers around 0."""
    return torch.randn(*shape, generator=GENERATOR)


def p(*shape: int) -> Any:
    """Positive numbers."""
    return torch.rand(*shape, generator=GENERATOR) + 0.1


def i(bound: int, *shape: int) -> Any:
    """Whole numbers from 0 below a bound."""
    return torch.randint(0, bound, shape, generator=GENERATOR)


def X() -> Any:  # noqa: N802
    """A batch."""
    return r(2, 3, 4)


def put(a: Any) -> Any:
    b = a.clone()
    b[:, 0] = 1.0
    b[0, 1:, 2] += 3
    b[1] = b[0] * 2
    return b


def inplace(a: Any) -> Any:
    b = a + 1
    b.add_(1).mul_(2)
    c = b.view(4, 3)
    c[0].zero_()
    b[:, 1].copy_(a[:, 0])
    return b, c.relu_()


class Applied(nn.Module):
    """A function as a module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


CASES: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("add_alpha", lambda a, b: torch.add(a, b, alpha=2), (r(2, 3), r(2, 3))),
    ("sub_alpha", lambda a, b: torch.sub(a, b, alpha=2), (r(2, 3), r(2, 3))),
    ("rsub", lambda a: torch.rsub(a, 3.0), (r(2, 3),)),
    ("rsub2", lambda a: 3 - a, (r(2, 3),)),
    ("div_floor", lambda a, b: torch.div(a, b, rounding_mode="floor"), (r(2, 3) * 5, p(2, 3))),
    ("div_trunc", lambda a, b: torch.div(a, b, rounding_mode="trunc"), (r(2, 3) * 5, p(2, 3))),
    ("div_int", lambda a, b: a / b, (i(9, 2, 3), i(5, 2, 3) + 1)),
    ("floordiv_int", lambda a, b: a // b, (i(9, 2, 3) - 4, i(5, 2, 3) + 1)),
    ("divtrunc_int", lambda a, b: torch.div(a, b, rounding_mode="trunc"), (i(9, 2, 3) - 4, i(5, 2, 3) + 1)),
    ("remainder", lambda a, b: a % b, (r(2, 3) * 5, p(2, 3))),
    ("fmod", lambda a, b: torch.fmod(a, b), (r(2, 3) * 5, p(2, 3))),
    ("pow", lambda a: a**2.5, (p(2, 3),)),
    ("pow_tensor", lambda a, b: 2**a + a**b, (p(2, 3), r(2, 3))),
    ("int_float", lambda a, b: a * b + 1, (i(5, 2, 3), r(2, 3))),
    ("int_scalar", lambda a: a * 2.5, (i(5, 2, 3),)),
    ("cos_int", lambda a: torch.cos(a) + torch.sqrt(a), (i(5, 2, 3),)),
    (
        "unary",
        lambda a: (
            torch.sin(a)
            + torch.tanh(a)
            + torch.exp(a)
            + torch.erf(a)
            + torch.floor(a)
            + torch.ceil(a)
            + torch.round(a)
            + torch.trunc(a)
            + torch.sign(a)
            + a.abs()
            + (-a)
        ),
        (X(),),
    ),
    (
        "unary2",
        lambda a: (
            torch.log(a)
            + torch.log2(a)
            + torch.log10(a)
            + torch.log1p(a)
            + torch.rsqrt(a)
            + torch.sqrt(a)
            + torch.reciprocal(a)
            + torch.expm1(a)
            + a.square()
        ),
        (p(2, 3),),
    ),
    (
        "unary3",
        lambda a: (
            torch.asin(a)
            + torch.acos(a)
            + torch.atan(a)
            + torch.sinh(a)
            + torch.cosh(a)
            + torch.tan(a)
            + torch.atanh(a)
        ),
        (p(2, 3) * 0.5,),
    ),
    ("compare", lambda a, b: (a < b, a <= b, a > b, a >= b, a == b, a != b), (i(3, 4), i(3, 4))),
    ("logic", lambda a, b: (a > 1) & (b > 1) | ~(a > 0) ^ (b > 0), (i(3, 4), i(3, 4))),
    (
        "logical",
        lambda a, b: (torch.logical_and(a, b), torch.logical_or(a, b), torch.logical_not(a), torch.logical_xor(a, b)),
        (i(3, 4), i(3, 4)),
    ),
    ("bitwise", lambda a, b: (a & b, a | b, a ^ b, ~a, a << 1, a >> 1), (i(9, 4), i(9, 4))),
    (
        "where",
        lambda a, b: torch.where(a > 0, a, b) + torch.where(a > 0, a, 0.0) + torch.where(a > 0, 1.0, 2.0),
        (X(), X()),
    ),
    ("where1", lambda a: torch.where(a > 0)[0], (r(5),)),
    (
        "clamp",
        lambda a: a.clamp(-0.5, 0.5) + a.clamp(min=0) + a.clamp_max(1.0) + torch.clamp(a, a.mean(), a.max()),
        (X(),),
    ),
    (
        "isx",
        lambda a: (torch.isnan(a), torch.isinf(a), torch.isfinite(a)),
        (torch.tensor([1.0, float("inf"), float("nan")]),),
    ),
    ("lerp", lambda a, b: torch.lerp(a, b, 0.3), (X(), X())),
    (
        "addcmul",
        lambda a, b, c: torch.addcmul(a, b, c, value=0.5) + torch.addcdiv(a, b, c, value=2),
        (X(), X(), X().abs() + 1),
    ),
    (
        "to",
        lambda a: (a.to(torch.int32), a.long(), a.bool(), a.double(), a.half().float(), a.to(torch.int8)),
        (r(2, 3) * 3,),
    ),
    ("type_as", lambda a, b: a.type_as(b), (r(2, 3), i(3, 2))),
    (
        "relu",
        lambda a: (
            F.relu(a)
            + F.relu6(a)
            + F.leaky_relu(a, 0.1)
            + F.elu(a, 1.5)
            + F.celu(a, 1.5)
            + F.selu(a)
            + F.silu(a)
            + F.mish(a)
        ),
        (X(),),
    ),
    ("gelu", lambda a: F.gelu(a) + F.gelu(a, approximate="tanh"), (X(),)),
    (
        "hard",
        lambda a: (
            F.hardtanh(a)
            + F.hardsigmoid(a)
            + F.hardswish(a)
            + F.softplus(a)
            + F.logsigmoid(a)
            + F.softsign(a)
            + torch.sigmoid(a)
            + F.softplus(a, beta=2)
        ),
        (X() * 3,),
    ),
    ("threshold", lambda a: F.threshold(a, 0.5, 0.25), (X(),)),
    ("prelu", nn.PReLU(3), (X(),)),
    ("prelu1", nn.PReLU(), (X(),)),
    ("glu", lambda a: F.glu(a, -1), (r(2, 4),)),
    ("softmax", lambda a: F.softmax(a, 1) + F.log_softmax(a, -1) + F.softmin(a, 0), (X(),)),
    ("hardshrink", lambda a: F.tanhshrink(a), (X(),)),
    (
        "sum",
        lambda a: (
            a.sum(),
            a.sum(1),
            a.sum((0, 2), keepdim=True),
            a.prod(),
            a.prod(1),
            a.mean(),
            a.mean(-1),
            a.mean((0, 1), keepdim=True),
        ),
        (X(),),
    ),
    ("sum_int", lambda a: (a.sum(), a.sum(0), a.prod(0), (a > 1).sum()), (i(4, 3, 4),)),
    (
        "maxmin",
        lambda a: (
            a.max(),
            a.min(),
            tuple(a.max(1)),
            tuple(a.min(-1, keepdim=True)),
            a.amax((0, 2)),
            a.amin(1),
            a.argmax(),
            a.argmax(1),
            a.argmin(1, keepdim=True),
        ),
        (X(),),
    ),
    ("max2", lambda a, b: (torch.max(a, b), torch.min(a, b), torch.maximum(a, b), torch.minimum(a, b)), (X(), X())),
    (
        "var",
        lambda a: (
            a.var(),
            a.std(),
            a.var(1),
            a.std((0, 2), keepdim=True, unbiased=False),
            torch.var_mean(a, 1),
            torch.std_mean(a, 1),
        ),
        (X(),),
    ),
    (
        "norm",
        lambda a: (
            a.norm(),
            a.norm(dim=1),
            a.norm(p=1, dim=(0, 1)),
            torch.linalg.vector_norm(a, float("inf"), 1),
            F.normalize(a, dim=1),
        ),
        (X(),),
    ),
    ("logsumexp", lambda a: (torch.logsumexp(a, 1), torch.logsumexp(a, (0, 2), keepdim=True)), (X(),)),
    ("allany", lambda a: (a.all(), a.any(), a.all(1), a.any(0, keepdim=True)), (i(2, 3, 4),)),
    ("cumsum", lambda a: (a.cumsum(1), a.cumprod(0)), (X(),)),
    ("cumsum_int", lambda a: a.cumsum(0), (i(4, 5),)),
    (
        "reshape",
        lambda a: (
            a.view(6, 4),
            a.reshape(-1, 2),
            a.flatten(),
            a.flatten(1),
            a.unsqueeze(1),
            a.unsqueeze(-1).squeeze(-1),
            a.view(2, -1).unflatten(1, (3, 4)),
        ),
        (X(),),
    ),
    ("squeeze", lambda a: (a.squeeze(), a.squeeze(1), a.squeeze(0), torch.squeeze(a, (1, 3))), (r(2, 1, 3, 1),)),
    (
        "transpose",
        lambda a: (a.transpose(0, 2), a.permute(2, 0, 1), a.mT, a.movedim(0, -1), torch.swapaxes(a, 0, 1)),
        (X(),),
    ),
    ("t", lambda a: (a.t(), a.T), (r(3, 4),)),
    (
        "expand",
        lambda a: (
            a.expand(4, 3, 5),
            a.expand(-1, 3, -1),
            a.repeat(1, 2, 1),
            a.repeat_interleave(2, 0),
            torch.broadcast_to(a, (2, 1, 3, 5)),
            torch.tile(a, (2, 1)),
        ),
        (r(1, 3, 1),),
    ),
    ("expand_as", lambda a, b: a.expand_as(b), (r(1, 3), r(2, 3))),
    (
        "cat",
        lambda a, b: (torch.cat([a, b], 1), torch.stack([a, b], 0), torch.hstack([a, b]), torch.cat([a, b.long()], 0)),
        (X(), X()),
    ),
    (
        "split",
        lambda a: (
            torch.split(a, 2, -1),
            torch.split(a, [1, 3], 2),
            a.chunk(3, -1),
            a.unbind(1),
            torch.tensor_split(a, 3, 2),
        ),
        (X(),),
    ),
    (
        "slice",
        lambda a: (
            a[:, 1:],
            a[..., ::2],
            a[:, -2:],
            a[0],
            a[:, 1],
            a[:, :, 1:3],
            a[None],
            a[:, -1, :],
            a.narrow(2, 1, 2),
            a[:, :-1],
        ),
        (X(),),
    ),
    ("select", lambda a, b: (a.index_select(1, b), a[:, b], a[b[:2] % 2, b[:2]]), (X(), i(3, 4))),
    ("gather", lambda a, b: (a.gather(1, b), torch.take(a, b)), (r(3, 4), i(3, 3, 2))),
    ("index2", lambda a, b: (a[:, b, :], a[:, :, b[:2]], a[b % 2, :, b], a[b % 2, b % 3]), (X(), i(3, 3))),
    ("mask", lambda a: (a[a > 0], a.masked_fill(a > 0, 2.0), torch.masked_select(a, a < 0)), (r(4, 3),)),
    ("nonzero", lambda a: (a.nonzero(), torch.argwhere(a)), (i(2, 3, 4),)),
    ("put", lambda a: put(a), (X(),)),
    (
        "scatter",
        lambda a, b, c: (
            a.scatter(1, b, c),
            a.scatter_add(1, b, c),
            a.scatter(1, b, 2.0),
            a.scatter_reduce(1, b, c, "amax"),
        ),
        (r(3, 4), i(4, 3, 2), r(3, 2)),
    ),
    (
        "index_put",
        lambda a, b, c: (a.index_put((b,), c), a.index_put((b,), c, accumulate=True)),
        (r(5, 4), torch.tensor([0, 2, 3]), r(3, 4)),
    ),
    ("index_add", lambda a, b, c: a.index_add(0, b, c), (r(5, 4), torch.tensor([0, 2, 2]), r(3, 4))),
    (
        "sort",
        lambda a: (
            tuple(a.sort()),
            tuple(a.sort(0, descending=True)),
            a.argsort(1),
            tuple(a.topk(2)),
            tuple(a.topk(2, 0, largest=False)),
        ),
        (r(4, 5),),
    ),
    ("unique", lambda a: torch.unique(a), (i(4, 9),)),
    (
        "search",
        lambda a, b: (torch.searchsorted(a, b), torch.searchsorted(a, b, right=True), torch.bucketize(b, a)),
        (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, 2.0, 2.5])),
    ),
    ("roll", lambda a: (a.roll(1, 0), a.roll((1, 2), (1, 2)), a.roll(2), a.flip(1), a.flip((0, 2))), (X(),)),
    ("tril", lambda a: (a.tril(), a.triu(1), a.tril(-1)), (r(4, 5),)),
    (
        "create",
        lambda a: (
            torch.zeros(2, 3),
            torch.ones_like(a),
            torch.full((2,), 3.0),
            torch.arange(5),
            torch.arange(1, 7, 2),
            torch.arange(0.0, 1.0, 0.25),
            torch.linspace(0, 1, 5),
            torch.eye(3),
            torch.zeros_like(a, dtype=torch.int64),
            a.new_zeros(3),
            a.new_full((2,), 7.0),
            torch.full_like(a, 2.0),
            torch.full((2,), 3),
            torch.scalar_tensor(2.5) + a,
        ),
        (r(2),),
    ),
    ("onehot", lambda a: F.one_hot(a, 5), (i(5, 3),)),
    ("bincount", lambda a: torch.bincount(a), (i(5, 8),)),
    (
        "matmul",
        lambda a, b: (
            a @ b,
            a[0] @ b[0],
            a[0] @ b[0, :, 0],
            a[0, 0] @ b[0],
            torch.bmm(a, b),
            torch.dot(a[0, 0], b[0, :, 0]),
            torch.mv(a[0], b[0, :, 0]),
        ),
        (r(2, 3, 4), r(2, 4, 5)),
    ),
    ("matmul4", lambda a, b: (a @ b, a @ b[0, 0]), (r(2, 3, 4, 5), r(2, 1, 5, 6))),
    (
        "addmm",
        lambda a, b, c: (
            torch.addmm(a, b, c),
            torch.addmm(a, b, c, beta=0.5, alpha=2),
            torch.baddbmm(a[None], b[None], c[None], beta=0.5, alpha=2),
        ),
        (r(3, 5), r(3, 4), r(4, 5)),
    ),
    ("outer", lambda a, b: torch.outer(a, b), (r(3), r(4))),
    (
        "einsum",
        lambda a, b: (torch.einsum("bij,bjk->bik", a, b), torch.einsum("bij,bjk->ik", a, b)),
        (r(2, 3, 4), r(2, 4, 5)),
    ),
    ("linear", lambda a: F.linear(a, torch.ones(5, 4), torch.arange(5.0)), (r(2, 3, 4),)),
    ("linear1", nn.Linear(4, 5), (r(4),)),
    ("linear4", nn.Linear(4, 5, bias=False), (r(2, 3, 2, 4),)),
    (
        "sdpa",
        lambda a, b, c: (
            F.scaled_dot_product_attention(a, b, c),
            F.scaled_dot_product_attention(a, a, a, is_causal=True),
            F.scaled_dot_product_attention(a, b, c, attn_mask=torch.ones(5, 6).bool().tril()),
        ),
        (r(2, 2, 5, 4), r(2, 2, 6, 4), r(2, 2, 6, 4)),
    ),
    ("sdpa_gqa", lambda a, b: F.scaled_dot_product_attention(a, b, b, enable_gqa=True), (r(2, 4, 5, 4), r(2, 2, 5, 4))),
    ("conv2d", nn.Conv2d(4, 6, 3, 2, 1, groups=2), (r(2, 4, 7, 7),)),
    ("conv2d_same", nn.Conv2d(4, 6, 4, padding="same"), (r(2, 4, 7, 7),)),
    ("conv2d_same3", nn.Conv2d(4, 6, 3, padding="same", dilation=2), (r(2, 4, 7, 7),)),
    ("conv2d_dw", nn.Conv2d(4, 8, 3, groups=4, bias=False), (r(2, 4, 7, 7),)),
    ("conv2d_single", nn.Conv2d(4, 6, 3), (r(4, 7, 7),)),
    ("conv2d_reflect", nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect"), (r(2, 4, 7, 7),)),
    ("conv2d_circular", nn.Conv2d(4, 6, 3, padding=1, padding_mode="circular"), (r(2, 4, 7, 7),)),
    ("conv1d", nn.Conv1d(4, 6, 3, padding=1), (r(2, 4, 9),)),
    ("conv1d_g", nn.Conv1d(4, 6, 3, padding=1, groups=2), (r(2, 4, 9),)),
    ("conv3d", nn.Conv3d(2, 3, 3, padding=1), (r(1, 2, 5, 5, 5),)),
    ("convt2d", nn.ConvTranspose2d(4, 6, 3, 2, 1, output_padding=1), (r(2, 4, 5, 5),)),
    ("convt2d_g", nn.ConvTranspose2d(4, 6, 3, 2, groups=2), (r(2, 4, 5, 5),)),
    ("convt1d", nn.ConvTranspose1d(4, 6, 3, 2, 1), (r(2, 4, 5),)),
    ("convt3d", nn.ConvTranspose3d(2, 3, 3, 2), (r(1, 2, 3, 3, 3),)),
    (
        "maxpool",
        lambda a: (
            F.max_pool2d(a, 3, 2, 1),
            F.max_pool2d(a, 2, ceil_mode=True),
            F.avg_pool2d(a, 3, 2, 1),
            F.avg_pool2d(a, 3, 2, 1, count_include_pad=False),
            F.max_pool2d(a, 3, 1, dilation=2),
        ),
        (r(2, 3, 7, 7),),
    ),
    (
        "pool13",
        lambda a, b: (F.max_pool1d(a, 2), F.avg_pool1d(a, 3, 1, 1), F.max_pool3d(b, 2), F.avg_pool3d(b, 2)),
        (r(2, 3, 8), r(1, 2, 4, 4, 4)),
    ),
    (
        "adaptive",
        lambda a: (
            F.adaptive_avg_pool2d(a, 1),
            F.adaptive_avg_pool2d(a, (3, None)),
            F.adaptive_max_pool2d(a, 2),
            F.adaptive_avg_pool1d(a[:, :, 0], 2),
        ),
        (r(2, 3, 7, 7),),
    ),
    ("bn", nn.BatchNorm2d(3), (r(2, 3, 4, 4),)),
    ("bn1", nn.BatchNorm1d(3, affine=False), (r(4, 3),)),
    ("bn_nostats", nn.BatchNorm2d(3, track_running_stats=False), (r(2, 3, 4, 4),)),
    ("in", nn.InstanceNorm2d(3, affine=True), (r(2, 3, 4, 4),)),
    ("in2", nn.InstanceNorm2d(3), (r(2, 3, 4, 4),)),
    ("ln", nn.LayerNorm(4), (X(),)),
    ("ln2", nn.LayerNorm((3, 4)), (X(),)),
    ("ln3", nn.LayerNorm(4, elementwise_affine=False), (X(),)),
    ("ln4", nn.LayerNorm(4, bias=False), (X(),)),
    ("gn", nn.GroupNorm(2, 4), (r(2, 4, 5, 5),)),
    ("rms", nn.RMSNorm(4), (X(),)),
    ("lrn", nn.LocalResponseNorm(3), (r(2, 5, 4, 4),)),
    ("wn", torch.nn.utils.weight_norm(nn.Linear(4, 5)), (r(2, 4),)),
    (
        "pad",
        lambda a: (
            F.pad(a, (1, 2)),
            F.pad(a, (1, 1, 2, 0), value=3.0),
            F.pad(a, (1, 1, 1, 1), mode="reflect"),
            F.pad(a, (1, 1, 1, 1), mode="replicate"),
            F.pad(a, (1, 2), mode="circular") if a.dim() == 3 else a,
            F.pad(a, (-1, 1)),
        ),
        (r(2, 3, 4, 5),),
    ),
    (
        "interp",
        lambda a: (
            F.interpolate(a, scale_factor=2),
            F.interpolate(a, size=(5, 7), mode="bilinear"),
            F.interpolate(a, size=(5, 7), mode="bilinear", align_corners=True),
            F.interpolate(a, scale_factor=2, mode="bicubic"),
            F.interpolate(a, scale_factor=2.0, mode="nearest-exact"),
        ),
        (r(1, 2, 4, 4),),
    ),
    ("interp1", lambda a: (F.interpolate(a, scale_factor=2), F.interpolate(a, size=9, mode="linear")), (r(1, 2, 4),)),
    (
        "interp3",
        lambda a: (F.interpolate(a, scale_factor=2), F.interpolate(a, size=(3, 3, 5), mode="trilinear")),
        (r(1, 2, 3, 3, 3),),
    ),
    (
        "grid",
        lambda a, b: (
            F.grid_sample(a, b, align_corners=False),
            F.grid_sample(a, b, mode="nearest", padding_mode="border", align_corners=True),
        ),
        (r(1, 2, 4, 4), torch.tanh(r(1, 3, 3, 2))),
    ),
    ("pixel", lambda a: (F.pixel_shuffle(a, 2), F.pixel_unshuffle(a, 2), F.channel_shuffle(a, 2)), (r(2, 4, 4, 4),)),
    ("meshgrid", lambda a, b: (torch.meshgrid(a, b, indexing="ij"), torch.meshgrid(a, b, indexing="xy")), (r(3), r(4))),
    ("loss", lambda a, b: (F.l1_loss(a, b), F.mse_loss(a, b, reduction="none"), F.mse_loss(a, b)), (X(), X())),
    (
        "nll",
        lambda a, b: (
            F.nll_loss(F.log_softmax(a, 1), b),
            F.cross_entropy(a, b),
            F.cross_entropy(a, b, reduction="sum"),
        ),
        (r(4, 5), i(5, 4)),
    ),
    ("cosine", lambda a, b: F.cosine_similarity(a, b), (r(3, 4), r(3, 4))),
    ("embed", nn.Embedding(7, 4), (i(7, 2, 3),)),
    ("embed_pad", nn.Embedding(7, 4, padding_idx=0), (i(7, 2, 3),)),
    ("lstm", nn.LSTM(4, 3, batch_first=True), (r(2, 5, 4),)),
    ("lstm2", nn.LSTM(4, 3, 2, bidirectional=True), (r(5, 2, 4),)),
    ("gru", nn.GRU(4, 3, 2, bidirectional=True, batch_first=True), (r(2, 5, 4),)),
    ("rnn", nn.RNN(4, 3, 2, bidirectional=True), (r(5, 2, 4),)),
    ("lstmcell", nn.LSTMCell(4, 3), (r(2, 4),)),
    ("grucell", nn.GRUCell(4, 3), (r(2, 4),)),
    ("mha", nn.MultiheadAttention(8, 2, batch_first=True), (r(2, 3, 8), r(2, 5, 8), r(2, 5, 8))),
    ("encoder", nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (r(2, 3, 8),)),
    ("encoder_nf", nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, activation="gelu"), (r(3, 2, 8),)),
    ("decoder", nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), (r(2, 3, 8), r(2, 5, 8))),
    ("dropout", nn.Dropout(0.3), (X(),)),
    ("inplace", lambda a: inplace(a), (r(3, 4),)),
    ("fold", lambda a: F.unfold(a, 2), (r(1, 2, 4, 4),)),
    ("diag", lambda a: (torch.diagonal(a), a.diag()), (r(3, 3),)),
    ("kthings", lambda a: (a.unfold(0, 2, 1),), (r(5),)),
]


def chosen(*names: str) -> Any:
    """Cases as parameters; all of them where no name is given."""
    cases = [case for case in CASES if not names or case[0] in names]
    assert len(cases) == len(names or CASES)
    return pytest.mark.parametrize(
        ("function", "inputs"), [case[1:] for case in cases], ids=[case[0] for case in cases]
    )


def module_of(function: Any) -> Any:
    """A module that is evaluated, not trained."""
    return (function if isinstance(function, nn.Module) else Applied(function)).eval()


@chosen()
def test_numbers_of_exported_programs(function: Any, inputs: tuple[Any, ...]) -> None:
    module = module_of(function)
    assert_computes(read_pytorch(torch.export.export(module, inputs)), module, *inputs)


DECOMPOSED = (
    "relu", "gelu", "softmax", "var", "reshape", "slice", "put", "conv2d", "conv1d_g", "convt2d", "bn", "in", "ln2",
    "gn", "pad", "interp", "sdpa", "lstm", "gru", "mha", "encoder", "embed", "index2", "scatter", "maxpool", "adaptive",
)  # fmt: skip


@chosen(*DECOMPOSED)
def test_numbers_of_programs_of_core_operators(function: Any, inputs: tuple[Any, ...]) -> None:
    module = module_of(function)
    program = torch.export.export(module, inputs).run_decompositions()
    assert_computes(read_pytorch(program), module, *inputs)


SCRIPTED = (
    "unary", "logic", "where", "clamp", "gelu", "maxmin", "norm", "reshape", "expand", "split", "slice", "index2",
    "mask", "sort", "roll", "create", "matmul4", "sdpa", "conv2d_same", "convt1d", "bn_nostats", "interp",
    "lstm2", "encoder",
)  # fmt: skip


@chosen(*SCRIPTED)
def test_numbers_of_torchscript(function: Any, inputs: tuple[Any, ...]) -> None:
    module = module_of(function)
    assert_computes(read_pytorch(scripted(module, *inputs), infos(inputs)), module, *inputs)
