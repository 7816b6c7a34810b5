#include "ranks/arith/arithmetic.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ranks/arith/guard.h"
#include "ranks/arith/snap.h"

namespace ordercheck::ranks {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// a [M, K] times b [K, N], or batched, on operands that are snapped already.
at::Tensor contract(const Numerics& numerics, const at::Tensor& a, const at::Tensor& b, const char* what) {
  if (numerics.exact()) guard_product(a, b, 2 * numerics.grid, what);
  return a.dim() == 2 ? at::mm(a, b) : at::bmm(a, b);
}

at::Tensor operand(const Numerics& numerics, const at::Tensor& x) { return numerics.exact() ? rounded(x, numerics.grid) : x; }

Numerics numerics_of(AutogradContext* ctx) {
  return {.arithmetic = static_cast<Arithmetic>(ctx->saved_data["arithmetic"].toInt()),
          .grid = static_cast<int>(ctx->saved_data["grid"].toInt())};
}

void keep_numerics(AutogradContext* ctx, const Numerics& numerics) {
  ctx->saved_data["arithmetic"] = static_cast<int64_t>(numerics.arithmetic);
  ctx->saved_data["grid"] = static_cast<int64_t>(numerics.grid);
}

struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& w, const Numerics& numerics) {
    keep_numerics(ctx, numerics);
    ctx->save_for_backward({x, w});
    const at::Tensor rows = operand(numerics, x.reshape({-1, x.size(-1)}));
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = w.size(0);
    return contract(numerics, rows, operand(numerics, w).t(), "a linear").view(sizes);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const Numerics numerics = numerics_of(ctx);
    const auto saved = ctx->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& w = saved[1];
    const at::Tensor gradient = operand(numerics, gradients[0].reshape({-1, w.size(0)}));
    at::Tensor to_x, to_w;
    if (ctx->needs_input_grad(0)) {
      to_x = contract(numerics, gradient, operand(numerics, w), "a linear's input gradient").view(x.sizes());
    }
    if (ctx->needs_input_grad(1)) {
      const at::Tensor rows = operand(numerics, x.reshape({-1, x.size(-1)}));
      to_w = contract(numerics, gradient.t(), rows, "a linear's weight gradient");
    }
    return {to_x, to_w, at::Tensor()};
  }
};

struct BatchedMatmul : torch::autograd::Function<BatchedMatmul> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& a, const at::Tensor& b, const Numerics& numerics) {
    keep_numerics(ctx, numerics);
    ctx->save_for_backward({a, b});
    return contract(numerics, operand(numerics, a), operand(numerics, b), "a matmul");
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const Numerics numerics = numerics_of(ctx);
    const auto saved = ctx->get_saved_variables();
    const at::Tensor gradient = operand(numerics, gradients[0]);
    return {contract(numerics, gradient, operand(numerics, saved[1]).transpose(1, 2), "a matmul's gradient"),
            contract(numerics, operand(numerics, saved[0]).transpose(1, 2), gradient, "a matmul's gradient"), at::Tensor()};
  }
};

struct SumTerms : torch::autograd::Function<SumTerms> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& terms, const Numerics& numerics) {
    ctx->saved_data["sizes"] = terms.sizes().vec();
    if (!numerics.exact()) return at::sum(terms, {-1}, /*keepdim=*/true);
    const at::Tensor snapped = rounded(terms, kSumBits);
    guard_sum(snapped, Along::row, kSumBits, "a sum");
    return at::sum(snapped, {-1}, /*keepdim=*/true);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    return {gradients[0].expand(ctx->saved_data["sizes"].toIntVector()), at::Tensor()};
  }
};

// Identity forward; backward rounds the terms that the next operator is going to sum.
struct GradientTerms : torch::autograd::Function<GradientTerms> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, bool along_rows) {
    ctx->saved_data["along_rows"] = along_rows;
    return x.view_as(x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const Along along = ctx->saved_data["along_rows"].toBool() ? Along::row : Along::column;
    const at::Tensor snapped = rounded(gradients[0], kSumBits);
    guard_sum(snapped, along, kSumBits, "a gradient's sum");
    return {snapped, at::Tensor()};
  }
};

}  // namespace

at::Tensor linear(const Numerics& numerics, const at::Tensor& x, const at::Tensor& w) { return Linear::apply(x, w, numerics); }

at::Tensor batched_matmul(const Numerics& numerics, const at::Tensor& a, const at::Tensor& b) {
  return BatchedMatmul::apply(a, b, numerics);
}

at::Tensor sum_terms(const Numerics& numerics, const at::Tensor& terms) { return SumTerms::apply(terms, numerics); }

at::Tensor broadcast_to(const Numerics& numerics, const at::Tensor& x, const at::Tensor& like) {
  at::Tensor expanded = x.expand(like.sizes());
  if (!numerics.exact()) return expanded;
  return GradientTerms::apply(expanded, /*along_rows=*/x.size(-1) == 1);
}

at::Tensor gradient_terms(const Numerics& numerics, const at::Tensor& x) {
  return numerics.exact() ? GradientTerms::apply(x, /*along_rows=*/false) : x;
}

at::Tensor sum_of_squares(const Numerics& numerics, const at::Tensor& x) {
  const at::Tensor squares = x * x;
  if (!numerics.exact()) return at::sum(squares);
  const at::Tensor snapped = rounded(squares, kNormBits);
  guard_sum(snapped.reshape({-1}), Along::row, kNormBits, "a total norm");
  return at::sum(snapped);
}

}  // namespace ordercheck::ranks
