"""Answers `ordercheck plan`: reads which model on stdin and writes its traced graph.

The question is an object: `model` ("llama" or pkg:factory), `sizes` (of llama), `sequences` and `sequence_length`."""

from __future__ import annotations

import functools
import json
import os
import sys
from typing import TextIO

from ..program.exact.kernels import Unsupported
from ..users.user_code import make_user_model
from .exported import exported
from .joint_graph import trace
from .llama import sized_llama


def answer(source: TextIO) -> int:
    """Writes to stdout. What a user's model prints goes to stderr."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "w") as target:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        return write_graph(source, target)


def write_graph(source: TextIO, target: TextIO) -> int:
    """The exit code; what is wrong goes to stderr as one line."""
    asked = json.loads(source.read())
    if ":" in asked["model"]:
        make_model = functools.partial(make_user_model, asked["model"], seed=1)
    else:
        make_model = functools.partial(sized_llama, asked["sizes"], asked["sequence_length"])
    try:
        traced = trace(make_model, asked["sequences"], asked["sequence_length"])
        json.dump(exported(traced), target)
    except Unsupported as error:
        print(error, file=sys.stderr)
        return 2
    except Exception as error:  # of a user's model, or of what fake tensors cannot do
        first = str(error).strip().splitlines()[:1]
        print(f"tracing {asked['model']} failed: {type(error).__name__}: {''.join(first)}", file=sys.stderr)
        return 1
    return 0
