#include "ranks/train/operator_meter.h"

#include <ATen/core/ivalue.h>

namespace ordercheck::ranks {
namespace {

// 2 * m * n * k of the two operands on top of the stack, batched or not; 0 for any other operator.
std::int64_t matmul_flops(const std::string& name, const torch::jit::Stack& stack) {
  if (name != "aten::mm" && name != "aten::bmm") return 0;
  const at::Tensor& a = stack[stack.size() - 2].toTensor();
  const at::Tensor& b = stack[stack.size() - 1].toTensor();
  return 2 * a.numel() * b.size(-1);
}

}  // namespace

void OperatorMeter::call(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const bool recomputes = rank_.phase() == Phase::recompute;
  const std::int64_t flops = matmul_flops(op.operator_name().name, stack);
  // What gives no result computes nothing: a guard of the arithmetic.
  if (recomputes && !op.schema().returns().empty()) ++rank_.counters.operators_recomputed;
  if (recomputes) rank_.counters.matmul_flops_recomputed += flops;
  rank_.counters.matmul_flops += flops;
  if (flops > 0) {
    rank_.counters.products_in_scope += rank_.compiled.in_scope();
    rank_.counters.products_in_graphs += rank_.compiled.in_graph();
  }
  op.callBoxed(&stack);
}

}  // namespace ordercheck::ranks
