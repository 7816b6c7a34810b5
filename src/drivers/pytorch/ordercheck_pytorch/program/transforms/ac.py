"""Activation checkpointing of blocks: torch's checkpoint_wrapper, as torchtitan uses it.

ac=selective wraps every n-th block. `reentrant` picks the older implementation; preserve_rng_state=off is torch's argument."""

from __future__ import annotations

from ...torch_compat import CheckpointImpl, checkpoint_wrapper
from ..case import Item
from .program import Program, Site, layers_of
from .transform import Transform


def apply_ac(program: Program, item: Item, site: Site) -> None:
    reentrant = "reentrant" in item.options
    implementation = CheckpointImpl.REENTRANT if reentrant else CheckpointImpl.NO_REENTRANT
    preserves = item.options.get("preserve_rng_state", "on") == "on"
    every = int(item.options.get("n", "2")) if item.mode == "selective" else 1
    layers = layers_of(program.model)
    for index, (name, block) in enumerate(list(layers.items()), start=1):
        if index % every == 0:
            wrapper = checkpoint_wrapper(block, checkpoint_impl=implementation, preserve_rng_state=preserves)
            layers.register_module(name, wrapper)


AC = Transform(apply_ac, ("n", "reentrant", "preserve_rng_state"), ("block",))
