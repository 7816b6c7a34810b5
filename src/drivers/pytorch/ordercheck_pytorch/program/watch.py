"""What a rank program tells whoever watches it. Nobody watches here: every method does nothing."""

from __future__ import annotations

import contextlib

from torch import nn


class Watch:
    def phase(self, step: int, phase: str) -> None:
        """build, apply, forward, backward, optimizer or observe begins."""

    def model_built(self, model: nn.Module) -> None:
        """The whole model, before any transform."""

    def applied(self, model: nn.Module) -> None:
        """What the last transform left."""

    def training(self, step: int, last: bool) -> contextlib.AbstractContextManager[None]:
        """Around forward and backward of a step."""
        return contextlib.nullcontext()

    def step_done(self, step: int) -> None:
        """The step's numbers are all taken."""
