"""torchtitan's own train.py on CPU ranks. torch names no device type without an accelerator, torch.cpu lacks what torchtitan
asks of a device, and gloo lacks the reduction by which FSDP2 divides."""

import runpy
from types import SimpleNamespace

import torch
from torch.distributed.fsdp import FSDPModule

torch._utils._get_available_device_type = lambda: "cpu"
torch.cpu.get_device_name = lambda device=None: "cpu"
torch.cpu.get_device_properties = lambda device=None: SimpleNamespace(total_memory=1 << 34)
torch.cpu.reset_peak_memory_stats = torch.cpu.empty_cache = lambda *_: None
torch.cpu.current_device = lambda: 0
torch.cpu.memory_stats = lambda device=None: {}

set_factor = FSDPModule.set_gradient_divide_factor


def set_factor_and_sum(self, factor):
    set_factor(self, factor)
    self.set_force_sum_reduction_for_comms(True)


FSDPModule.set_gradient_divide_factor = set_factor_and_sum
runpy.run_module("torchtitan.train", run_name="__main__")
