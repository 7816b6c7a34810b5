"""What an item says of its arguments: the kind of a plan, and modes and options that are constants."""

import unittest

from scanned import notes, read, stacks

IMPORTS = """\
import torch
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy, FullyShardedDataParallel as FSDP
from torch.distributed.tensor.parallel import parallelize_module, ColwiseParallel, RowwiseParallel, SequenceParallel
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    checkpoint_wrapper, apply_activation_checkpointing, CheckpointImpl)
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.distributed.pipelining import PipelineStage, pipeline, Schedule1F1B, SplitPoint
from torch.distributed.tensor.experimental import context_parallel
from torchao.float8 import convert_to_float8_training
from torchao.quantization import quantize_, Int4WeightOnlyConfig
from torchtitan.distributed.expert_parallel import ExpertParallel
from accelerate import Accelerator, FullyShardedDataParallelPlugin
"""


class Options(unittest.TestCase):
    def one(self, *lines: str) -> str:
        found = stacks(IMPORTS + "def f(model, x):\n" + "".join(f"    {line}\n" for line in lines))
        self.assertEqual(len(found), 1, found)
        return found[0].removeprefix("f: ") if hasattr(str, "removeprefix") else found[0][3:]

    def test_resharding(self) -> None:
        self.assertEqual(
            self.one("fully_shard(model, reshard_after_forward=False)"), "fsdp:reshard=never@model"
        )
        self.assertEqual(
            self.one("fully_shard(model, reshard_after_forward=True)"), "fsdp:reshard=always@model"
        )
        self.assertEqual(self.one("fully_shard(model, reshard_after_forward=x)"), "fsdp@model")
        self.assertEqual(self.one("fully_shard(model, reshard_after_forward=2)"), "fsdp@model")

    def test_mixed_precision_also_by_a_dictionary(self) -> None:
        policy = "p = MixedPrecisionPolicy(param_dtype=torch.bfloat16)"
        self.assertEqual(self.one(policy, "fully_shard(model, mp_policy=p)"), "fsdp:mp=bf16@model")
        self.assertEqual(
            self.one(policy, "c = {'mp_policy': p}", "fully_shard(model, **c)"), "fsdp:mp=bf16@model"
        )
        self.assertEqual(
            self.one(policy, "c = {}", "c['mp_policy'] = p", "fully_shard(model, **c)"), "fsdp:mp=bf16@model"
        )
        self.assertEqual(
            self.one("fully_shard(model, mp_policy=MixedPrecisionPolicy(param_dtype=x))"), "fsdp@model"
        )
        self.assertEqual(self.one(policy, "fully_shard(model, offload_policy=p)"), "fsdp@model")

    def test_hybrid_sharding(self) -> None:
        self.assertEqual(self.one("fully_shard(model, mesh=x['dp_replicate', 'dp_shard'])"), "hsdp@model")
        self.assertEqual(self.one("fully_shard(model, mesh=x['dp_shard'])"), "fsdp@model")

    def test_fsdp1_is_named_and_no_item(self) -> None:
        code = (
            IMPORTS
            + "def f(model):\n    model = FSDP(model, auto_wrap_policy=x)\n    return torch.compile(model)\n"
        )
        self.assertEqual(stacks(code), ["f: compile:wrap@model"])
        self.assertEqual(
            notes(code),
            [
                "a.py:14: FSDP: it is FSDP1; rules and runs here are of FSDP2, fully_shard: its place in the order "
                "is not judged"
            ],
        )
        self.assertEqual(
            stacks(code.replace("FSDP(model, auto", "fully_shard(model, auto")),
            ["f: fsdp@model,compile:wrap@model"],
        )

    def test_compile(self) -> None:
        self.assertEqual(self.one("model.compile(backend='aot_eager')"), "compile=aot_eager@model")
        self.assertEqual(self.one("model.compile(backend=x)"), "compile@model")
        self.assertEqual(self.one("model.compile(backend='cudagraphs')"), "compile@model")
        self.assertEqual(
            self.one("return torch.compile(model, fullgraph=True, backend='inductor')"),
            "compile=inductor:wrap:fullgraph@model",
        )

    def test_checkpointing(self) -> None:
        self.assertEqual(self.one("for b in model.layers: b.inner = checkpoint_wrapper(b)"), "ac")
        self.assertEqual(
            self.one("return checkpoint_wrapper(model, checkpoint_impl=CheckpointImpl.REENTRANT)"),
            "ac:reentrant@model",
        )
        self.assertEqual(
            self.one("return checkpoint_wrapper(model, preserve_rng_state=False)"),
            "ac:preserve_rng_state=off@model",
        )
        self.assertEqual(self.one("return checkpoint_wrapper(model, context_fn=x)"), "sac@model")
        self.assertEqual(self.one("apply_activation_checkpointing(model, check_fn=x)"), "ac")
        self.assertEqual(self.one("model.gradient_checkpointing_enable()"), "ac")

    def test_a_plan_shows_sequence_parallelism_and_the_embedding(self) -> None:
        rows, columns = "'tok_embeddings': RowwiseParallel()", "'model.embed_tokens': ColwiseParallel()"
        block, norm = "'layers.*.mlp.up': ColwiseParallel()", "'layers.*.norm': SequenceParallel()"
        unknown = [["sp", "unknown"], ["plan", "unknown"]]
        for plan, option, left_open in (
            ("{" + rows + "," + block + "}", "tp:sp=off", []),
            ("{" + rows + "," + norm + "}", "tp", []),
            ("{" + block + "," + norm + "}", "tp:plan=blocks", []),
            ("{" + block + "}", "tp:sp=off:plan=blocks", []),
            ("{" + columns + "," + norm + "}", "tp", [["plan", "other"]]),
            ("{'lm_head': ColwiseParallel()}", "tp:sp=off", [["plan", "other"]]),
            ("x.plan", "tp", unknown),
            ("make_plan(model)", "tp", unknown),
        ):
            code = IMPORTS + f"def f(model, x):\n    parallelize_module(model, x, {plan})\n"
            self.assertEqual(stacks(code), ["f: " + option], plan)
            item = read(code)["functions"][0]["stacks"][0]["items"][0]
            self.assertEqual(item["open_options"], left_open, plan)
        of_block = "for b in model.layers: parallelize_module(b, x, {'norm': SequenceParallel()})"
        self.assertEqual(self.one(of_block), "tp:plan=blocks")
        self.assertEqual(self.one("parallelize_module(model, x, {" + rows + "})", of_block), "tp")

    def test_plans(self) -> None:
        self.assertEqual(self.one("parallelize_module(model, x, {'w': ColwiseParallel()})"), "tp:sp=off")
        self.assertEqual(self.one("parallelize_module(model.experts, x, ExpertParallel())"), "ep")
        self.assertEqual(
            self.one(
                "plan = ExpertParallel()",
                "parallelize_module(module=model, device_mesh=x, parallelize_plan=plan)",
            ),
            "ep",
        )
        plan = "plan = {'w': ColwiseParallel()}"
        self.assertEqual(
            self.one("plan = ExpertParallel()", plan, "parallelize_module(model, x, plan)"),
            "tp:sp=off",
        )
        code = IMPORTS + "def f(model, plan):\n    parallelize_module(model, None, plan)\n"
        self.assertEqual(stacks(code), ["f: tp"])
        self.assertEqual(
            notes(code),
            [
                "a.py:14: parallelize_module(model, None, plan): its plan is made elsewhere: taken for tensor parallelism"
            ],
        )

    def test_ddp(self) -> None:
        self.assertEqual(self.one("DDP(model, bucket_cap_mb=25)"), "ddp:bucket_kib=25600")
        self.assertEqual(self.one("DDP(model, device_mesh=x)"), "ddp:device_mesh")

    def test_pipelines(self) -> None:
        self.assertEqual(
            self.one(
                "pipe = pipeline(model, x, split_spec={'a': SplitPoint.BEGINNING})",
                "s = pipe.build_stage(0)",
                "Schedule1F1B(s, 4)",
            ),
            "pp:1f1b",
        )
        code = (
            IMPORTS
            + "def f(model):\n    fully_shard(model)\n    stage = PipelineStage(model, 0, 2, 'cuda')\n"
        )
        self.assertEqual(stacks(code), ["f: pp,fsdp@model"])
        self.assertEqual(
            notes(code),
            ["a.py:15: PipelineStage: where the model is cut does not show: taken as cut before all else"],
        )

    def test_numbers(self) -> None:
        self.assertEqual(self.one("with torch.autocast('cuda', dtype=torch.float16): model(x)"), "amp=fp16")
        self.assertEqual(self.one("with torch.autocast('cuda'): model(x)"), "amp")
        rotary = (
            "class R(torch.nn.Module):\n    def {}(self, x):\n        with torch.autocast('cuda', enabled={}):\n"
            "            return x.cos()\n"
        )
        self.assertEqual(stacks(IMPORTS + rotary.format("forward", True)), [])
        self.assertEqual(stacks(IMPORTS + rotary.format("step", False)), [])
        self.assertEqual(stacks(IMPORTS + rotary.format("step", True)), ["R.step: amp"])
        self.assertEqual(self.one("convert_to_float8_training(model)"), "quantize=fp8")
        self.assertEqual(self.one("quantize_(model, Int4WeightOnlyConfig())"), "quantize=int4")
        self.assertEqual(self.one("with context_parallel(x): model(x)"), "cp")

    def test_optimizers(self) -> None:
        line = "o = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1, foreach=False)"
        self.assertEqual(self.one(line), "optimizer=adamw:lr=0.01:weight_decay=0.1:foreach=off")
        self.assertEqual(self.one(line, "torch.nn.utils.clip_grad_norm_(x, 1.0)")[-6:], "clip=1")
        self.assertEqual(self.one("o = torch.optim.Adagrad(x)"), "optimizer")
        both = [
            "if x:",
            "    o = torch.optim.SGD(model.parameters())",
            "else:",
            "    o = torch.optim.AdamW(model.parameters())",
        ]
        self.assertEqual(self.one("model.compile()", *both), "compile@model,optimizer")

    def test_accelerate_has_an_order_of_its_own(self) -> None:
        plugin = "p = FullyShardedDataParallelPlugin(fsdp_version=2, activation_checkpointing=True)"
        self.assertEqual(
            self.one(
                plugin,
                "a = Accelerator(fsdp_plugin=p, mixed_precision='fp8', dynamo_backend='inductor')",
                "a.prepare(model)",
            ),
            "quantize=fp8,ac,compile,fsdp",
        )
        made = "a = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=2))"
        built = "o = torch.optim.AdamW(model.parameters())"
        self.assertEqual(self.one(made, built, "model, o = a.prepare(model, o)"), "fsdp,optimizer=adamw")
        self.assertEqual(self.one(made, built, "model, x = a.prepare(model, x)"), "optimizer=adamw,fsdp")
        code = IMPORTS + "accelerator = Accelerator()\nmodel = accelerator.prepare(model)\n"
        self.assertEqual(stacks(code), [])
        self.assertEqual(
            notes(code),
            [
                "a.py:14: accelerator.prepare(model): what else it applies is in accelerate's configuration; "
                "the order is accelerate's own"
            ],
        )
        self.assertEqual(notes(code.replace("prepare(model)", "prepare(train_dl, optimizer)")), [])
        self.assertEqual(notes("thing = Thing()\nthing.prepare(model)\n"), [])


if __name__ == "__main__":
    unittest.main()
