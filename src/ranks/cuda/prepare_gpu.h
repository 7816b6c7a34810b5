// What must hold before a case runs on a GPU.
#pragma once

#include <string>

namespace ordercheck::ranks {

// For a process of whatever devices, before LibTorch is asked for anything: what its environment says against exact arithmetic on a
// GPU, in one line, or "". Turns cuBLAS's emulation off where nothing is said. In a program without CUDA nothing stands against it.
std::string settle_environment();

// For a process that computes on GPU number `gpu`, before its first case and before any rank: cuBLAS emulates nothing and takes no
// TF32, its products of float64 are IEEE 754's (float64_products.h), and exact kernels stand at the dispatch key CUDA. What stands
// against it, in one line, or "". In a program without CUDA, or on a machine without a GPU, that is what stands against it.
std::string prepare_gpu(int gpu);

}  // namespace ordercheck::ranks
