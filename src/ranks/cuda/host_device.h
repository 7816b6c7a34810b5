// Before a function that nvcc compiles for the host and for a GPU, and any other compiler for the host alone.
//
// NOTE [twins]: a kernel here is a functor over an index space. The host runs it in a loop (on_host.h), a GPU by threads
// (toolkit/*.cu), in the same cut into blocks and threads: tests hold the loop to the CPU's kernels of arith/, and where there is
// a GPU the launch to the loop. Every operation rounds by itself: -ffp-contract=off for one, --fmad=false for the other.
#pragma once

#ifdef __CUDACC__
#define ORDERCHECK_HOST_DEVICE __host__ __device__
#else
#define ORDERCHECK_HOST_DEVICE
#endif
