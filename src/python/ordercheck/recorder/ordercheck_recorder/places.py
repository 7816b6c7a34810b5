"""Finds who made a call: the nearest frame of the user's code, and the nearest frame of a framework such as torchtitan."""

from __future__ import annotations

import os
import sys
import sysconfig
from types import FrameType

Place = dict[str, object]

_START = os.getcwd() if os.path.isdir(".") else os.sep  # a job may change its folder later
_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_STANDARD_LIBRARY = tuple(
    os.path.realpath(path) + os.sep
    for path in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
)
_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def callers() -> tuple[Place | None, Place | None]:
    """(the user's place, the framework's place), each None if no such frame is on the stack. torch is neither."""
    user: Place | None = None
    framework: Place | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (user is None or framework is None):
        file = frame.f_code.co_filename
        package = None if file.startswith(_OWN) else package_of(file)
        if package is not None:
            is_torch = package.split(os.sep)[0] in ("torch", "torchao")
            if framework is None and user is None and not is_torch:
                framework = _place(package, frame)
        elif user is None and not _is_machinery(file):
            user = _place(_from_here(file), frame)
        frame = frame.f_back
    return user, framework


def package_of(file: str) -> str | None:
    """The path below site-packages: "torchtitan/train.py"; None for other files."""
    for folder in _PACKAGES:
        if folder in file:
            return file.rpartition(folder)[2]
    return None


def _is_machinery(file: str) -> bool:
    """Code of this recorder, of the standard library, and code without a file."""
    if file in ("<stdin>", "<string>"):  # python - and python -c
        return False
    return file.startswith(("<", _OWN)) or os.path.realpath(file).startswith(_STANDARD_LIBRARY)


def _from_here(file: str) -> str:
    """Relative to the folder in which the job started, if the file is below it."""
    if file.startswith("<"):
        return file
    path = os.path.normpath(os.path.join(_START, file))
    below = os.path.relpath(path, _START)
    return path if below.startswith("..") else below


def _place(file: str, frame: FrameType) -> Place:
    return {"file": file, "line": frame.f_lineno, "function": frame.f_code.co_name}
