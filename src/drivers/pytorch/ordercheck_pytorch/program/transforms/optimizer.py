"""torch.optim over the parameters that the model has when the item is applied."""

from __future__ import annotations

import torch

from ..case import Item
from .subject import Site, Subject

DEFAULT_OPTIMIZER = Item(name="optimizer", mode="adamw", options={"clip": "1"}, kind="numeric")
LEARNING_RATES = {"sgd": 0.1, "adamw": 1e-2}


def apply_optimizer(subject: Subject, item: Item, site: Site) -> None:
    parameters = list(subject.model.parameters())
    lr = float(item.options.get("lr", LEARNING_RATES[item.mode or "adamw"]))
    # One tensor at a time: the batched form refuses plain tensors beside DTensors, whatever the order of the stack.
    if item.mode == "sgd":
        subject.optimizer = torch.optim.SGD(parameters, lr=lr, foreach=False)
    else:
        weight_decay = float(item.options.get("weight_decay", "0.1"))
        subject.optimizer = torch.optim.AdamW(
            parameters, lr=lr, betas=(0.9, 0.95), weight_decay=weight_decay, foreach=False
        )
    subject.clips_alone = "clip_alone" in item.options
    subject.clip = float(item.options.get("clip", "1" if subject.clips_alone else "0"))


def apply_default_optimizer(subject: Subject, site: Site) -> None:
    """Of a stack that has none: over the parameters that the last transform left, as a trainer makes it."""
    apply_optimizer(subject, DEFAULT_OPTIMIZER, site)
