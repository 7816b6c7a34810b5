// Exact attention: two exact products with a softmax between them. The scale is applied after the first product. Shared
// key/value heads (GQA) are repeated, and their gradients summed.
#include <cmath>
#include <limits>

#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ops/expand_native.h>
#include <ATen/ops/transpose_native.h>
#include <ATen/ops/view_native.h>

#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/narrow_products.h"
#include "native/arith/snap.h"
#include "native/arith/softmax.h"
#include "native/arith/steps.h"
#include "native/arith/sum_terms.h"
#include "native/arith/wide_vectors.h"

namespace ordercheck::ranks {
namespace {

using at::Tensor;
using Mask = std::optional<Tensor>;

constexpr const char* kForward = "aten::_scaled_dot_product_flash_attention_for_cpu";
constexpr const char* kBackward = "aten::_scaled_dot_product_flash_attention_for_cpu_backward";

struct Shape {
  int64_t batch, heads, kv_heads, queries, keys, dim;
  explicit Shape(const Tensor& q, const Tensor& k)
      : batch(q.size(0)), heads(q.size(1)), kv_heads(k.size(1)), queries(q.size(2)), keys(k.size(2)), dim(q.size(3)) {}
  int64_t repeats() const { return heads / kv_heads; }
};

Tensor transposed(const Tensor& x) { return at::native::transpose(x, -1, -2); }

// Rounds queries, keys or values, [batch, heads, rows, dim] of any strides, to the grid of operands. Returns [batch * heads,
// rows, dim].
Tensor operand(const Tensor& x) {
  return at::native::view(snapped(in_rows(x), exact_grid()), {x.size(0) * x.size(1), x.size(2), x.size(3)});
}

// The same for keys and values with fewer heads, [batch, kv_heads, rows, dim]: repeats each head for the query heads that share
// it.
Tensor repeated_operand(const Tensor& x, int64_t repeats) {
  const Tensor rounded = snapped(in_rows(x), exact_grid());
  const int64_t heads = x.size(0) * x.size(1), head = x.size(2) * x.size(3);
  if (repeats == 1) return at::native::view(rounded, {heads, x.size(2), x.size(3)});
  Tensor out = at::detail::empty_cpu({heads * repeats, x.size(2), x.size(3)}, x.options());
  const double* from = rounded.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  for (int64_t i = 0; i < heads * repeats; ++i) std::copy_n(from + i / repeats * head, head, to + i * head);
  return out;
}

Tensor product(const Tensor& a, const Tensor& b, const char* op) {
  Tensor made = product_on_grid(a, b);
  note_product(a, b, product_bits(), op);
  return made;
}

ORDERCHECK_WIDE_VECTORS
void multiply(double* x, int64_t count, double by) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) x[i] = x[i] * by;
}

ORDERCHECK_WIDE_VECTORS
void divide_rows(double* x, const double* by, int64_t rows, int64_t length) {
  for (int64_t row = 0; row < rows; ++row, x += length) {
    const double divisor = by[row];
#pragma omp simd
    for (int64_t i = 0; i < length; ++i) x[i] = x[i] / divisor;
  }
}

void scale_in_place(Tensor& x, double by) { multiply(x.mutable_data_ptr<double>(), x.numel(), by); }

void snap_in_place(Tensor& x) {
  double* const data = x.mutable_data_ptr<double>();
  snap(data, data, x.numel(), exact_grid());
}

// Returns the attention weights: each exponential divided by the sum of its row.
Tensor weights_of(const SeenExponentials& rows) {
  Tensor weights = rows.values;
  divide_rows(weights.mutable_data_ptr<double>(), rows.sum.const_data_ptr<double>(), rows.sum.numel(), weights.size(-1));
  return weights;
}

// Returns the scores with the attention mask applied: a numeric mask is added, a bool mask sets scores to -inf where it is
// false. `scores` is [batch * heads, queries, keys].
Tensor masked(const Tensor& scores, const Tensor& mask, const Shape& shape) {
  const Tensor all = at::native::view(scores, {shape.batch, shape.heads, shape.queries, shape.keys});
  if (mask.scalar_type() != at::kBool) return at::native::view(in_rows(steps::add(all, mask)), scores.sizes());
  const Tensor seen = in_rows(at::native::expand(mask, all.sizes(), /*implicit=*/false));
  Tensor out = at::detail::empty_cpu(scores.sizes(), scores.options());
  const bool* is_seen = seen.const_data_ptr<bool>();
  const double* from = scores.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  const int64_t count = out.numel();
  for (int64_t i = 0; i < count; ++i) to[i] = is_seen[i] ? from[i] : -std::numeric_limits<double>::infinity();
  return out;
}

// Returns the scaled and masked scores, [batch * heads, queries, keys].
Tensor scores_of(const Tensor& q, const Tensor& k, const Shape& shape, bool is_causal, const Mask& mask, double scale,
                 const char* op) {
  Tensor scores = product(q, transposed(k), op);
  scale_in_place(scores, scale);
  if (mask && mask->defined()) scores = masked(scores, *mask, shape);
  if (!is_causal) return scores;
  double* const of = scores.mutable_data_ptr<double>();
  for (int64_t row = 0; row < shape.batch * shape.heads * shape.queries; ++row) {
    const int64_t seen = std::min(row % shape.queries + 1, shape.keys);
    std::fill(of + row * shape.keys + seen, of + (row + 1) * shape.keys, -std::numeric_limits<double>::infinity());
  }
  return scores;
}

double scale_of(std::optional<double> scale, const Shape& shape) {
  return scale.value_or(1.0 / std::sqrt(static_cast<double>(shape.dim)));
}

// Returns the attention output with the strides that the stock kernel gives it, those of the queries. Views and compiled
// programs rely on them. All other results have the layout [batch, rows, heads, ...]: see laid_out().
Tensor laid_out_as(const Tensor& q, const Tensor& out) { return steps::put_in(steps::room_for(q), out); }

// Returns a contiguous [batch, heads, rows, ...] tensor in the stock kernel's memory layout [batch, rows, heads, ...].
Tensor laid_out(const Tensor& x) {
  const Tensor by_rows = at::native::transpose(x, 1, 2);
  if (by_rows.is_contiguous()) return x;
  Tensor out = at::detail::empty_cpu(by_rows.sizes(), x.options());
  const int64_t batch = x.size(0), heads = x.size(1), rows = x.size(2), width = x.stride(2);
  const double* const from = x.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  for (int64_t i = 0; i < batch; ++i) {
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t head = 0; head < heads; ++head) {
        const double* const of_head = from + ((i * heads + head) * rows + row) * width;
        for (int64_t j = 0; j < width; ++j) *to++ = of_head[j];
      }
    }
  }
  return at::native::transpose(out, 1, 2);
}

bool attends_exactly(const char* op, const Tensor& q, const Tensor& k, double dropout) {
  if (!takes_exact_path(op, q, k)) return false;
  if (dropout != 0) refuse_exact(op, "with dropout");
  return true;
}

std::tuple<Tensor, Tensor> attention(const Tensor& q, const Tensor& k, const Tensor& v, double dropout, bool is_causal,
                                     const Mask& mask, std::optional<double> scale) {
  if (!attends_exactly(kForward, q, k, dropout))
    return at::cpu::_scaled_dot_product_flash_attention_for_cpu(q, k, v, dropout, is_causal, mask, scale);
  const Shape shape(q, k);
  const Tensor scores =
      scores_of(operand(q), repeated_operand(k, shape.repeats()), shape, is_causal, mask, scale_of(scale, shape), kForward);
  const SeenExponentials rows = seen_exponentials(scores, kForward);
  Tensor weights = weights_of(rows);
  snap_in_place(weights);
  const Tensor out = product(weights, repeated_operand(v, shape.repeats()), kForward);
  const Tensor log_sum = steps::add(rows.largest, at::cpu::log(rows.sum));
  return {laid_out_as(q, at::native::view(out, {shape.batch, shape.heads, shape.queries, v.size(3)})),
          laid_out(at::native::view(log_sum, {shape.batch, shape.heads, shape.queries}))};
}

std::tuple<Tensor, Tensor, Tensor> attention_backward(const Tensor& gradient, const Tensor& q, const Tensor& k, const Tensor& v,
                                                      const Tensor& out, const Tensor& log_sum, double dropout, bool is_causal,
                                                      const Mask& mask, std::optional<double> scale) {
  if (!attends_exactly(kBackward, q, k, dropout))
    return at::cpu::_scaled_dot_product_flash_attention_for_cpu_backward(gradient, q, k, v, out, log_sum, dropout, is_causal,
                                                                         mask, scale);
  const Shape shape(q, k);
  const Tensor queries = operand(q), keys = repeated_operand(k, shape.repeats()), values = repeated_operand(v, shape.repeats());
  const double by = scale_of(scale, shape);
  Tensor weights = weights_of(seen_exponentials(scores_of(queries, keys, shape, is_causal, mask, by, kBackward), kBackward));

  const Tensor to_out = operand(gradient);
  const Tensor to_weights = product(to_out, transposed(values), kBackward);
  Tensor to_scores = softmax_gradient(to_weights, weights, -1, kBackward);
  scale_in_place(to_scores, by);
  snap_in_place(to_scores);
  const auto heads_of = [&](const Tensor& x, int64_t rows_of_head) {
    return at::native::view(x, {shape.batch, shape.heads, rows_of_head, x.size(2)});
  };
  // Gradient of a key/value head: the sum over the query heads that share it. Products of rounded operands already lie on the
  // product grid. Do not round to a coarser grid: a rank may have only a part of the sum, and parts would round separately.
  const auto shared = [&](const Tensor& x) {
    if (shape.repeats() == 1) return heads_of(x, shape.keys);
    return sum_terms(at::native::view(x, {shape.batch, shape.kv_heads, shape.repeats(), shape.keys, x.size(2)}), Term::itself,
                     product_bits(), at::IntArrayRef(2), /*keepdim=*/false, kBackward);
  };
  const Tensor to_queries = laid_out(heads_of(product(to_scores, keys, kBackward), shape.queries));
  const Tensor to_keys = laid_out(shared(product(transposed(to_scores), queries, kBackward)));
  snap_in_place(weights);
  return {to_queries, to_keys, laid_out(shared(product(transposed(weights), to_out, kBackward)))};
}

}  // namespace

void add_attention(KernelSet& kernels) {
  kernels.add("_scaled_dot_product_flash_attention_for_cpu", TORCH_FN(attention));
  kernels.add("_scaled_dot_product_flash_attention_for_cpu_backward", TORCH_FN(attention_backward));
}

}  // namespace ordercheck::ranks
