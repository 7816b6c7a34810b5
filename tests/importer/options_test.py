"""What an item says of its arguments: the kind of a plan, and modes and options that are constants."""

import unittest

from scanned import notes, stacks

IMPORTS = """\
import torch
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy, FullyShardedDataParallel as FSDP, ShardingStrategy
from torch.distributed.tensor.parallel import parallelize_module, ColwiseParallel, SequenceParallel
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
        self.assertEqual(
            self.one("FSDP(model, sharding_strategy=ShardingStrategy.HYBRID_SHARD)"), "hsdp@model"
        )
        self.assertEqual(
            self.one("FSDP(model, sharding_strategy=ShardingStrategy.FULL_SHARD, auto_wrap_policy=x)"), "fsdp"
        )

    def test_fsdp1_is_said_to_be_it(self) -> None:
        self.assertEqual(
            notes(IMPORTS + "FSDP(model)\n"),
            ["a.py:13: FSDP: it is FSDP1; rules and evidence are of FSDP2, fully_shard"],
        )

    def test_compile(self) -> None:
        self.assertEqual(self.one("model.compile(backend='aot_eager')"), "compile=aot_eager@model")
        self.assertEqual(self.one("model.compile(backend=x)"), "compile@model")
        self.assertEqual(self.one("model.compile(backend='cudagraphs')"), "compile@model")
        self.assertEqual(
            self.one("model = torch.compile(model, fullgraph=True, backend='inductor')"),
            "compile=inductor:wrap:fullgraph@model",
        )

    def test_checkpointing(self) -> None:
        self.assertEqual(self.one("for b in model.layers: checkpoint_wrapper(b)"), "ac")
        self.assertEqual(
            self.one("checkpoint_wrapper(model, checkpoint_impl=CheckpointImpl.REENTRANT)"),
            "ac:reentrant@model",
        )
        self.assertEqual(
            self.one("checkpoint_wrapper(model, preserve_rng_state=False)"), "ac:preserve_rng_state=off@model"
        )
        self.assertEqual(self.one("checkpoint_wrapper(model, context_fn=x)"), "sac@model")
        self.assertEqual(self.one("apply_activation_checkpointing(model, check_fn=x)"), "ac")
        self.assertEqual(self.one("model.gradient_checkpointing_enable()"), "ac")

    def test_plans(self) -> None:
        self.assertEqual(self.one("parallelize_module(model, x, {'w': ColwiseParallel()})"), "tp")
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
            self.one("plan = ExpertParallel()", plan, "parallelize_module(model, x, plan)"), "tp"
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
