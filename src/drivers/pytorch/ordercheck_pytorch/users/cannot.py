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
    return why_optimizer_is_unclear(case) or why_step_is_not_run(case)


def why_optimizer_is_unclear(case: Case) -> str:
    items = [item for item in case.items if item.name == "optimizer"]
    if items and case.optimizer:
        return f"the stack names an optimizer, and {case.optimizer} makes one; expected one of the two"
    if case.step and any(item.options.get("clip", "0") != "0" for item in items):
        return f"{case.step} clips gradients itself; expected optimizer without clip"
    return ""


def why_step_is_not_run(case: Case) -> str:
    if not case.step:
        return ""
    if any(item.kind == "layout" for item in case.items) and not (case.apply or case.reference_apply):
        return (
            f"{case.step} averages gradients, and this engine's own transforms sum them for its own trainer; name the function "
            "that applies the stack with --apply"
        )
    if amp := [item.name for item in case.items if item.casts == item.name]:
        return (
            f"{case.step} enters autocast itself; expected a stack without {amp[0]}, and --arithmetic float32"
        )
    return ""
