// The exact kernels, a class of operators a file. Each registers its own with a set, which keeps their names.
//
// A kernel stands at the dispatch key CPU: below autograd, dispatch modes, capture and counters. It takes its exact path
// for float64 operands while exactness is on (exactness.h) and otherwise calls the stock kernel, which it reaches as a plain
// function (at::cpu::mm), as it does with every step within: nothing there is dispatched. What an exact kernel does not cover
// it refuses (Unsupported). The order of its floating-point operations is part of its contract: another engine's kernels
// have the same, to the bit.
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
void add_vector_norms(KernelSet& kernels);  // linalg_vector_norm, norm, _foreach_norm, the squares they are put together from
void add_softmax(KernelSet& kernels);       // _softmax, _log_softmax and their gradients
void add_losses(KernelSet& kernels);        // nll_loss_forward
void add_scatters(KernelSet& kernels);      // index_add, embedding_dense_backward ...
void add_attention(KernelSet& kernels);     // _scaled_dot_product_flash_attention_for_cpu
void add_layer_norms(KernelSet& kernels);   // native_layer_norm
void add_elementwise(KernelSet& kernels);   // silu, gelu, sqrt ...: what rounds otherwise where it lies otherwise
void add_optimizers(KernelSet& kernels);    // _fused_adamw_, clamp of the factor that clips

}  // namespace ordercheck::ranks
