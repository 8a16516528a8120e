"""Operators on elements, shapes and places, each with a function that uses it and with inputs."""

from __future__ import annotations

from typing import Any

from .inputs import X, i, p, r
from .programs import torch

nn, F = torch.nn, torch.nn.functional


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


OPERATORS: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("add_alpha", lambda a, b: torch.add(a, b, alpha=2), (r(2, 3), r(2, 3))),
    ("sub_alpha", lambda a, b: torch.sub(a, b, alpha=2), (r(2, 3), r(2, 3))),
    ("rsub", lambda a: torch.rsub(a, 3.0), (r(2, 3),)),
    ("rsub2", lambda a: 3 - a, (r(2, 3),)),
    ("div_floor", lambda a, b: torch.div(a, b, rounding_mode="floor"), (r(2, 3) * 5, p(2, 3))),
    ("div_trunc", lambda a, b: torch.div(a, b, rounding_mode="trunc"), (r(2, 3) * 5, p(2, 3))),
    ("div_int", lambda a, b: a / b, (i(9, 2, 3), i(5, 2, 3) + 1)),
    ("floordiv_int", lambda a, b: a // b, (i(9, 2, 3) - 4, i(5, 2, 3) + 1)),
    ("divtrunc_int", lambda a, b: torch.div(a, b, rounding_mode="trunc"), (i(9, 2, 3) - 4, i(5, 2, 3) + 1)),
    ("div_int_by_number", lambda a: (a / 2, torch.div(a, 2, rounding_mode="trunc")), (i(9, 2, 3) - 4,)),
    ("div_bool", lambda a, b: a / b, (i(2, 3) > 0, i(2, 3) < 9)),
    ("round_decimals", lambda a: (torch.round(a, decimals=2), torch.round(a * 99, decimals=-1)), (r(2, 3),)),
    ("floats_of_ints", lambda a: (torch.log1p(a), torch.sigmoid(a), a.clamp(0.5, 2.5)), (i(5, 2, 3),)),
    ("lerp_double", lambda a, b: torch.lerp(a, b, 0.3), (r(2, 3).double(), r(2, 3).double())),
    ("hard_double", lambda a: F.hardsigmoid(a) + F.hardswish(a), (r(2, 3).double(),)),
    ("mean_dtype", lambda a: (a.mean(dtype=torch.float32), a.mean(1, dtype=torch.float32)), (i(9, 2, 3),)),
    ("masked_select_row", lambda a, b: torch.masked_select(a, b > 0), (r(3, 3), torch.tensor([1.0, -1.0, 1.0]))),
    ("masked_select_all", lambda a, b: torch.masked_select(a, b > 0), (r(3), r(2, 3))),
    ("linspace_int", lambda a: a + torch.linspace(0, 10, 5, dtype=torch.int64), (i(9, 5),)),
    ("linspace_equal", lambda a: a + torch.linspace(1, 1, 5), (r(5),)),
    ("max_pool_padding", lambda a: F.max_pool2d(a, 1, 2, ceil_mode=True), (r(1, 2, 4, 4),)),
    ("max_pool_line", lambda a: F.max_pool1d(a, 2, 3, 1, ceil_mode=True), (r(1, 2, 1),)),
    ("avg_pool_ceil", lambda a: F.avg_pool2d(a, 3, 2, 1, ceil_mode=True), (r(1, 2, 6, 6),)),
    ("bincount_least", lambda a: torch.bincount(a, minlength=7), (i(5, 9),)),
    (
        "interp_corners",
        lambda a: F.interpolate(a, scale_factor=1.3, mode="bilinear", align_corners=True),
        (r(1, 2, 5, 5),),
    ),
    (
        "interp_by_size",
        lambda a: F.interpolate(a, scale_factor=1.3, mode="bilinear", recompute_scale_factor=True),
        (r(1, 2, 5, 5),),
    ),
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
    ("inplace", lambda a: inplace(a), (r(3, 4),)),
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
]
