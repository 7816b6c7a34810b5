"""The questions. Each raises OrdercheckError where nothing was decided, with the line that the command prints."""

from __future__ import annotations

from collections.abc import Mapping

from ordercheck.answers import (
    Explanation,
    Report,
    Run,
    Suggestion,
    read_report,
    read_run,
    read_suggestion,
)
from ordercheck.program import answer, json_answer


def check(
    stack: str, *, sizes: Mapping[str, int] | None = None, world: int | None = None, python: str | None = None
) -> Report:
    """Judges a stack by the rules; launches nothing.

    sizes: {"heads": 32}; world: ranks; python: judge for the torch that is installed there.
    """
    return read_report(json_answer("check", stack, *_facts(sizes, world, python)))


def suggest(
    stack: str, *, sizes: Mapping[str, int] | None = None, world: int | None = None, python: str | None = None
) -> Suggestion:
    """The order in which to apply these transforms."""
    return read_suggestion(json_answer("suggest", stack, *_facts(sizes, world, python)))


def explain(subject: str) -> Explanation:
    """A rule ("ORD-004"), two transforms ("ac,fsdp"), a word, or a message that PyTorch printed."""
    return Explanation(subject=subject, text=answer("explain", subject))


def run(stack: str, *, engine: str | None = None, python: str | None = None, steps: int | None = None) -> Run:
    """Trains a few steps on real ranks and compares with a single-rank run.

    engine: the native one where it is built, else pytorch; python: an interpreter with torch, else this one.
    """
    arguments = ["run", stack]
    for name, value in (("--engine", engine), ("--python", python), ("--steps", steps)):
        if value is not None:
            arguments += [name, str(value)]
    return read_run(json_answer(*arguments))


def _facts(sizes: Mapping[str, int] | None, world: int | None, python: str | None) -> list[str]:
    facts: list[str] = []
    if sizes:
        facts += ["--set", ",".join(f"{name}={value}" for name, value in sizes.items())]
    if world is not None:
        facts += ["--world", str(world)]
    if python is not None:
        facts += ["--python", python]
    return facts
