"""Who this worker is: versions, devices, and the hash of its program."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import torch

ENGINE = "pytorch"


def versions() -> list[str]:
    """Without what follows a plus sign: it names a build for a device, and the release is the same."""
    return [f"torch {torch.__version__.partition('+')[0]}"]


def devices() -> list[str]:
    """CUDA is asked for through NVML: to touch it would be felt in every rank that is forked."""
    count = getattr(torch.cuda, "_device_count_nvml", lambda: -1)
    has_nccl = torch.distributed.is_nccl_available()
    return ["cpu", "cuda"] if torch.version.cuda and has_nccl and count() > 0 else ["cpu"]


def content_hash() -> str:
    """Of the package's sources, torch and Python: another of any may give another record."""
    digest = hashlib.sha256(f"torch {torch.__version__} python {platform.python_version()}\n".encode())
    package = Path(__file__).parent.parent
    for source in sorted(package.rglob("*.py")):
        content = source.read_bytes()
        digest.update(f"{source.relative_to(package)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
