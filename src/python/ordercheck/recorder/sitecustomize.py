"""Python imports this module at its start, because `ordercheck record` puts this folder first on PYTHONPATH.

It starts the recorder, then runs the sitecustomize that Python would have found without this folder."""

import importlib.machinery
import importlib.util
import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _start() -> None:
    path = os.environ.get("ORDERCHECK_RECORD")
    if path and sys.version_info >= (3, 10):
        from ordercheck_recorder import start

        start(path)


def _run_the_next_sitecustomize() -> None:
    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != _FOLDER]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


try:
    _start()
finally:
    _run_the_next_sitecustomize()
