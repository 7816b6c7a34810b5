"""Which cases a short script can show, and the short forms of transforms."""

from __future__ import annotations

from ...program.case import Case, Item, Settings
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


def needs_long(case: Case) -> bool:
    """Whether it asks for something that the short script has not: code of the user, float32, another grid, more steps, another
    transform or option."""
    own = case.model != "llama" or case.apply or case.batch or case.loss or case.widen
    settings = case.settings
    usual = (
        settings.arithmetic == "exact" and settings.grid == Settings.grid and settings.steps <= Settings.steps
    )
    return bool(own) or not usual or not all(has_short_form(item) for item in case.items)


def has_short_form(item: Item) -> bool:
    return item.name in SHORT_FORMS and SHORT_FORMS[item.name].covers(item)
