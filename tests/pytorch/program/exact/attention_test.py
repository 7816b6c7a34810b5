"""Attention against rational products and sums, and by batch, head and query."""

import math

import pytest
import rational
import torch
import torch.nn.functional as F
from bits import drawn, same
from ordercheck_pytorch.program.exact import attention
from ordercheck_pytorch.program.exact.install import exact_kernels

BATCH, HEADS, LENGTH, WIDTH = 2, 4, 9, 5


def operands(kv_heads: int = HEADS) -> list[torch.Tensor]:
    sizes = (HEADS, kv_heads, kv_heads, HEADS)
    return [drawn(BATCH, LENGTH, n, WIDTH, seed=i).transpose(1, 2) for i, n in enumerate(sizes)]


def of_one_head(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Output and gradients, in rational arithmetic."""
    scale = 1 / math.sqrt(WIDTH)
    scores = (rational.product(q, k.t(), 20) * scale).masked_fill(
        torch.ones(LENGTH, LENGTH).triu(1) > 0, -math.inf
    )
    e = (scores - scores.amax(1, keepdim=True)).exp()
    weights = e / rational.row_sums(e, 40)
    to_weights = rational.product(g, v.t(), 20)
    weighted = to_weights * weights
    to_scores = (weighted - weights * rational.row_sums(weighted, 40)) * scale
    return (
        rational.product(weights, v, 20),
        rational.product(to_scores, k, 20),
        rational.product(to_scores.t(), q, 20),
        rational.product(weights.t(), g, 20),
    )


def with_gradients(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor) -> list[torch.Tensor]:
    q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=k.shape[1] < q.shape[1])
    return [out, *torch.autograd.grad(out, (q, k, v), g)]


@pytest.mark.parametrize("scores_at_a_time", [1, attention.SCORES_AT_A_TIME])
def test_a_head_is_that_of_rational_numbers(scores_at_a_time: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "SCORES_AT_A_TIME", scores_at_a_time)
    inputs = operands()
    expected = of_one_head(*(x[1, 2] for x in inputs))
    with exact_kernels(20):
        results = with_gradients(*inputs)
    for result, of_head in zip(results, expected, strict=True):
        assert same(result[1, 2], of_head)
    assert not same(with_gradients(*inputs)[0][1, 2], expected[0]), "else this test shows nothing"


@pytest.mark.parametrize("kv_heads", [HEADS, 2, 1])
def test_batch_and_heads_may_be_cut(kv_heads: int) -> None:
    inputs = operands(kv_heads)
    with exact_kernels(20):
        whole = with_gradients(*inputs)
        batches = [with_gradients(*(x[at : at + 1] for x in inputs)) for at in range(BATCH)]
        halves = [
            with_gradients(
                *(x[:, half * x.shape[1] // 2 : (half + 1) * x.shape[1] // 2].contiguous() for x in inputs)
            )
            for half in (range(2) if kv_heads > 1 else ())
        ]
    for place, result in enumerate(whole):
        assert same(torch.cat([part[place] for part in batches]), result)
        if halves:
            assert same(torch.cat([part[place] for part in halves], 1), result)


def test_shared_heads_are_heads_that_stand_side_by_side() -> None:
    q, k, v, _ = operands(2)
    with exact_kernels(20):
        shared = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
        repeated = F.scaled_dot_product_attention(q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1))
    assert same(shared, repeated)


def test_masks_say_the_same() -> None:
    q, k, v, _ = operands()
    seen = torch.ones(LENGTH, LENGTH).tril() > 0
    hidden = torch.zeros(LENGTH, LENGTH, dtype=torch.float64).masked_fill(~seen, -math.inf)
    with exact_kernels(20):
        causal = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        of_booleans = F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        added = F.scaled_dot_product_attention(q, k, v, attn_mask=hidden)
    assert same(of_booleans, causal)
    # What is added puts the scores on the grid of additions, so that it is another number, and a close one.
    torch.testing.assert_close(added, causal)


def test_results_lie_in_memory_as_the_stock_kernels() -> None:
    inputs = operands()
    stock = with_gradients(*inputs)
    with exact_kernels(20):
        exact = with_gradients(*inputs)
    assert [x.stride() for x in exact] == [x.stride() for x in stock]
    for one, other in zip(exact, stock, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
