"""The short script of `ordercheck repro`: short, of stock PyTorch alone, and with the verdict of the engine."""

from __future__ import annotations

import ast
import builtins
import sys
from pathlib import Path

import pytest
from ordercheck_pytorch.program.case import case_of as parsed
from ordercheck_pytorch.program.catalogue import TRANSFORMS, cannot
from ordercheck_pytorch.repro.short.catalogue import SHORT_FORMS, why_no_script
from ordercheck_pytorch.repro.short.text import MOST_LINES, WIDTH
from ordercheck_pytorch.repro.write import script_of
from run_message import case_of
from script_run import run_script

ROOT = Path(__file__).parents[2]
OPTIONS = [
    "pp=2:gpipe",
    "pp=2:1f1b:microbatches=4",
    "tp=2:sp=off",
    "tp=2:plan=blocks:rest=plain",
    "ac=selective:n=2",
    "ac:reentrant",
    "sac:policy=attention+gather",
    "compile=inductor:wrap:fullgraph",
    "compile@model",
    "compile:wrap@model",
    "fsdp=2:reshard=never",
    "hsdp=2x2:reshard=always",
    "ddp=2:bucket_kib=64",
    "optimizer=sgd:lr=0.5",
    "optimizer=adamw:clip=1:foreach=off",
    "optimizer=adamw:clip=per_mesh:foreach=off",
]
STACKS = [*SHORT_FORMS, *OPTIONS, *(f"{first},{second}" for first in SHORT_FORMS for second in SHORT_FORMS)]
LONG = [
    "amp",
    "fsdp=2:mp=bf16",
    "ddp=2:device_mesh",
    "ddp=2:no_sync",
    "pp=2:cut=in_place",
    "pp=2:zero_bubble",
    "sac:n=2",
    "tp=2:loss_parallel",
    "optimizer=adamw:clip=2",
]


def stacks_that_were_run() -> list[str]:
    """On one rank or more of this engine, in exact arithmetic."""
    stacks = set()
    for file in sorted((ROOT / "matrix" / "evidence" / "pytorch").glob("*.tsv")):
        for line in file.read_text().splitlines():
            stack, *settings = line.split("\t")[0].split(" ")
            if settings == ["engine=pytorch"]:
                stacks.add(stack)
    return sorted(stacks)


def test_a_script_is_short_and_of_stock_pytorch_alone() -> None:
    run = stacks_that_were_run()
    assert len(run) > 200
    short = 0
    for stack in [*STACKS, *run]:
        case = parsed(case_of(stack, text=stack))
        if cannot(case) or why_no_script(case):
            continue
        script = script_of(case)
        lines = script.splitlines()
        # A stack of six items, on eight ranks, needs more.
        assert len(lines) <= (MOST_LINES if len(case.items) <= 5 else MOST_LINES + 25), stack
        assert max(map(len, lines[1:])) <= WIDTH, stack
        tree = ast.parse(script)
        for module in modules_imported(tree):
            assert module == "torch" or module in sys.stdlib_module_names, stack
        assert "ordercheck" not in ast.unparse(tree), stack
        short += 1
    assert short > 350


def modules_imported(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add((node.module or "").split(".")[0])
    return found


def test_names_are_defined_where_they_are_used() -> None:
    """A name that is missing would read as a stack that fails."""
    for stack in STACKS:
        case = parsed(case_of(stack))
        if cannot(case) or why_no_script(case):
            continue
        tree = ast.parse(script_of(case))
        nodes = list(ast.walk(tree))
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        stored |= {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        stored |= {n.arg for n in nodes if isinstance(n, ast.arg)}
        imports = [n for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom))]
        stored |= {alias.asname or alias.name.split(".")[0] for n in imports for alias in n.names}
        used = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        assert used - stored <= set(dir(builtins)), stack


def test_every_transform_but_a_cast_has_a_short_form_with_options_that_it_knows() -> None:
    between = {"forward", "freeze", "lora", "tie"}  # a script of one step shows none of their harms
    assert set(TRANSFORMS) - set(SHORT_FORMS) == {"amp", *between}
    for name, form in SHORT_FORMS.items():
        assert set(form.options) <= set(TRANSFORMS[name].values)


@pytest.mark.parametrize("stack", LONG)
def test_what_no_script_has_is_named(stack: str) -> None:
    arithmetic = "float32" if "amp" in stack or "mp=" in stack else "exact"
    with pytest.raises(LookupError, match="no script of plain PyTorch has "):
        script_of(parsed(case_of(stack, arithmetic=arithmetic)))


def test_other_settings_and_code_of_the_user_are_named() -> None:
    for case, name in (
        (case_of("tp=2", arithmetic="plain"), "arithmetic plain"),
        (case_of("tp=2", steps=5), "5 steps"),
        (case_of("tp=2", model="mine:net"), "--model mine:net"),
        (case_of("tp=2", apply="mine:shard"), "--apply mine:shard"),
        (case_of("tp=2:loss_parallel"), "tp:loss_parallel"),
    ):
        with pytest.raises(LookupError, match=f"no script of plain PyTorch has {name};"):
            script_of(parsed(case))


@pytest.mark.parametrize(
    ("stack", "verdict"),
    [
        ("ac,tp=2", "verdict: differs: the loss, by up to "),
        ("tp=2,ac", "verdict: equal (torch "),
        ("optimizer=adamw,fsdp=2", "verdict: differs: tok_embeddings.weight after the step, by up to "),
        ("pp=2,optimizer=adamw:clip=1", "verdict: differs: the gradient of "),
        ("pp=2,optimizer=adamw:clip=per_mesh:foreach=off", "verdict: equal (torch "),
        ("fsdp=2,cp=2", "verdict: equal (torch "),
        ("fsdp=2,tp=2", "verdict: fails: ValueError: Cannot distribute a DTensor"),
    ],
)
def test_torchrun_shows_the_verdict(tmp_path: Path, stack: str, verdict: str) -> None:
    done = run_script(tmp_path, script_of(parsed(case_of(stack))))
    assert verdict in done.stdout.splitlines()[-1], done.stdout + done.stderr
    assert (done.returncode == 0) == ("equal" in verdict)
