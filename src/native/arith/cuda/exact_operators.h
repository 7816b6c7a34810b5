// Provides the exact kernels of any device, composed of stock operators and the kernels of this folder.
//
// They do the same operations in the same order as the CPU kernels of native/arith. At dispatch key CPU they give the same bits
// and strides, which a test checks over the conformance table. At CUDA they are the kernels of a GPU. Attention on a GPU is
// LibTorch's own composition of exact products and an exact softmax: the fused kernels take no float64.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <ATen/core/boxing/KernelFunction.h>
#include <c10/core/DispatchKey.h>

namespace ordercheck::ranks {

using Arguments = c10::ArrayRef<c10::IValue>;

// Decides a call: true for the exact kernel, false for the stock kernel. Throws Unsupported if neither may run. Called only
// while exactness is on.
using Applies = std::function<bool(const char* op, Arguments arguments)>;

struct ExactOperator {
  // Overloads without "aten::". The first defines the arguments. The others append outputs ("mm.out") or overwrite their first
  // argument ("addmm_").
  std::vector<std::string> forms;
  Applies applies;
  c10::KernelFunction exact;  // takes the arguments of the first form, without outputs
};

// For operators that sum: true if the tensor arguments at the indices `operands` are float64, false if none is floating-point.
Applies sums_of(std::vector<std::size_t> operands);
// For elementwise operators: true if the argument at index `operand` is float64.
Applies is_float64(std::size_t operand);
// True if a result of both operands has dtype float64.
bool make_float64(const at::Tensor& a, const at::Tensor& b);

std::vector<ExactOperator> exact_contractions();
std::vector<ExactOperator> exact_sums_and_norms();
std::vector<ExactOperator> exact_softmaxes();
std::vector<ExactOperator> exact_losses();
std::vector<ExactOperator> exact_scatters();
std::vector<ExactOperator> exact_layer_norms();
std::vector<ExactOperator> exact_rms_norms();  // GPUs only: a CPU composes them of others
std::vector<ExactOperator> exact_activations();
std::vector<ExactOperator> exact_on_whole_vectors();
std::vector<ExactOperator> exact_arithmetic();
std::vector<ExactOperator> exact_optimizers();

// Replaces the stock kernels at dispatch key `key` by exact ones, which apply to float64 while exactness is on
// (arith/exactness.h). Unlisted operators then throw (arith/refusals.h). Runs once per process and key; call before any rank
// runs. Returns the names of the exact operators.
const std::set<std::string>& install_exact_operators(c10::DispatchKey key);

}  // namespace ordercheck::ranks
