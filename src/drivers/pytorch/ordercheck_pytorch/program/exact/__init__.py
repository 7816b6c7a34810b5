"""Exact arithmetic, in the float64 CPU kernels of ATen: below autograd, DTensor, FSDP2, checkpointing and AOTAutograd, so that
models, plans, trainers and graphs are a user's own, unchanged. operators.tsv lists the operators,
docs/guide/exact-arithmetic.md tells why.

install.py puts the kernels in and takes them out; one file a class holds them; guard.py refuses what has none."""
