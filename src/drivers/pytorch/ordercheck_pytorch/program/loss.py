"""Cross entropy over logits, summed over the labels that count."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .data import IGNORED_LABEL


def summed_cross_entropy(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """logits [batch, sequence, classes], labels [batch, sequence]. A 0-dim tensor."""
    return F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED_LABEL, reduction="sum"
    )
