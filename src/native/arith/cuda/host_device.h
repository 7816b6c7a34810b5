// Marks a function that nvcc compiles for host and GPU, and other compilers for the host only.
//
// NOTE [twins]: a kernel here is a functor over an index space. The host runs it in a loop (on_host.h), a GPU in threads
// (toolkit/*.cu), with the same split into blocks and threads. Tests compare the loop with the CPU kernels of arith/, and on a
// GPU the launch with the loop. -ffp-contract=off and --fmad=false make every operation round by itself.
#pragma once

#ifdef __CUDACC__
#define ORDERCHECK_HOST_DEVICE __host__ __device__
#else
#define ORDERCHECK_HOST_DEVICE
#endif
