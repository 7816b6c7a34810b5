#include "native/transform/ring_attention.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <ATen/SDPBackend.h>
#include <torch/csrc/autograd/custom_function.h>

#include "native/arith/stock_operators.h"
#include "native/world/collectives.h"
#include "native/world/current_module.h"

namespace ordercheck::ranks {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int kTag = 0;

// Attention of grouped heads: query heads that share a key/value head become rows of one product, [batch, kv_heads, shared *
// queries, head_dim]. The gradients of keys and values are then one contraction each, without a separate sum.
struct Heads {
  int64_t batch, heads, kv_heads, queries, dim;
  Heads(const at::Tensor& q, const at::Tensor& k)
      : batch(q.size(0)), heads(q.size(1)), kv_heads(k.size(1)), queries(q.size(2)), dim(q.size(3)) {}
  at::Tensor as_rows(const at::Tensor& q) const { return q.reshape({batch, kv_heads, heads / kv_heads * queries, q.size(3)}); }
  at::Tensor as_heads(const at::Tensor& rows) const { return rows.reshape({batch, heads, queries, rows.size(3)}); }
};

// One step of the ring: sends `held` to the next rank and returns what the previous one sent. A send blocks until its receiver
// takes it, so one rank receives first to avoid a deadlock.
at::Tensor passed_on(const at::Tensor& held, const std::string& axis) {
  const int ranks = group_size(axis), rank = group_rank(axis);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  const auto take = [&] { return recv(held.sizes(), held.options(), before, kTag, axis); };
  if (rank == 0) {
    at::Tensor taken = take();
    send(held, next, kTag, axis);
    return taken;
  }
  send(held, next, kTag, axis);
  return take();
}

// Calls `visit(piece, owner)` for every rank's piece, starting with this rank's.
template <class Visit>
void around(at::Tensor piece, const std::string& axis, const Visit& visit) {
  const int ranks = group_size(axis), rank = group_rank(axis);
  for (int step = 0; step < ranks; ++step) {
    visit(piece, (rank + ranks - step) % ranks);
    if (step + 1 < ranks) piece = passed_on(piece, axis);
  }
}

// Returns the columns of the scores that belong to the keys of rank `owner`.
at::Tensor columns_of(const at::Tensor& scores, int owner, int64_t keys) { return scores.narrow(-1, owner * keys, keys); }

at::Tensor scores_of(const at::Tensor& rows, const at::Tensor& k, const Heads& heads, double scale, const std::string& axis,
                     SequenceOrder order) {
  std::vector<at::Tensor> pieces(group_size(axis));
  around(k, axis, [&](const at::Tensor& keys, int owner) {
    const at::Tensor scores = heads.as_heads(at::matmul(rows, keys.transpose(-1, -2)) * scale);
    const at::Tensor seen = causal_mask(heads.queries, keys.size(2), axis, owner, order);
    pieces[owner] = scores.masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity());
  });
  return at::cat(pieces, -1);
}

struct RingAttention : torch::autograd::Function<RingAttention> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            double scale, const std::string& axis, SequenceOrder order) {
    const Heads heads(q, k);
    const at::Tensor weights = at::softmax(scores_of(heads.as_rows(q), k, heads, scale, axis, order), -1);
    const at::Tensor rows = heads.as_rows(weights);
    at::Tensor out;
    around(v, axis, [&](const at::Tensor& values, int owner) {
      const at::Tensor part = at::matmul(columns_of(rows, owner, values.size(2)), values);
      out = out.defined() ? out + part : part;
    });
    context->save_for_backward({q, k, v, weights});
    context->saved_data["scale"] = scale;
    context->saved_data["axis"] = axis;
    context->saved_data["module"] = blamed_module(this_rank());
    return heads.as_heads(out);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const BlameScope blame(context->saved_data["module"].toStringRef());
    const std::string axis = context->saved_data["axis"].toStringRef();
    const auto saved = context->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2], &weights = saved[3];
    const Heads heads(q, k);
    const at::Tensor rows = heads.as_rows(q), weight_rows = heads.as_rows(weights), to_out = heads.as_rows(gradients[0]);

    std::vector<at::Tensor> to_weights(group_size(axis));
    around(v, axis,
           [&](const at::Tensor& values, int owner) { to_weights[owner] = at::matmul(to_out, values.transpose(-1, -2)); });
    const at::Tensor to_scores =
        heads.as_rows(at::_softmax_backward_data(heads.as_heads(at::cat(to_weights, -1)), weights, -1, weights.scalar_type()) *
                      context->saved_data["scale"].toDouble());

    at::Tensor to_q;
    around(k, axis, [&](const at::Tensor& keys, int owner) {
      const at::Tensor part = at::matmul(columns_of(to_scores, owner, keys.size(2)), keys);
      to_q = to_q.defined() ? to_q + part : part;
    });
    return {heads.as_heads(to_q),
            gathered_home(to_scores, rows, k.size(2), axis),
            gathered_home(weight_rows, to_out, v.size(2), axis),
            at::Tensor(),
            at::Tensor(),
            at::Tensor()};
  }

  // Returns the gradient of this rank's keys or values. The sum starts on the next rank and goes round the ring; each rank adds
  // columns^T times its rows; it ends on this rank.
  static at::Tensor gathered_home(const at::Tensor& columns, const at::Tensor& rows, int64_t keys, const std::string& axis) {
    const int ranks = group_size(axis), rank = group_rank(axis);
    at::Tensor sum;
    for (int step = 0; step < ranks; ++step) {
      const int owner = (rank + 2 * ranks - 1 - step) % ranks;
      const at::Tensor part = at::matmul(columns_of(columns, owner, keys).transpose(-1, -2), rows);
      sum = step == 0 ? part : passed_on(sum, axis) + part;
    }
    return sum;
  }
};

// True if LibTorch composes this attention from products and a softmax because no fused kernel fits: float64 on GPUs. It then
// scales queries and keys by the root of the scale and repeats shared heads; the CPU kernel scales the product. A rank's
// numbers must equal unsplit attention on the same device.
bool is_composed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  const StockOperators not_of_the_model;
  const int64_t taken = at::_fused_sdp_choice(q, k, v, {}, 0.0, /*is_causal=*/true, std::nullopt, /*enable_gqa=*/true);
  return static_cast<at::SDPBackend>(taken) == at::SDPBackend::math;
}

}  // namespace

at::Tensor ring_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const std::string& axis,
                          SequenceOrder order) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(3)));
  if (!is_composed(q, k, v)) return RingAttention::apply(q, k, v, scale, axis, order);
  const double root = std::sqrt(scale);
  const auto shared = [&](const at::Tensor& x) { return at::repeat_interleave(x, q.size(1) / x.size(1), 1); };
  return RingAttention::apply(q * root, shared(k) * root, shared(v), 1.0, axis, order);
}

}  // namespace ordercheck::ranks
