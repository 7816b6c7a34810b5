// Prepares a process for exact arithmetic on a GPU.
#pragma once

#include <string>

namespace ordercheck::ranks {

// Call in any process before its first use of LibTorch. Turns off cuBLAS's emulation of float64 if the environment does not set
// it. Returns in one line how the environment prevents exact arithmetic on a GPU, or "". Always "" in a build without CUDA.
std::string settle_environment();

// Call in a process that computes on GPU number `gpu`, before its first case and before any rank. Turns off emulation and TF32,
// checks that float64 products follow IEEE 754 (float64_products.h), and installs exact kernels at dispatch key CUDA. Returns
// an error in one line, or "". Without CUDA or a GPU it returns an error.
std::string prepare_gpu(int gpu);

}  // namespace ordercheck::ranks
