"""torchtitan's config_registry.py: what its functions switch on, in the order in which torchtitan applies it, with degrees."""

import unittest

from scanned import notes, read, stacks

CODE = """\
from torchtitan.config import ActivationCheckpointConfig, CompileConfig, ParallelismConfig
from torchtitan.trainer import Trainer
from . import model_registry

def base() -> Trainer.Config:
    return Trainer.Config(
        model_spec=model_registry("8B"),
        parallelism=ParallelismConfig(tensor_parallel_degree=8, pipeline_parallel_schedule="Interleaved1F1B"),
        activation_checkpoint=ActivationCheckpointConfig(mode="full"),
        compile=CompileConfig(enable=True),
    )
"""
CHANGE = "def f():\n    config = base()\n    config.{}\n    return config\n"


def one(function: str) -> list[str]:
    found = stacks({"models/config_registry.py": CODE + function})
    return [line for line in found if not line.startswith("base:")]


class Registries(unittest.TestCase):
    def test_a_configuration_is_a_stack(self) -> None:
        files = {"models/config_registry.py": CODE}
        self.assertEqual(stacks(files), ["base: tp=8,ac,compile,fsdp"])
        found = read(files)["functions"][0]
        self.assertEqual([item["line"] for item in found["stacks"][0]["items"]], [8, 9, 10, 5])
        self.assertEqual(
            found["order_from"], "torchtitan v0.3.0, models/llama3/parallelize.py 25-90 (2026-09-03)"
        )

    def test_one_that_changes_another(self) -> None:
        change = CHANGE.format("parallelism.{}")
        for line, expected in (
            ("pipeline_parallel_degree = 4", "f: pp=4:interleaved,tp=8,ac,compile,fsdp"),
            ("expert_parallel_degree = 2", "f: tp=8,ep=2,ac,compile,fsdp"),
            ("context_parallel_degree = 2", "f: tp=8,cp=2,ac,compile,fsdp"),
            ("data_parallel_shard_degree = 4", "f: tp=8,ac,compile,fsdp=4"),
            ("data_parallel_replicate_degree = 2", "f: tp=8,ac,compile,hsdp"),
            ("fsdp_reshard_after_forward = 'never'", "f: tp=8,ac,compile,fsdp:reshard=never"),
            ("tensor_parallel_degree = 1", "f: ac,compile,fsdp"),
            ("spmd_backend = 'full_dtensor'", "f: tp=8:spmd=full_dtensor,ac,compile,fsdp"),
            ("spmd_backend = 'spmd_types'", "f: tp=8,ac,compile,fsdp"),
        ):
            self.assertEqual(one(change.format(line)), [expected])

    def test_converters_of_the_model(self) -> None:
        change = CHANGE.format('model_spec = model_registry("8B", converters=[{}])')
        for converter, expected in (
            ("Float8LinearConverter.Config(model_compile_enabled=True)", "quantize=fp8,"),
            ("MXFP8GroupedExpertsConverter.Config()", "quantize=mxfp8@experts,"),
            ("NVFP4LinearConverter.Config(fqns=['layers'])", ""),
        ):
            self.assertEqual(one(change.format(converter)), [f"f: {expected}tp=8,ac,compile,fsdp"])
        code = CODE + change.format("NVFP4LinearConverter.Config()")
        self.assertEqual(
            notes({"config_registry.py": code}),
            ["config_registry.py:14: model_spec.converters: no transform for NVFP4LinearConverter"],
        )

    def test_a_part_that_is_replaced_takes_its_settings_with_it(self) -> None:
        code = CHANGE.format("parallelism = ParallelismConfig(data_parallel_shard_degree=1, {})")
        self.assertEqual(one(code.format("data_parallel_replicate_degree=2")), ["f: ac,compile,replicate=2"])
        self.assertEqual(one(code.format("")), ["f: ac,compile"])

    def test_policies_and_components_of_newer_releases(self) -> None:
        change = CHANGE.format("activation_checkpoint = {}")
        for policy, expected in (
            ("FullAC.Config()", "f: tp=8,ac,compile,fsdp"),
            ("SelectiveAC.Config()", "f: tp=8,sac,compile,fsdp"),
            ("RegionAC.Config(save_regions=[])", "f: tp=8,compile,fsdp"),
            ("None", "f: tp=8,compile,fsdp"),
        ):
            self.assertEqual(one(change.format(policy)), [expected], policy)
        region = {"config_registry.py": CODE + change.format("RegionAC.Config(save_regions=[])")}
        self.assertEqual(
            notes(region),
            ["config_registry.py:14: activation_checkpoint: no transform for this policy"],
        )
        change = CHANGE.format("compile = CompileConfig(enable=True, components={})")
        self.assertEqual(one(change.format("['loss']")), ["f: tp=8,ac,fsdp"])
        self.assertEqual(one(change.format("['model', 'loss']")), ["f: tp=8,ac,compile,fsdp"])

    def test_a_configuration_that_is_not_followed_is_named(self) -> None:
        code = "def f(size: int) -> Trainer.Config:\n    return make(size)\n"
        self.assertEqual(
            notes({"config_registry.py": CODE + code}),
            ["config_registry.py:12: f: the configuration that it returns is not followed"],
        )
        code = "def f(size: int = 1) -> Trainer.Config:\n    config = base()\n    return config\n"
        self.assertEqual(notes({"config_registry.py": CODE + code}), [])

    def test_what_it_was_made_from_stays_as_it_was(self) -> None:
        code = CODE + "def f():\n    config = base()\n    config.compile.enable = False\n    return config\n"
        self.assertEqual(
            stacks({"config_registry.py": code}), ["base: tp=8,ac,compile,fsdp", "f: tp=8,ac,fsdp"]
        )

    def test_modes_of_checkpointing(self) -> None:
        code = CHANGE.format("activation_checkpoint = ActivationCheckpointConfig({})")
        self.assertEqual(one(code.format("mode='none'")), ["f: tp=8,compile,fsdp"])
        self.assertEqual(
            one(code.format("mode='selective', selective_ac_option='op'")), ["f: tp=8,sac,compile,fsdp"]
        )
        self.assertEqual(
            one(code.format("mode='selective', selective_ac_option='2'")),
            ["f: tp=8,ac=selective:n=2,compile,fsdp"],
        )
        self.assertEqual(one(code.format("mode='selective'")), ["f: tp=8,sac,compile,fsdp"])
        why = "selective_ac_option is not written, and its default is of a release: taken for sac"
        self.assertEqual(
            notes({"config_registry.py": CODE + code.format("mode='selective'")}),
            [f"config_registry.py:14: activation_checkpoint.mode: {why}"],
        )

    def test_what_is_not_followed_is_named(self) -> None:
        code = "def f():\n    config = base()\n    if x:\n        config.compile.enable = False\n    return config\n"
        self.assertEqual(one(code), ["f: tp=8,ac,compile,fsdp"])
        why = "what it does to the configuration is not followed"
        self.assertEqual(
            notes({"config_registry.py": CODE + code}),
            [f"config_registry.py:14: if x: config.compile.enable = False: {why}"],
        )
        code = "def f(n):\n    return base()\n"
        self.assertEqual(one(code), [])

    def test_the_same_code_in_another_file_is_none(self) -> None:
        self.assertEqual(stacks({"configs.py": CODE}), [])

    def test_functions_that_call_each_other_end(self) -> None:
        self.assertEqual(one("def f():\n    return g()\ndef g():\n    return f()\n"), [])


if __name__ == "__main__":
    unittest.main()
