#include "native/transform/gradient_buckets.h"

#include <functional>
#include <stdexcept>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "native/transform/on_gradient.h"
#include "native/world/collectives.h"
#include "native/world/current_module.h"

namespace ordercheck::ranks {
namespace {

// Returns the leaf's local gradient, or zeros if a hook on the leaf removed it: the Reducer also zeroes that part of its
// bucket.
at::Tensor own_gradient(const at::Tensor& leaf) { return leaf.grad().defined() ? leaf.grad() : at::zeros_like(leaf.detach()); }

}  // namespace

std::shared_ptr<GradientBuckets> GradientBuckets::bind(std::vector<ParameterPtr> parameters, const BucketOptions& options) {
  std::shared_ptr<GradientBuckets> buckets(new GradientBuckets);
  buckets->options_ = options;
  for (ParameterPtr& parameter : parameters) {
    if (parameter->tensor.requires_grad())
      buckets->members_.push_back({.parameter = std::move(parameter), .accumulates = {}, .reduced = {}});
    else
      buckets->frozen_.push_back(std::move(parameter));
  }
  if (buckets->members_.empty())
    throw std::runtime_error(
        "DistributedDataParallel is not needed when a module doesn't have any parameters that require a gradient");
  buckets->fill_buckets();
  for (std::size_t b = 0; b < buckets->buckets_.size(); ++b) {
    for (const std::size_t m : buckets->buckets_[b].members) {
      Member& member = buckets->members_[m];
      member.accumulates = behind_accumulation(member.parameter->tensor, [alive = std::weak_ptr(buckets), b, m] {
        if (const auto self = alive.lock()) self->gradient_arrived(b, m);
      });
    }
  }
  return buckets;
}

void GradientBuckets::fill_buckets() {
  std::int64_t left = 0;
  for (std::size_t m = members_.size(); m-- > 0;) {
    const auto bytes = static_cast<std::int64_t>(members_[m].parameter->tensor.nbytes());
    if (buckets_.empty() || bytes > left) {
      left = buckets_.empty() ? std::min(options_.first_bytes, options_.bytes) : options_.bytes;
      buckets_.emplace_back();
    }
    buckets_.back().members.push_back(m);
    left -= bytes;
  }
}

void GradientBuckets::broadcast_values() {
  for (const Bucket& bucket : buckets_) {
    std::vector<ParameterPtr> parameters;
    for (const std::size_t m : bucket.members) parameters.push_back(members_[m].parameter);
    overwrite(parameters);
  }
  if (!frozen_.empty()) overwrite(frozen_);
}

void GradientBuckets::overwrite(const std::vector<ParameterPtr>& parameters) const {
  const at::AutoGradMode no_grad(false);
  std::vector<at::Tensor> flat;
  for (const ParameterPtr& parameter : parameters) flat.push_back(parameter->tensor.detach().reshape({-1}));
  const at::Tensor values = broadcast(at::cat(flat), /*source=*/0, options_.axis);
  int64_t offset = 0;
  for (const ParameterPtr& parameter : parameters) {
    at::Tensor own = parameter->tensor.detach();
    own.copy_(values.narrow(0, offset, own.numel()).view(own.sizes()));
    offset += own.numel();
  }
}

void GradientBuckets::prepare(bool synchronize) {
  if (arrived_ > 0 && arrived_ < members_.size()) {
    throw std::runtime_error(
        fmt::format("Expected to have finished reduction in the prior iteration before starting a new one: {} of {} "
                    "parameters got a gradient, {} of {} buckets were sent",
                    arrived_, members_.size(), next_, buckets_.size()));
  }
  synchronize_ = synchronize;
  next_ = arrived_ = 0;
  for (Bucket& bucket : buckets_) bucket.pending = bucket.members.size();
  for (Member& member : members_) {
    member.ready = false;
    at::Tensor& gradient = member.parameter->tensor.mutable_grad();
    // If .grad is the sum that an earlier backward all-reduced, reset it: this backward must not all-reduce that part again,
    // and reduce() adds `reduced` to the new sum. Any other .grad is local (no_sync) and stays, to be reduced now.
    if (!gradient.defined())
      member.reduced.reset();
    else if (gradient.is_same(member.reduced))
      gradient.reset();
  }
}

void GradientBuckets::gradient_arrived(std::size_t bucket, std::size_t member) {
  if (!synchronize_) return;
  if (std::exchange(members_[member].ready, true)) {
    throw std::runtime_error(fmt::format(
        "Expected to mark a variable ready only once: the gradient of parameter {} of {} came twice in one backward. "
        "Reused parameters in multiple reentrant backward passes do that",
        member, members_.size()));
  }
  ++arrived_;
  --buckets_[bucket].pending;
  while (next_ < buckets_.size() && buckets_[next_].pending == 0) reduce(buckets_[next_++]);
}

void GradientBuckets::reduce(const Bucket& bucket) {
  const BlameScope blame("root");
  const at::AutoGradMode no_grad(false);
  std::vector<at::Tensor> flat;
  for (const std::size_t m : bucket.members) flat.push_back(own_gradient(members_[m].parameter->tensor).reshape({-1}));
  const at::Tensor sums = all_reduce(at::cat(flat), options_.axis);
  int64_t offset = 0;
  for (const std::size_t m : bucket.members) {
    Member& member = members_[m];
    const at::Tensor& leaf = member.parameter->tensor;
    const at::Tensor sum = sums.narrow(0, offset, leaf.numel()).view(leaf.sizes());
    member.reduced = member.reduced.defined() ? member.reduced + sum : sum.clone();
    leaf.mutable_grad() = member.reduced;
    offset += leaf.numel();
  }
}

}  // namespace ordercheck::ranks
