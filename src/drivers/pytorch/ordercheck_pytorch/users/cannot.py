"""Why a case with a user's own code is not run."""

from __future__ import annotations

from ..program.case import Case


def cannot_run_users_code(case: Case) -> str:
    """ "" if it is run."""
    ranks = case.data_parallel_degree * case.sequence_parallel_degree
    if case.apply and case.settings.exact and ranks & (ranks - 1) != 0:
        return (
            f"{case.apply} averages gradients over {ranks} ranks, which rounds; expected a power of two, or "
            "--arithmetic float32"
        )
    return ""
