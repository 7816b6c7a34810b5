"""Is the order in which parallelism is applied to a model right? `check`, `suggest`, `explain` and `run` answer in values."""

from importlib.metadata import version

from ordercheck.answers import Explanation, Finding, Report, Run, Suggestion, Try
from ordercheck.ask import check, explain, run, suggest
from ordercheck.program import OrdercheckError
from ordercheck.record import Recording, record

__version__ = version("ordercheck")

__all__ = [
    "Explanation",
    "Finding",
    "OrdercheckError",
    "Recording",
    "Report",
    "Run",
    "Suggestion",
    "Try",
    "__version__",
    "check",
    "explain",
    "record",
    "run",
    "suggest",
]
