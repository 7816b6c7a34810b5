"""A refusal by what it comes out as: a pipeline's stage, a future and C++ between wrap it into an error of their own."""

from __future__ import annotations

import re

from .grid import OutOfRange
from .kernels import Unsupported

# Only what kernels say, which begins with an operator: the compiler has an Unsupported of its own.
_AS_TEXT = re.compile(r"\b(Unsupported|OutOfRange): (\w+::.+|(?:Tensor|aten)\.\w+ .+)")
_KINDS: dict[str, type[Exception]] = {"Unsupported": Unsupported, "OutOfRange": OutOfRange}


def raise_what_was_refused(error: BaseException) -> None:
    """Where `error` came of a refusal, the refusal from it; else nothing."""
    if type(error) in _KINDS.values():
        return
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, (Unsupported, OutOfRange)):
            raise type(cause)(str(cause)) from error
        if type(cause) is RuntimeError and (said := _AS_TEXT.search(str(cause))):
            raise _KINDS[said[1]](said[2]) from error
        cause = cause.__cause__
