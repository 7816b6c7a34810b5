// The exact kernels of any device, as compositions of stock operators and of this room's kernels.
//
// What ranks/arith has for CPUs by ATen's CPU functions is written here once for every device: the same operations in the same
// order. Installed at the dispatch key CPU they give the bits and strides of ranks/arith, which a test holds them to over the
// conformance table; installed at CUDA they are what a GPU computes with. Attention is LibTorch's own composition there, of
// products and a softmax that are exact: its fused kernels take no float64.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <ATen/core/boxing/KernelFunction.h>
#include <c10/core/DispatchKey.h>

namespace ordercheck::ranks {

using Arguments = c10::ArrayRef<c10::IValue>;

// Whether a call is the exact kernel's; else the stock kernel is called. Throws Unsupported for one that is refused.
// Asked only while exactness is on.
using Applies = std::function<bool(const char* op, Arguments arguments)>;

struct ExactOperator {
  // Overloads, without "aten::", of which the others take the first one's arguments and then where to put its results
  // ("mm.out"), or put its result over their first argument ("addmm_").
  std::vector<std::string> forms;
  Applies applies;
  c10::KernelFunction exact;  // takes the first form's arguments, without where to put results
};

// The sums of an operator: its operands, by place, are float64, or no floating-point numbers at all.
Applies sums_of(std::vector<std::size_t> operands);
// Elementwise: the operand is float64.
Applies is_float64(std::size_t operand);
// Of two operands: what they make together is.
bool make_float64(const at::Tensor& a, const at::Tensor& b);

std::vector<ExactOperator> exact_contractions();
std::vector<ExactOperator> exact_sums_and_norms();
std::vector<ExactOperator> exact_softmaxes();
std::vector<ExactOperator> exact_losses();
std::vector<ExactOperator> exact_scatters();
std::vector<ExactOperator> exact_layer_norms();
std::vector<ExactOperator> exact_rms_norms();  // at the key of GPUs alone: a CPU composes them of others
std::vector<ExactOperator> exact_activations();
std::vector<ExactOperator> exact_on_whole_vectors();
std::vector<ExactOperator> exact_arithmetic();
std::vector<ExactOperator> exact_optimizers();

// Puts them, and a refusal for every operator of the table that is none of them, in place of the stock kernels at `key`, for
// float64 while exactness is on (arith/exactness.h). Once a process and key, before any rank runs. Returns the names of all that
// have an exact kernel there.
const std::set<std::string>& install_exact_operators(c10::DispatchKey key);

}  // namespace ordercheck::ranks
