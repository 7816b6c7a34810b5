#include "native/train/operator_meter.h"

#include <ATen/core/ivalue.h>

namespace ordercheck::ranks {
namespace {

using torch::jit::Stack;

std::int64_t product_flops(const at::Tensor& a, const at::Tensor& b) { return 2 * a.numel() * b.size(-1); }

// Returns the FLOPs of one of attention's two products, queries times keys or weights times values: [batch, heads, queries,
// head_dim] times [batch, heads, head_dim, keys].
std::int64_t attention_flops(const at::Tensor& q, const at::Tensor& k) { return 2 * q.numel() * k.size(2); }

// Returns the FLOPs of an operator as torch's FlopCounterMode counts them; 0 if it is no matmul or attention. `first` is the
// stack index of the operator's first argument.
std::int64_t matmul_flops(const std::string& name, const Stack& stack, std::size_t first) {
  const auto tensor = [&](std::size_t place) -> const at::Tensor& { return stack[first + place].toTensor(); };
  if (name == "aten::mm" || name == "aten::bmm") return product_flops(tensor(0), tensor(1));
  if (name == "aten::addmm" || name == "aten::baddbmm") return product_flops(tensor(1), tensor(2));
  if (name == "aten::_scaled_dot_product_flash_attention_for_cpu") return 2 * attention_flops(tensor(0), tensor(1));
  // Backward of attention has five products: recomputed scores, and the gradients of queries, keys, values and weights.
  if (name == "aten::_scaled_dot_product_flash_attention_for_cpu_backward") return 5 * attention_flops(tensor(1), tensor(2));
  if (name == "ordercheck::grouped_mm") return product_flops(tensor(0), tensor(1));
  if (name == "ordercheck::grouped_outer") return product_flops(tensor(0), tensor(1));
  return 0;
}

}  // namespace

void OperatorMeter::call(const c10::OperatorHandle& op, Stack& stack) {
  const bool recomputes = rank_.phase() == Phase::recompute;
  const std::int64_t flops = matmul_flops(op.operator_name().name, stack, stack.size() - op.schema().arguments().size());
  if (recomputes) ++rank_.counters.operators_recomputed;
  if (recomputes) rank_.counters.matmul_flops_recomputed += flops;
  rank_.counters.matmul_flops += flops;
  if (flops > 0) {
    rank_.counters.products_in_scope += rank_.compiled.in_scope();
    rank_.counters.products_in_graphs += rank_.compiled.in_graph();
  }
  op.callBoxed(&stack);
}

}  // namespace ordercheck::ranks
