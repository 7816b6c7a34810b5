"""Kinds of code that were once read wrongly: each with a twin that must stay as it is."""

import unittest

from scanned import notes, stacks

IMPORTS = """\
import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
"""


class TopLevel(unittest.TestCase):
    def test_statements_at_the_top_of_a_file_hide_no_function_below_them(self) -> None:
        functions = "def shard(model):\n    fully_shard(model)\ndef setup(model):\n    shard(model)\n    model.compile()\n"
        for before in (
            "try:\n    import apex\nexcept ImportError:\n    apex = None\n",
            "if torch.cuda.is_available():\n    import apex\nelse:\n    apex = None\n",
            "for name in ('a', 'b'):\n    print(name)\n",
            "names = [name for name in ('a', 'b')]\n",
        ):
            self.assertEqual(
                stacks(IMPORTS + before + functions), ["setup: fsdp@model,compile@model"], before
            )

    def test_a_name_that_they_change_is_no_function_any_more(self) -> None:
        code = (
            "def shard(model):\n    fully_shard(model)\nshard = None\ndef setup(model):\n"
            "    shard(model)\n    model.compile()\n"
        )
        self.assertEqual(
            stacks(IMPORTS + "if x:\n    y = 1\n" + code), ["shard: fsdp@model", "setup: compile@model"]
        )

    def test_an_inner_function_sees_what_is_bound_after_a_branch(self) -> None:
        code = (
            "def setup(model, on):\n    def wrap(m):\n        shard(m)\n    if on:\n        x = 1\n"
            "    shard = fully_shard\n    wrap(model)\n    model.compile()\n"
        )
        self.assertEqual(stacks(IMPORTS + code), ["setup: fsdp@model,compile@model"])


class Scopes(unittest.TestCase):
    def test_modules_that_the_caller_lists_are_blocks_before_the_root(self) -> None:
        code = "def shard(model, modules):\n    for module in modules:\n        fully_shard(module)\n    fully_shard(model)\n"
        self.assertEqual(stacks(IMPORTS + code), ["shard: fsdp"])
        # Parts that a pipeline cuts are models.
        parts = code.replace("modules:", "model_parts:").replace("    fully_shard(model)\n", "")
        self.assertEqual(stacks(IMPORTS + parts), ["shard: fsdp@model"])
        parts = code.replace("modules", "parts").replace("    fully_shard(model)\n", "")
        self.assertEqual(stacks(IMPORTS + parts), ["shard: fsdp@model"])

    def test_parts_of_one_block_are_siblings_and_a_block_around_its_part_is_not(self) -> None:
        siblings = (
            "def f(model):\n    for layer in model.layers:\n        layer.mlp = checkpoint_wrapper(layer.mlp)\n"
            "        layer.self_attn = checkpoint_wrapper(layer.self_attn)\n"
        )
        self.assertEqual(stacks(IMPORTS + siblings), ["f: ac"])
        children = (
            "def f(model):\n    for layer in model.layers:\n        for name, child in layer.named_children():\n"
            "            setattr(layer, name, checkpoint_wrapper(child))\n"
        )
        self.assertEqual(stacks(IMPORTS + children), ["f: ac"])
        nested = (
            "def f(model):\n    for i, layer in enumerate(model.layers):\n        layer.mlp = checkpoint_wrapper(layer.mlp)\n"
            "        model.layers[i] = checkpoint_wrapper(layer)\n"
        )
        self.assertEqual(stacks(IMPORTS + nested), ["f: ac,ac"])

    def test_a_model_that_is_bound_anew_keeps_its_scope(self) -> None:
        code = (
            "def f(model):\n    model = FSDP(model, auto_wrap_policy=p)\n"
            "    model = torch.compile(model)\n    return model\n"
        )
        self.assertEqual(
            stacks("from torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n" + IMPORTS + code),
            ["f: compile:wrap@model"],
        )


class Models(unittest.TestCase):
    ONE = "    for block in {0}.layers:\n        block.compile()\n    fully_shard({0})\n"

    def test_two_models_of_one_function_are_two_stacks(self) -> None:
        made = "def f(make):\n    policy = make()\n    reference = make()\n"
        code = made + self.ONE.format("policy") + self.ONE.format("reference")
        self.assertEqual(
            stacks(IMPORTS + code),
            ["f, of policy: compile,fsdp@model", "f, of reference: compile,fsdp@model"],
        )
        between = made + "    for m in (policy.layers, reference.layers):\n        print(m)\n"
        swapped = "    fully_shard({0})\n    for block in {0}.layers:\n        block.compile()\n"
        self.assertEqual(
            stacks(IMPORTS + between + self.ONE.format("policy") + swapped.format("reference")),
            ["f, of policy: compile,fsdp@model", "f, of reference: fsdp@model,compile"],
        )

    def test_also_where_one_helper_sets_up_each(self) -> None:
        code = "def one(model):\n" + self.ONE.format("model")
        code += (
            "def f(self):\n    one(self.policy)\n    one(self.reference)\n"
            "    copied = copy.deepcopy(self.policy)\n    one(copied)\n"
        )
        self.assertEqual(
            stacks("import copy\n" + IMPORTS + code),
            [
                "f, of self.policy: compile,fsdp@model",
                "f, of self.reference: compile,fsdp@model",
                "f, of copied: compile,fsdp@model",
            ],
        )

    def test_one_model_of_several_names_is_one_stack(self) -> None:
        for code in (
            (
                "def f(model):\n    raw = model\n    for b in raw.layers:\n        b.compile()\n"
                "    wrapped = fully_shard(model)\n    DDP(wrapped)\n"
            ),
            (
                "def f(model):\n    parts = [model]\n    for m in parts:\n        m.compile()\n"
                "    for m in parts:\n        fully_shard(m)\n    DDP(model)\n"
            ),
            "def f(self):\n    self.model.compile()\n    model = self.model\n    fully_shard(model)\n    DDP(self.model)\n",
        ):
            found = stacks("from torch.nn.parallel import DistributedDataParallel as DDP\n" + IMPORTS + code)
            self.assertEqual(len(found), 1, code)
            self.assertTrue(found[0].endswith("ddp"), found)


class Flag(unittest.TestCase):
    def test_the_flag_acts_around_the_blocks_wherever_its_line_stands(self) -> None:
        plan = "    parallelize_module(model, mesh, {'w': ColwiseParallel()})\n"
        shard = "    for b in model.layers:\n        fully_shard(b)\n"
        flag = "    model.gradient_checkpointing_enable()\n"
        head = "def f(model, mesh):\n"
        for order in ((flag, plan, shard), (plan, flag, shard), (plan, shard, flag)):
            self.assertEqual(stacks(IMPORTS + head + "".join(order)), ["f: tp:sp=off,fsdp,ac"])
        whole = "    return torch.compile(model)\n"
        self.assertEqual(stacks(IMPORTS + head + flag + shard + whole), ["f: fsdp,ac,compile:wrap@model"])
        # diffusers' name of it, and the wrapper, which stands where its line stands.
        named = flag.replace("gradient_checkpointing_enable", "enable_gradient_checkpointing")
        self.assertEqual(stacks(IMPORTS + head + named + shard), ["f: fsdp,ac"])
        wrapper = "    for b in model.layers:\n        b.inner = checkpoint_wrapper(b)\n"
        self.assertEqual(stacks(IMPORTS + head + wrapper + plan + shard), ["f: ac,tp:sp=off,fsdp"])


class WithoutEffect(unittest.TestCase):
    def test_a_wrapper_that_nothing_reads_is_dropped(self) -> None:
        for lines in (
            "    model = torch.compile(model)\n",
            "    torch.compile(model)\n",
            "    print(model)\n    compiled = torch.compile(model)\n    return 1\n",
            "    for b in model.layers:\n        b = torch.compile(b)\n",
            "    for b in model.layers:\n        print(b)\n        b = checkpoint_wrapper(b)\n",
        ):
            found = notes(IMPORTS + "def f(model):\n" + lines + "")
            self.assertEqual([line.endswith("dropped, so it has no effect") for line in found], [True], lines)

    def test_one_that_is_read_is_kept(self) -> None:
        for lines in (
            "    model = torch.compile(model)\n    return model\n",
            "    model = torch.compile(model)\n    self.x = model\n",
            "    def step(x):\n        return model(x)\n    model = torch.compile(model)\n    use(step)\n",
            "    while go():\n        use(model)\n        model = torch.compile(model)\n",
            "    global model\n    model = torch.compile(model)\n",
            "    model.inner = torch.compile(model)\n",
            "    for i, b in enumerate(model.layers):\n        b = torch.compile(b)\n        model.layers[i] = b\n",
        ):
            arguments = "x" if "global" in lines else "model"
            found = notes(IMPORTS + f"def f({arguments}):\n" + lines)
            self.assertEqual([line for line in found if "dropped" in line], [], lines)
        self.assertEqual(notes(IMPORTS + "model = torch.compile(model)\n"), [])  # other files read it

    def test_parallelize_module_without_a_plan_applies_nothing(self) -> None:
        for call in ("parallelize_module(model, mesh)", "parallelize_module(model, mesh, None)"):
            code = IMPORTS + f"def f(model, mesh):\n    {call}\n    fully_shard(model)\n"
            self.assertEqual(stacks(code), ["f: fsdp@model"], call)
            self.assertTrue(notes(code)[0].endswith("PyTorch warns and applies nothing"))
        for call in ("parallelize_module(model, mesh, plan)", "parallelize_module(model, **given)"):
            code = IMPORTS + f"def f(model, mesh, plan, given):\n    {call}\n    fully_shard(model)\n"
            self.assertEqual(stacks(code), ["f: tp,fsdp@model"], call)


class Excluded(unittest.TestCase):
    BODY = (
        "    if c.ac:\n        model = checkpoint_wrapper(model)\n    if c.tp:\n        model.compile()\n"
        "    fully_shard(model)\n"
    )

    def stacks(self, before: str) -> list[str]:
        return stacks(IMPORTS + "def f(model, c):\n" + before + self.BODY)

    def test_what_a_raise_rules_out_is_no_stack(self) -> None:
        divided = ["f, where not c.ac: compile@model,fsdp@model", "f, where not c.tp: ac@model,fsdp@model"]
        for before in (
            "    if c.ac and c.tp:\n        raise ValueError\n",
            "    if c.ac:\n        if c.tp:\n            raise ValueError\n",
            "    assert not (c.ac and c.tp)\n",
            "    if not c.ac or not c.tp:\n        print(c)\n    else:\n        raise ValueError\n",
        ):
            self.assertEqual(self.stacks(before), divided, before)
        self.assertEqual(self.stacks("    if c.tp:\n        raise ValueError\n"), ["f: ac@model,fsdp@model"])

    def test_other_tests_rule_nothing_out(self) -> None:
        for before in (
            "    if c.ac and c.tp:\n        print(c)\n",
            "    if c.ac and c.pp:\n        raise ValueError\n",
            "    if c.ac or c.tp or c.pp:\n        print(c)\n    else:\n        raise ValueError\n",
            "    if c.one:\n        return\n    if c.pp:\n        raise ValueError\n",
        ):
            self.assertEqual(self.stacks(before), ["f: ac@model,compile@model,fsdp@model"], before)


class AroundSharding(unittest.TestCase):
    SHARD = "    for b in model.layers:\n        fully_shard(b)\n    fully_shard(model)\n"
    OPTIMIZER = "    o = torch.optim.AdamW(model.parameters())\n"

    def stacks(self, *parts: str) -> list[str]:
        return stacks(IMPORTS + "from peft import get_peft_model\ndef f(model, x, other):\n" + "".join(parts))

    def test_a_forward_between_sharding_and_the_optimizer_is_in_the_stack(self) -> None:
        forward = "    with torch.no_grad():\n        print(model(x))\n"
        self.assertEqual(
            self.stacks(self.SHARD, forward, self.OPTIMIZER), ["f: fsdp,forward,optimizer=adamw"]
        )
        for parts in (
            (forward, self.SHARD, self.OPTIMIZER),
            (self.SHARD, self.OPTIMIZER, forward),
            (self.SHARD, "    model(x).sum().backward()\n", self.OPTIMIZER),
            (self.SHARD, "    model.train()\n", self.OPTIMIZER),
            (self.SHARD, "    other(x)\n", self.OPTIMIZER),
            (self.SHARD, forward, "    model.reshard()\n", self.OPTIMIZER),
        ):
            self.assertEqual(self.stacks(*parts), ["f: fsdp,optimizer=adamw"], parts)
        always = "    fully_shard(model, reshard_after_forward=True)\n"
        self.assertEqual(
            self.stacks(always, forward, self.OPTIMIZER), ["f: fsdp:reshard=always@model,optimizer=adamw"]
        )
        blocks = self.SHARD.replace("fully_shard(b)", "fully_shard(b, reshard_after_forward=True)")
        self.assertIn("forward", self.stacks(blocks, forward, self.OPTIMIZER)[0])

    def test_a_backward_outside_of_context_parallel_is_named(self) -> None:
        begin = (
            "from torch.distributed.tensor.experimental import context_parallel\n"
            "def f(model, mesh, x):\n    with context_parallel(mesh, buffers=[x]):\n        loss = model(x).sum()\n"
        )
        found = notes(begin + "    loss.backward()\n")
        self.assertEqual(len(found), 1)
        self.assertIn("backward is called outside of it, at line 5", found[0])
        self.assertEqual(notes(begin + "        loss.backward()\n"), [])
        self.assertEqual(notes(begin), [])  # the caller may call backward inside

    def test_adapters_are_in_the_stack_where_they_are_added(self) -> None:
        adapter = "    model = get_peft_model(model, x)\n"
        self.assertEqual(self.stacks(self.SHARD, adapter, self.OPTIMIZER), ["f: fsdp,lora,optimizer=adamw"])
        self.assertEqual(self.stacks(adapter, self.SHARD, self.OPTIMIZER), ["f: lora,fsdp,optimizer=adamw"])
        self.assertEqual(self.stacks(adapter), [])

    def test_a_part_that_is_frozen_once_ddp_has_the_model_is_in_the_stack(self) -> None:
        ddp = "    model = torch.nn.parallel.DistributedDataParallel(model)\n"
        freeze = "    model.embed.requires_grad_(False)\n"
        self.assertEqual(self.stacks(ddp, freeze), ["f: ddp,freeze"])
        for parts in (
            (freeze, ddp),
            (ddp, "    model.embed.requires_grad_(True)\n"),
            (ddp, "    other.requires_grad_(False)\n"),
        ):
            self.assertEqual(self.stacks(*parts), ["f: ddp"], parts)


class Unread(unittest.TestCase):
    def test_a_method_of_a_model_is_followed_where_its_class_is_read(self) -> None:
        model = (
            "class Net(torch.nn.Module):\n    def shard_all(self):\n        for b in self.layers:\n            fully_shard(b)\n"
            "        fully_shard(self)\n"
        )
        call = "def setup(model):\n    model.compile()\n    model.shard_all()\n"
        self.assertEqual(stacks(IMPORTS + model + call), ["setup: compile@model,fsdp"])
        self.assertEqual(stacks({"net.py": IMPORTS + model, "setup.py": call}), ["setup: compile@model,fsdp"])
        twin = model.replace("Net", "Other")
        self.assertEqual(
            notes(IMPORTS + model + twin + call),
            ["a.py:17: model.shard_all(): 2 classes of the files read define it"],
        )
        made = call.replace("    model.compile", "    model = Net()\n    model.compile")
        self.assertEqual(stacks(IMPORTS + model + twin + made)[-1], "setup: compile@model,fsdp")
        of_argument = call.replace("(model):", "(model: Net):")
        self.assertEqual(stacks(IMPORTS + model + twin + of_argument)[-1], "setup: compile@model,fsdp")

    def test_methods_of_other_objects_are_not_followed(self) -> None:
        code = (
            "class Tool(Base):\n    def setup(self, model):\n        fully_shard(model)\n"
            "def f(model):\n    tool = Tool()\n    tool.setup(model)\n"
        )
        self.assertEqual(stacks(IMPORTS + code), ["Tool.setup: fsdp@model"])
        self.assertEqual(len(notes(IMPORTS + code)), 1)

    def test_calls_that_may_apply_a_transform_are_named(self) -> None:
        for line in (
            "model.parallelize(dims)",
            "model.apply_fsdp(mesh)",
            "self.model.wrap_all()",
            "ac_config.build().apply(model)",
            "model = fabric.setup(model)",
            "model, optimizer = booster.boost(model, optimizer)",
            "from mine import shard; shard(model)",
        ):
            found = notes(IMPORTS + f"def f(self, model, fabric, booster, dims, ac_config):\n    {line}\n")
            self.assertEqual(len(found), 1, line)

    def test_calls_that_apply_none_are_not(self) -> None:
        for line in (
            "model.eval()",
            "model.load_state_dict(x)",
            "model.get_parallel_size()",
            "model.gradient_checkpointing_disable()",
            "loss = model.loss(x)",
            "model.freeze()",
            "m = re.match('a', x); m.compile_all()",
            "model = build(model)",
            "checkpointer.save(model)",
            "save_checkpoint(model)",
            "accelerator.unwrap_model(model)",
            "x = self.shards.apply(y)",
        ):
            found = notes(
                "import re\n"
                + IMPORTS
                + f"def f(self, model, checkpointer, x, y, accelerator):\n    {line}\n"
            )
            self.assertEqual(found, [], line)

    def test_where_transforms_are_applied_every_unknown_change_of_the_model_is_named(self) -> None:
        for line in ("model.freeze()", "model = build(model)"):
            code = IMPORTS + f"def f(model, build):\n    {line}\n    fully_shard(model)\n"
            self.assertEqual(len(notes(code)), 1, line)


if __name__ == "__main__":
    unittest.main()
