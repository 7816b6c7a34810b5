// Registers the exact kernels with ATen's dispatcher and keeps their names. Each add_...() is defined in the file of its class
// of operators.
//
// Kernels register at dispatch key CPU: below autograd, dispatch modes, capture and counters. A kernel takes its exact path for
// float64 operands while exactness is on (exactness.h); otherwise it calls the stock kernel. Stock kernels are called as plain
// functions (at::cpu::mm), bypassing the dispatcher. A kernel throws Unsupported for calls that it does not cover. The order of
// its floating-point operations is part of its contract: other engines' kernels match it to the bit.
#pragma once

#include <set>
#include <string>
#include <utility>

#include <torch/library.h>

namespace ordercheck::ranks {

class KernelSet {
 public:
  explicit KernelSet(torch::Library& aten) : aten_(aten) {}
  template <typename Kernel>
  void add(const char* name, Kernel&& kernel) {
    aten_.impl(name, std::forward<Kernel>(kernel));
    names_.insert(name);
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  torch::Library& aten_;
  std::set<std::string> names_;
};

void add_contractions(KernelSet& kernels);  // mm, addmm, dot ...
void add_sums(KernelSet& kernels);          // sum, mean, cumsum, var
void add_meetings(KernelSet& kernels);      // add of two tensors
void add_vector_norms(KernelSet& kernels);  // linalg_vector_norm, norm, _foreach_norm, pow with a number as exponent
void add_softmax(KernelSet& kernels);       // _softmax, _log_softmax and their gradients
void add_losses(KernelSet& kernels);        // nll_loss_forward
void add_scatters(KernelSet& kernels);      // index_add, embedding_dense_backward ...
void add_attention(KernelSet& kernels);     // _scaled_dot_product_flash_attention_for_cpu
void add_layer_norms(KernelSet& kernels);   // native_layer_norm
void add_elementwise(KernelSet& kernels);   // silu, gelu, sqrt ...: results that depend on memory layout
void add_optimizers(KernelSet& kernels);    // _fused_adamw_, clamp of the clipping factor

}  // namespace ordercheck::ranks
