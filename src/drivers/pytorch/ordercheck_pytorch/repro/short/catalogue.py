"""Which cases a script can show, and the forms of transforms in it."""

from __future__ import annotations

from ...program.case import OWN_FUNCTIONS, Case, Item, Settings
from .blocks import ac, compile, sac
from .data_parallel import ddp, fsdp, hsdp, replicate
from .optimizers import optimizer
from .piece import ShortForm
from .sequence import cp
from .stages import pp
from .tensors import tp

ANY = ("*",)

SHORT_FORMS: dict[str, ShortForm] = {
    # cut=in_place may leave a wrapper without what it wrapped, which raises in the next step. zero_bubble runs the backward
    # in two, and what a compiled graph has let go of before the second depends on the model.
    "pp": ShortForm(pp, {"gpipe": ANY, "1f1b": ANY, "microbatches": ANY, "cut": ("copy",)}),
    "tp": ShortForm(tp, {"sp": ANY, "plan": ANY, "rest": ANY}),
    "cp": ShortForm(cp, {"all_gather": ANY}),
    "ac": ShortForm(ac, {"n": ANY, "reentrant": ANY}),
    "sac": ShortForm(sac, {"policy": ANY, "n": ("1",)}),
    "compile": ShortForm(compile, {"wrap": ANY, "fullgraph": ANY}),
    "fsdp": ShortForm(fsdp, {"reshard": ANY}),
    "hsdp": ShortForm(hsdp, {"reshard": ANY}),
    "ddp": ShortForm(ddp, {"bucket_kib": ANY}),
    "replicate": ShortForm(replicate),
    # Another threshold asks whether it is reached, which the short script decides for itself.
    "optimizer": ShortForm(
        optimizer, {"clip": ("0", "1", "per_mesh"), "foreach": ANY, "lr": ANY, "weight_decay": ANY}
    ),
}


def why_no_script(case: Case) -> str:
    """What of the case no script has: code of the user, float32, another grid, more steps, another transform or option. ""
    where scripts have all of it."""
    settings = case.settings
    own = [(f"--{name}", getattr(case, name), "") for name in OWN_FUNCTIONS]
    for name, value, usual in (
        ("--model", case.model, "llama"),
        *own,
        ("--widen", case.widen, ""),
        ("arithmetic", settings.arithmetic, Settings.arithmetic),
        ("grid", settings.grid, Settings.grid),
    ):
        if value != usual:
            return f"{name} {value}"
    if settings.steps > Settings.steps:
        return f"{settings.steps} steps"
    return next((why_not(item) for item in case.items if why_not(item)), "")


def why_not(item: Item) -> str:
    form = SHORT_FORMS.get(item.name)
    if form is None:
        return item.name
    option = form.lacks(item)
    return f"{item.name}:{option}" if option else ""
