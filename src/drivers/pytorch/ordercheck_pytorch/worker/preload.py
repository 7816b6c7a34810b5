"""What ranks will want, imported once before they are forked: seconds here, none there."""

from __future__ import annotations

import gc
import importlib
import os

# Set before torch is imported.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    # Ranks compile in their own process: a pool of compiling processes would outlive them.
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    # What the processor says it can is taken as said: every rank would try it out, in six processes that import torch.
    "TORCHINDUCTOR_VEC_ISA_OK": "1",
    # Whether there is a GPU is asked without touching it.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    # All ranks are on this machine: its name need not be looked up.
    "GLOO_SOCKET_IFNAME": "lo",
}


def set_environment() -> None:
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def import_all() -> None:
    from ..torch_compat import MODULES_OF_RANKS

    for module in MODULES_OF_RANKS:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("torch."):
                raise  # else this torch keeps it elsewhere or has none, and ranks will say what they miss
    # What was imported stays: ranks need not search it for garbage, nor copy the pages that this would touch.
    gc.freeze()
