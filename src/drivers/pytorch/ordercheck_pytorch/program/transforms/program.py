"""What transforms are handed, and what they may know of their surroundings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh

from ...torch_compat import flattened
from ..case import Item


@dataclass
class Pipeline:
    """How the stages are run once every transform has been applied to them."""

    schedule: str
    microbatches: int | None  # None: as many as the step accumulates
    stage: int
    stages: int
    group: dist.ProcessGroup  # of the ranks that hold the other stages
    divides_loss: bool = True  # before backward, by what the trainer divides it by


@dataclass
class Program:
    """The model as the transforms so far left it, and what goes with it."""

    model: nn.Module
    optimizer: torch.optim.Optimizer | None = None
    # The trainer's clipping, called with the model: clips in place and returns the norm before that. None: no clipping.
    clips_by: Callable[[nn.Module], torch.Tensor] | None = None
    max_norm: float = 0.0  # the threshold of `clips_by`
    pipeline: Pipeline | None = None
    autocast: torch.dtype | None = None
    # What gradients are multiplied by after backward to be sums: a wrapper that averages them asks for its degree. The loss
    # could be multiplied instead, but every rounding to the grid in between would then be another one.
    gradient_factor: float = 1.0
    # What the trainer multiplies the loss by before backward.
    loss_scale: float = 1.0
    # Called with each parameter whose optimizer is about to step within backward: to see the gradient, which is dropped then.
    steps_in_backward: list[Callable[[nn.Parameter], None]] = field(default_factory=list)
    # Called with whether the microbatch is the step's last.
    on_microbatch: list[Any] = field(default_factory=list)
    # What the trainer passes tokens and labels [batch, sequence] through before it uses them.
    on_batch: list[Callable[[list[torch.Tensor]], list[torch.Tensor]]] = field(default_factory=list)
    # Whether ranks that split the sequence get parts of it, so that their losses are summed.
    splits_sequence: bool = True
    # What the trainer does to gradients because no wrapper does it: once a step, between its last backward and clipping.
    behind_backward: list[Callable[[], None]] = field(default_factory=list)
    local_buffers: list[str] = field(default_factory=list)  # patterns of names: meant to be of their rank
    # Entered around loss and backward.
    around_loss: list[Callable[[], AbstractContextManager[Any]]] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Broadcast:
    """A transform's promise: over `axis`, every rank gets the first one's values of these parameters."""

    axis: str
    parameters: list[nn.Parameter]


@dataclass(frozen=True)
class Site:
    """Nothing here tells of the other items of a stack."""

    device: str
    mesh: DeviceMesh | None
    splits: Mapping[str, str]  # what the ranks along each axis split: layers, batch, sequence or tensors
    degrees: Mapping[str, int] = field(
        default_factory=dict
    )  # of the axes, of what is carved from several of them (ep), and of what that is split by (its etp)
    kept: dict[str, Any] = field(default_factory=dict)  # by a program's functions, as long as the case runs

    def axis(self, *names: str) -> DeviceMesh:
        assert self.mesh is not None, "an item with a degree has its axis"
        return self.mesh[names if len(names) > 1 else names[0]]

    def sharding_axes(self, *names: str) -> DeviceMesh:
        """Those that parameters are sharded over, the last of `names` joined with every axis of the mesh that splits the
        sequence: its ranks have other tokens, so that what sums gradients sums theirs too. torchtitan's dp_shard_cp."""
        assert self.mesh is not None, "an item with a degree has its axis"
        present = self.mesh.mesh_dim_names or ()
        joined = (names[-1], *(axis for axis in present if self.splits[axis] == "sequence"))
        if len(joined) == 1:
            return self.axis(*names)
        flat_name = "_".join(joined)
        flat = flattened(self.mesh[joined], flat_name)
        return self.axis(*names[:-1], flat_name) if len(names) > 1 else flat


def degree(item: Item, index: int = 0) -> int:
    return item.degrees[index] if index < len(item.degrees) else 2


def holder_of_layers(model: nn.Module) -> nn.Module:
    """Where a user finds `layers` now: on the model, or on what a wrapper keeps as `module`."""
    inner = model if hasattr(model, "layers") else model.module
    assert isinstance(inner, nn.Module)
    return inner


def layers_of(model: nn.Module) -> nn.ModuleDict:
    layers = holder_of_layers(model).layers
    assert isinstance(layers, nn.ModuleDict)
    return layers
