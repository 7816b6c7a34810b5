"""The questions. Each raises OrdercheckError where nothing was decided, with the line that the command prints."""

from __future__ import annotations

import os
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
from ordercheck.named import Function, name_of
from ordercheck.program import answer, json_answer


def check(
    stack: str,
    *,
    sizes: Mapping[str, int] | None = None,
    config: str | os.PathLike[str] | None = None,
    ranks: int | None = None,
    target: str | None = None,
    python: str | None = None,
) -> Report:
    """Judges a stack by the rules; launches nothing.

    sizes: {"heads": 32}; config: a Hugging Face config.json; ranks: how many there are; target: "torchtitan", "pytorch-2.15";
    python: judge for the torch that is installed there.
    """
    return read_report(
        json_answer("check", _text("stack", stack), *facts(sizes, config, ranks, target, python))
    )


def suggest(
    stack: str,
    *,
    sizes: Mapping[str, int] | None = None,
    config: str | os.PathLike[str] | None = None,
    ranks: int | None = None,
    target: str | None = None,
    python: str | None = None,
) -> Suggestion:
    """The order in which to apply these transforms."""
    return read_suggestion(
        json_answer("suggest", _text("stack", stack), *facts(sizes, config, ranks, target, python))
    )


def explain(subject: str) -> Explanation:
    """A rule ("ORD-004"), two transforms ("ac,fsdp"), a word, or a message that PyTorch printed."""
    return Explanation(subject=subject, text=answer("explain", _text("subject", subject)))


def run(
    stack: str,
    *,
    model: Function | None = None,
    apply: Function | None = None,
    batch: Function | None = None,
    loss: Function | None = None,
    optimizer: Function | None = None,
    step: Function | None = None,
    widen: str | None = None,
    arithmetic: str | None = None,
    engine: str | None = None,
    python: str | None = None,
    steps: int | None = None,
) -> Run:
    """Trains a few steps on real ranks and compares with a single-rank run.

    model, apply, batch, loss, optimizer, step: functions of yours, each itself or as "package.module:function"; ranks import
    them, so each stands in a module. widen: packages whose code asks for float32; arithmetic: "exact", "plain" or "float32";
    engine: the native one where it is built, else pytorch, which runs what is yours; python: an interpreter with torch, else
    this one.
    """
    arguments = ["run", _text("stack", stack)]
    folders: list[str] = []
    own = {
        "model": model,
        "apply": apply,
        "batch": batch,
        "loss": loss,
        "optimizer": optimizer,
        "step": step,
    }
    for option, function in own.items():
        if function is None:
            continue
        name, folder = name_of(function)
        arguments += [f"--{option}", name]
        if folder is not None and str(folder) not in folders:
            folders.append(str(folder))
    if engine is None and any(function is not None for function in own.values()):
        engine = "pytorch"
    texts = {"widen": widen, "arithmetic": arithmetic, "engine": engine, "python": python}
    for option, text in texts.items():
        if text is not None:
            arguments += [f"--{option}", _text(option, text)]
    if steps is not None:
        arguments += ["--steps", str(_number("steps", steps))]
    return read_run(json_answer(*arguments, folders=folders))


def facts(
    sizes: Mapping[str, int] | None = None,
    config: str | os.PathLike[str] | None = None,
    ranks: int | None = None,
    target: str | None = None,
    python: str | None = None,
) -> list[str]:
    """The options of the command that give these facts."""
    options: list[str] = []
    if sizes is not None and not isinstance(sizes, Mapping):
        raise TypeError(f"sizes: expected a mapping such as {{'heads': 32}}, got {type(sizes).__name__}")
    if sizes:
        options += ["--set", ",".join(f"{name}={_number(name, value)}" for name, value in sizes.items())]
    if config is not None:
        options += ["--config", os.fspath(config)]
    if ranks is not None:
        options += ["--ranks", str(_number("ranks", ranks))]
    if target is not None:
        options += ["--for", _text("target", target)]
    if python is not None:
        options += ["--python", _text("python", python)]
    return options


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected str, got {type(value).__name__}: {value!r}")
    return value


def _number(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}: expected int, got {type(value).__name__}: {value!r}")
    return value
