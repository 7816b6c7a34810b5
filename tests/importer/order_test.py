"""Which order the reader finds: branches, loops, helpers, and what is applied to which part of a model."""

import sys
import unittest

from scanned import items, notes, read, stacks

IMPORTS = """\
import torch
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
from torch.distributed.tensor.parallel import parallelize_module, ColwiseParallel
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.nn.parallel import DistributedDataParallel as DDP
"""


class Orders(unittest.TestCase):
    def test_calls_stand_in_their_order(self) -> None:
        code = """
def setup(model, mesh):
    parallelize_module(model, mesh, {"w1": ColwiseParallel()})
    for block in model.layers:
        fully_shard(block)
    model = torch.compile(model)
    return model
"""
        self.assertEqual(stacks(IMPORTS + code), ["setup: tp:sp=off,fsdp,compile:wrap@model"])
        lines = code.split("\n")
        swapped = "\n".join([*lines[:3], lines[5], lines[3], lines[4], lines[6], ""])
        self.assertEqual(stacks(IMPORTS + swapped), ["setup: tp:sp=off,compile:wrap@model,fsdp"])

    def test_nested_calls_are_applied_from_within(self) -> None:
        code = IMPORTS + "model = DDP(torch.compile(checkpoint_wrapper(model)))\n"
        self.assertEqual(stacks(code), ["the file: ac@model,compile:wrap@model,ddp"])

    def test_an_item_stands_where_it_is_called_with_its_condition(self) -> None:
        code = (
            IMPORTS
            + """
def setup(model, config):
    if config.compile.enable:
        model.compile()
    shard(model, config)

def shard(model, config):
    if config.dp:
        fully_shard(model)
"""
        )
        self.assertEqual(
            items(code),
            [
                "compile a.py:9 if config.compile.enable",
                "fsdp a.py:10 if config.dp, fully_shard a.py:14, through shard a.py:10",
            ],
        )
        self.assertEqual(stacks(code), ["setup: compile@model,fsdp@model"])

    def test_different_branches_are_different_stacks(self) -> None:
        code = (
            IMPORTS
            + """
def setup(model, dims):
    parallelize_module(model, dims.tp, {"w1": ColwiseParallel()})
    if dims.fsdp:
        fully_shard(model)
    elif dims.ddp:
        model = DDP(model)
    else:
        raise ValueError
"""
        )
        self.assertEqual(
            stacks(code),
            ["setup, where dims.fsdp: tp:sp=off,fsdp@model", "setup, where not dims.fsdp: tp:sp=off,ddp"],
        )

    def test_branches_that_apply_the_same_are_one(self) -> None:
        code = (
            IMPORTS
            + """
def setup(model, dims):
    if dims.big:
        fully_shard(model, reshard_after_forward=True)
    else:
        fully_shard(model, reshard_after_forward=False)
"""
        )
        self.assertEqual(stacks(code), ["setup: fsdp@model"])
        self.assertEqual(items(code), ["fsdp a.py:9"])

    def test_a_test_made_twice_comes_out_alike(self) -> None:
        code = (
            IMPORTS
            + """
def setup(model, dims):
    if dims.fsdp:
        fully_shard(model)
    else:
        model = DDP(model)
    if dims.fsdp:
        model.compile()
"""
        )
        self.assertEqual(
            stacks(code),
            ["setup, where dims.fsdp: fsdp@model,compile@model", "setup, where not dims.fsdp: ddp"],
        )

    def test_an_early_return_is_a_condition_of_the_rest(self) -> None:
        code = (
            IMPORTS
            + """
def setup(model, skip_dp):
    model.compile()
    if skip_dp:
        return model
    fully_shard(model)
"""
        )
        self.assertEqual(items(code), ["compile a.py:8", "fsdp a.py:11 if not skip_dp"])
        with_item = code.replace("        return model\n", "        return DDP(model)\n")
        self.assertEqual(
            stacks(with_item),
            ["setup, where skip_dp: compile@model,ddp", "setup, where not skip_dp: compile@model,fsdp@model"],
        )

    def test_a_return_of_a_helper_ends_the_helper_alone(self) -> None:
        code = (
            IMPORTS
            + """
def helper(model, on):
    if not on:
        return
    model.compile()

def setup(model, on):
    helper(model, on)
    fully_shard(model)
"""
        )
        self.assertEqual(
            items(code),
            ["compile a.py:13 if on, model.compile a.py:10, through helper a.py:13", "fsdp a.py:14"],
        )

    @unittest.skipIf(sys.version_info < (3, 10), "Python 3.9 has no match")
    def test_match_and_conditional_expressions_are_branches(self) -> None:
        code = (
            IMPORTS
            + """
def setup(model, kind, on):
    model = torch.compile(model) if on else model
    match kind:
        case "ddp":
            model = DDP(model)
        case "fsdp":
            fully_shard(model)
        case _:
            raise ValueError(kind)
"""
        )
        self.assertEqual(
            stacks(code),
            [
                "setup, where kind is 'ddp': compile:wrap@model,ddp",
                "setup, where not (kind is 'ddp'): compile:wrap@model,fsdp@model",
            ],
        )


class Scopes(unittest.TestCase):
    def scope(self, line: str) -> list[str]:
        return stacks(IMPORTS + "def setup(model):\n    " + line + "\n")

    def test_blocks_of_a_loop_and_the_model(self) -> None:
        self.assertEqual(self.scope("for name, m in model.layers.items(): m.compile()"), ["setup: compile"])
        self.assertEqual(self.scope("for m in model.modules(): m.compile()"), ["setup: compile"])
        self.assertEqual(
            self.scope("for i, m in enumerate(model.transformer.h): m.compile()"), ["setup: compile"]
        )
        self.assertEqual(self.scope("for i in range(3): model.layers[i].compile()"), ["setup: compile"])
        self.assertEqual(self.scope("[m.compile() for m in model.layers]"), ["setup: compile"])
        self.assertEqual(self.scope("for m in [model]: m.compile()"), ["setup: compile@model"])
        self.assertEqual(self.scope("model.compile()"), ["setup: compile@model"])
        self.assertEqual(
            self.scope("for b in model.layers: b.self_attn.compile()"), ["setup: compile@attention"]
        )

    def test_the_root_behind_its_blocks_is_one_fsdp(self) -> None:
        code = "for b in model.layers: fully_shard(b, reshard_after_forward=False)\n    fully_shard(model)"
        self.assertEqual(self.scope(code), ["setup: fsdp:reshard=never"])
        between = "for b in model.layers: fully_shard(b)\n    model.compile()\n    fully_shard(model)"
        self.assertEqual(self.scope(between), ["setup: fsdp,compile@model,fsdp@model"])

    def test_a_helper_takes_the_scope_of_its_argument(self) -> None:
        code = (
            IMPORTS
            + "def one(m): m.compile()\ndef setup(model):\n    for b in model.layers: one(b)\n    fully_shard(model)\n"
        )
        self.assertEqual(stacks(code), ["setup: compile,fsdp@model"])

    def test_two_items_of_one_helper_stand_where_they_part(self) -> None:
        code = """
def both(model):
    model.compile()
    fully_shard(model)

def setup(model):
    both(model)
    DDP(model)
"""
        self.assertEqual(
            items(IMPORTS + code),
            [
                "compile a.py:8, model.compile a.py:8, through both a.py:12",
                "fsdp a.py:9, fully_shard a.py:9, through both a.py:12",
                "ddp a.py:13",
            ],
        )


class Functions(unittest.TestCase):
    def test_a_function_that_only_passes_on_gives_way(self) -> None:
        code = (
            IMPORTS
            + """
def setup(model):
    model.compile()
    fully_shard(model)

def main():
    setup(build())

if __name__ == "__main__":
    main()
"""
        )
        self.assertEqual(stacks(code), ["setup: compile@model,fsdp@model"])

    def test_one_that_adds_to_it_does_not(self) -> None:
        code = (
            IMPORTS
            + """
def setup(model):
    model.compile()
    fully_shard(model)

def main(model):
    setup(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
"""
        )
        self.assertEqual(stacks(code), ["main: compile@model,fsdp@model,optimizer=adamw:lr=0.0003"])

    def test_methods_and_functions_within_are_followed(self) -> None:
        code = (
            IMPORTS
            + """
class Base:
    def shard(self):
        fully_shard(self.model)

class Trainer(Base):
    def setup(self):
        def compiled():
            self.model.compile()
        compiled()
        self.shard()
"""
        )
        self.assertEqual(stacks(code), ["Trainer.setup: compile@model,fsdp@model"])

    def test_helpers_that_call_each_other_are_followed_once(self) -> None:
        code = (
            IMPORTS
            + """
def one(model):
    model.compile()
    other(model)

def other(model):
    fully_shard(model)
    one(model)
"""
        )
        self.assertEqual(stacks(code), ["one: compile@model,fsdp@model"])
        why = "it calls itself, or helpers go too deep: followed no further"
        self.assertEqual(notes(code), [f"a.py:13: one(model): {why}"])
        self.assertEqual(notes("def f(x):\n    f(x)\n"), [])

    def test_a_helper_of_another_file_is_followed(self) -> None:
        helper = IMPORTS + "def apply_fsdp(model):\n    model.compile()\n    fully_shard(model)\n"
        main = (
            "from {} import apply_fsdp as shard\ndef setup(model):\n    shard(model)\n    model.compile()\n"
        )
        for name in (".parallel", "train.parallel", "parallel"):
            files = {"train/parallel.py": helper, "train/main.py": main.format(name)}
            self.assertEqual(stacks(files), ["setup: compile@model,fsdp@model,compile@model"], name)
        passed_on = {
            "train/__init__.py": "from .parallel import apply_fsdp\n",
            "train/parallel.py": helper,
            "main.py": main.format("train"),
        }
        self.assertEqual(stacks(passed_on), ["setup: compile@model,fsdp@model,compile@model"])

    def test_a_helper_of_the_same_name_elsewhere_is_not(self) -> None:
        helper = IMPORTS + "def apply_fsdp(model):\n    model.compile()\n    fully_shard(model)\n"
        main = "from other.parallel import apply_fsdp\ndef setup(model):\n    apply_fsdp(model)\n    model.compile()\n"
        files = {"train/parallel.py": helper, "train/main.py": main}
        self.assertEqual(stacks(files), ["setup: compile@model", "apply_fsdp: compile@model,fsdp@model"])
        self.assertEqual(
            notes(files), ["train/main.py:3: apply_fsdp(model): its code is not among the files read"]
        )

    def test_a_published_helper_counts_by_its_name(self) -> None:
        code = """\
from torchtitan.distributed.activation_checkpoint import apply_ac
from torchtitan.models.llama3.infra.parallelize import apply_compile, apply_ddp
def setup(model):
    apply_ac(model)
    apply_compile(model)
    apply_ddp(model)
"""
        self.assertEqual(stacks(code), ["setup: ac,compile,replicate"])
        self.assertEqual(stacks(code.replace("torchtitan", "torchtiton")), [])
        self.assertEqual(len(notes(code.replace("torchtitan", "torchtiton"))), 3)

    def test_files_and_lines_are_counted(self) -> None:
        self.assertEqual(read({"a.py": "x = 1\n", "b/c.py": "", "d.txt": "x"})["files"], 2)


if __name__ == "__main__":
    unittest.main()
