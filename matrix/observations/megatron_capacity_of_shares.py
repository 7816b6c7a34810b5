"""Which tokens Megatron-LM's apply_router_token_dropping drops of a batch, and which of the shares that ranks or
microbatches have of it, by megatron-core alone. One process does: the function is handed no process group.

Run it with: python megatron_capacity_of_shares.py, where megatron-core and packaging are installed."""

from __future__ import annotations

from importlib.metadata import version

import torch
from megatron.core.transformer.moe.moe_utils import apply_router_token_dropping

SEQUENCES, LENGTH, EXPERTS, TOP_K = 4, 16, 8, 2
FACTOR = 1.0
NO_LIMIT = float(EXPERTS)


def routed() -> tuple[torch.Tensor, torch.Tensor]:
    """Probabilities of the chosen experts, zero elsewhere, and who is chosen; [SEQUENCES, LENGTH, EXPERTS]."""
    torch.manual_seed(0)
    scores = torch.randn(SEQUENCES, LENGTH, EXPERTS, dtype=torch.float64) + torch.linspace(1, 0, EXPERTS)
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, scores.topk(TOP_K, dim=-1).indices, True)
    return scores.sigmoid() * chosen, chosen


def dropped(shares: int, dim: int, factor: float = FACTOR, pad: bool = False) -> torch.Tensor:
    """Whether a chosen expert does not take a token, where each share along the dim is routed by itself."""
    probabilities, chosen = routed()
    kept = []
    for probs, mask in zip(probabilities.chunk(shares, dim), chosen.chunk(shares, dim), strict=True):
        _, taken = apply_router_token_dropping(
            probs.reshape(-1, EXPERTS),
            mask.reshape(-1, EXPERTS),
            router_topk=TOP_K,
            capacity_factor=factor,
            drop_policy="probs",
            pad_to_capacity=pad,
        )
        kept.append(taken.view_as(mask))
    return chosen & ~torch.cat(kept, dim)


def in_words(shares: torch.Tensor, whole: torch.Tensor) -> str:
    other = int((shares ^ whole).sum())
    return (
        f"drops {int(shares.sum())} of {SEQUENCES * LENGTH * TOP_K}; {other} otherwise than the whole batch"
    )


def main() -> None:
    print(f"megatron-core {version('megatron-core')}, torch {torch.__version__}")
    whole = dropped(1, 0)
    print("the whole batch:          ", in_words(whole, whole))
    print("halves of the samples:    ", in_words(dropped(2, 0), whole))
    print("halves of each sequence:  ", in_words(dropped(2, 1), whole))
    print("padded to the capacity:   ", in_words(dropped(1, 0, pad=True), whole))
    print("padded, halves of samples:", in_words(dropped(2, 0, pad=True), whole))
    print("with room for all, whole: ", int(dropped(1, 0, NO_LIMIT).sum()), "dropped")
    print("with room for all, halves:", int(dropped(2, 0, NO_LIMIT).sum()), "dropped")


if __name__ == "__main__":
    main()
