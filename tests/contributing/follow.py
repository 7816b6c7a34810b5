#!/usr/bin/env python3
"""Follows CONTRIBUTING.md in a temporary clone to green: a rule, a transform for each engine, a counter, an engine, a project.

    tests/contributing/follow.py

Each recipe is followed with a toy. The files that it touches are counted and held against the number that CONTRIBUTING.md
states for it. Then everything is built once and the tests that hold such additions are run. It builds the whole clone, so
scripts/test does not run it: run it after a change to one of the recipes. ORDERCHECK_PYTHON names a Python with torch.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RANKS = "src/ranks/transform"
DRIVER = "src/drivers/pytorch/ordercheck_pytorch/program"


class Clone:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
        for key, value in (("user.name", "follow"), ("user.email", "follow@localhost")):
            self.run("git", "config", key, value)

    def run(self, *command: str) -> str:
        """Its output; ends everything with the last lines of it when it fails."""
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.folder), "CCACHE_NOHASHDIR": "1"}
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
            sys.exit(f"follow: {' '.join(command)} ended with {done.returncode}:\n{tail}")
        return done.stdout

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(exist_ok=True)
        (self.folder / path).write_text(text)

    def edit(self, path: str, before: str, after: str) -> None:
        text = (self.folder / path).read_text()
        if text.count(before) != 1:
            sys.exit(
                f"follow: {path}: expected {before!r} once, found it {text.count(before)} times; adapt this script"
            )
        self.write(path, text.replace(before, after))

    def touched(self) -> list[str]:
        """What changed since the last call."""
        paths = [line[3:] for line in self.run("git", "status", "--porcelain", "-uall").splitlines()]
        self.run("git", "add", "-A")
        self.run("git", "commit", "-q", "-m", "a step")
        return sorted(paths)


def add_rule(clone: Clone) -> None:
    made = clone.run("scripts/new-rule", "order", "sac-before-quantize")
    page = re.match(r"(\S+):", made)
    assert page is not None, made
    text = (clone.folder / page[1]).read_text()
    for field, value in (
        ("first", "sac"),
        ("then", "quantize"),
        ("bad", "sac,quantize"),
        ("good", "quantize,sac"),
    ):
        text = re.sub(rf"^{field} = .*", f'{field} = "{value}"', text, flags=re.M)
    text = re.sub(r"^when = .*\n", "", text, flags=re.M)
    basis = re.search(r'^basis = "(\w+)"', text, re.M)
    assert basis is not None, text
    why = (
        f"## Why\n\nA toy asks for this order.\n\nThe order is {basis[1]}: nobody but the toy asks for it, and it says so "
        "at the length that a page's reason takes.\n\n"
    )
    text = re.sub(r"^## Why$.*?(?=^## )", why, text, flags=re.M | re.S)
    clone.write(page[1], re.sub(r"^\[\[expect\]\]\n.*?(?=^\[\[|^\+\+\+)", "", text, flags=re.M | re.S))


def add_native_transform(clone: Clone) -> None:
    clone.edit(
        "src/stack/transforms.cpp",
        '      {.name = "sac",\n',
        '      {.name = "toy",\n       .title = "toy checkpointing",\n       .nested = "Toy",\n       .kind = layout,\n'
        "       .value = ValueForm::none,\n       .scope = Scope::block,\n       .axes = {},\n       .owes = {recompute},\n"
        '       .modes = {},\n       .options = {}},\n      {.name = "sac",\n',
    )
    clone.edit(
        "glossary/transforms.toml",
        '[[term]]\nname = "sac"\n',
        '[[term]]\nname = "toy"\nmeaning = "Checkpoints every block."\nsee = ["ac"]\n\n[[term]]\nname = "sac"\n',
    )
    declarations = (
        "std::string cannot_toy(const Item& item);\n"
        "void apply_toy(Subject& subject, const Item& item, const Site& site);\n"
    )
    namespace = "namespace ordercheck::ranks {{\n\n{}\n}}  // namespace ordercheck::ranks\n"
    clone.write(
        f"{RANKS}/toy.h",
        "// `toy`: checkpoints every block.\n#pragma once\n\n"
        + '#include "ranks/transform/transform.h"\n\n'
        + namespace.format(declarations),
    )
    clone.write(
        f"{RANKS}/toy.cpp",
        '#include "ranks/transform/toy.h"\n\n#include "ranks/mechanism/checkpoint_wrapper.h"\n\n'
        + namespace.format(
            'std::string cannot_toy(const Item&) { return ""; }\n\n'
            "void apply_toy(Subject& subject, const Item&, const Site&) { checkpoint_blocks(subject.model, 1, {}); }\n"
        ),
    )
    clone.edit(
        f"{RANKS}/catalog.cpp",
        '#include "ranks/transform/tp.h"\n',
        '#include "ranks/transform/toy.h"\n#include "ranks/transform/tp.h"\n',
    )
    clone.edit(
        f"{RANKS}/catalog.cpp",
        '      {"tp", cannot_tp, apply_tp},\n',
        '      {"toy", cannot_toy, apply_toy},\n      {"tp", cannot_tp, apply_tp},\n',
    )
    clone.write(
        "tests/unit/ranks/transform/toy_test.cpp",
        '#include "ranks/transform/toy.h"\n\n#include <gtest/gtest.h>\n\n#include "ranks/on_case.h"\n\n'
        "namespace ordercheck::ranks {\nnamespace {\n\n"
        "TEST(Toy, AloneIsBitwiseEqualToTheSingleRankReference) {\n"
        '  EXPECT_FALSE(first_difference(reference(case_of("toy")), known("toy")));\n}\n\n'
        "}  // namespace\n}  // namespace ordercheck::ranks\n",
    )


def add_pytorch_transform(clone: Clone) -> None:
    clone.write(
        f"{DRIVER}/transforms/toy.py",
        '"""Checkpoints every block."""\n\nfrom __future__ import annotations\n\n'
        "from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper\n\n"
        "from ..case import Item\nfrom .program import Program, Site, layers_of\n\n\n"
        "def apply_toy(program: Program, item: Item, site: Site) -> None:\n"
        "    layers = layers_of(program.model)\n"
        "    for name, block in list(layers.items()):\n"
        "        layers.register_module(name, checkpoint_wrapper(block))\n",
    )
    clone.edit(
        f"{DRIVER}/catalogue.py",
        "from .transforms.tp import",
        "from .transforms.toy import apply_toy\nfrom .transforms.tp import",
    )
    clone.edit(
        f"{DRIVER}/catalogue.py",
        '    "amp": Transform(apply_amp),\n',
        '    "amp": Transform(apply_amp),\n    "toy": Transform(apply_toy, scopes=("block",)),\n',
    )


def add_counter(clone: Clone) -> None:
    clone.edit(
        "src/parity/record.h",
        "  std::int64_t p2p_messages = 0;\n",
        "  std::int64_t p2p_messages = 0;\n  std::int64_t toys = 0;  // of the toy\n",
    )
    clone.edit(
        "src/parity/counters.h",
        'CounterName{"p2p_messages", &Counters::p2p_messages}}',
        'CounterName{"p2p_messages", &Counters::p2p_messages},\n'
        '                                      CounterName{"toys", &Counters::toys}}',
    )
    schema = (clone.folder / "src/protocol/schema/record.json").read_text()
    schema = re.sub(r'("p2p_messages": (\{[^}]*\}))', r'\1,\n        "toys": \2', schema)
    clone.write(
        "src/protocol/schema/record.json", schema.replace('"p2p_messages"]', '"p2p_messages", "toys"]')
    )
    with (clone.folder / "glossary/counters.toml").open("a") as glossary:
        glossary.write('\n[[term]]\nname = "toys"\nmeaning = "What the toy did."\nsee = ["p2p_messages"]\n')


def add_engine(clone: Clone) -> None:
    clone.write(
        "matrix/engines/toy.toml",
        f'command = ["{clone.folder}/build/cpu/bin/honest_worker"]\nenvironment = ["HONEST_WORKER_ENGINE=toy"]\n',
    )


def add_project(clone: Clone) -> None:
    clone.write(
        "src/drivers/toy_project/ordercheck_toy_project.py",
        '"""A toy of a published project."""\n\nfrom __future__ import annotations\n\n'
        "import torch\nfrom ordercheck_pytorch.api import (\n    Item,\n    Llama,\n    Program,\n    Project,\n    Site,\n"
        "    Transform,\n    apply_default_optimizer,\n    summed_cross_entropy,\n)\n"
        "from torch.distributed.fsdp import fully_shard\n\n\n"
        "def apply_fsdp(program: Program, item: Item, site: Site) -> None:\n"
        '    fully_shard(program.model, mesh=site.axis("dp_shard"))\n'
        '    program.gradient_factor *= site.degrees["dp_shard"]\n\n\n'
        "PROJECT = Project(\n"
        '    requirements=("toy_project==1.0",),\n'
        '    models={"llama": lambda: Llama().to(torch.get_default_dtype())},\n'
        '    transforms={"fsdp": Transform(apply_fsdp, scopes=("block",))},\n'
        "    loss=summed_cross_entropy,\n    optimizer=apply_default_optimizer,\n)\n",
    )
    clone.write(
        "matrix/engines/toy_project.toml",
        'interpreter = "python with torch"\nproject = "toy_project"\nenvironment = ["OMP_NUM_THREADS=1"]\n'
        "timeout = 300\nslow_start = 60\nthreads = 4\n",
    )


RECIPES = {
    "a rule": add_rule,
    "a transform": add_native_transform,
    "a transform to the pytorch engine": add_pytorch_transform,
    "a counter": add_counter,
    "an engine": add_engine,
    "a published project": add_project,
}


def stated(recipe: str) -> int:
    """What CONTRIBUTING.md says under "## Add <recipe>": "It touches 7 files."."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = re.search(rf"^## Add {recipe}$(.*?)(?=^## |\Z)", page, re.M | re.S)
    number = re.search(r"touches (\d+) files?\b", section[1]) if section else None
    if number is None:
        sys.exit(f"follow: CONTRIBUTING.md does not say under 'Add {recipe}' how many files it touches")
    return int(number[1])


def main() -> int:
    python = os.environ.get("ORDERCHECK_PYTHON")
    if not python:
        sys.exit("follow: name a Python with torch >= 2.11 in ORDERCHECK_PYTHON")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(Path(folder) / "clone")
        for recipe, follow in RECIPES.items():
            follow(clone)
            paths = clone.touched()
            agrees = len(paths) == stated(recipe)
            wrong += not agrees
            said = "" if agrees else f", CONTRIBUTING.md says {stated(recipe)}"
            count = "1 file" if len(paths) == 1 else f"{len(paths)} files"
            print(f"{recipe}: {count}{said}: {', '.join(paths)}")
        torch = clone.run(python, "-c", "import torch, os; print(os.path.dirname(torch.__file__))").strip()
        print("building ...", flush=True)
        clone.run("cmake", "--preset", "cpu", f"-DORDERCHECK_TORCH={torch}")
        clone.run(
            "ninja",
            "-C",
            "build/cpu",
            "ordercheck",
            "ordercheck-ranks",
            "honest_worker",
            "form_test",
            "stack_test",
        )
        clone.run(
            "ninja", "-C", "build/cpu", "rules_test", "protocol_test", "parity_test", "ranks_transform_test"
        )
        program = str(clone.folder / "build/cpu/bin/ordercheck")
        print("refreshing evidence and pages ...", flush=True)
        clone.run(program, "matrix", "run", "--write")
        clone.run(program, "docs", "--write", "--root", ".")
        clone.run(program, "docs", "--check", "--root", ".")
        print(clone.run(program, "run", "toy").splitlines()[0])
        print(
            clone.run(program, "run", "toy,compile", "--engine", "pytorch", "--python", python).splitlines()[
                0
            ]
        )
        print(clone.run(program, "run", "tp=2", "--engine", "toy").splitlines()[0])
        # Of a toy there is nothing to install.
        cache = Path(folder) / "cache"
        (cache / "ordercheck" / "toy_project-1.0").mkdir(parents=True)
        (cache / "ordercheck" / "toy_project-1.0" / ".complete").touch()
        words = [program, "run", "fsdp=2", "--engine", "toy_project", "--python", python]
        print(clone.run("env", f"XDG_CACHE_HOME={cache}", *words).splitlines()[0])
        for test in ("form", "stack", "rules", "protocol", "parity", "ranks_transform"):
            print(
                f"{test}_test: {clone.run(f'build/cpu/bin/{test}_test', '--gtest_brief=1').splitlines()[-1].strip()}"
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
