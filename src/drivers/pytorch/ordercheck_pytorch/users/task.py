"""A user's own inputs and loss, named "package.module:function":

    batch(seed, step, samples)  of a range of the 16 samples of a step: (inputs, targets). The model is called with inputs: a
                                tensor, a tuple of positional arguments, or a dict of keyword ones; targets are for the
                                loss. The first dim of every tensor is the sample's.
    loss(output, targets)       the sum of the samples' losses, a 0-dim tensor. It is divided by 16.

Both are pure functions: every layout asks for the same samples, in other groups."""

from __future__ import annotations

from ..program.case import Case
from ..program.data import SEQUENCES
from ..program.task import Task
from .user_code import look_up_function


def users_task(case: Case, default: Task) -> Task:
    """The default task with the functions that the case names. Its divisor and scale are of samples then."""
    if not (case.batch or case.loss):
        return default
    return Task(
        batch=look_up_function(case.batch, ("seed", "step", "samples")) if case.batch else default.batch,
        loss=look_up_function(case.loss, ("output", "targets")) if case.loss else default.loss,
        divisor=lambda seed, step: SEQUENCES,
        scale=float(SEQUENCES),  # so that the loss of a sample has a factor of about one
    )
