#include "native/module/random_state.h"

#include <algorithm>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "native/module/rank.h"
#include "stack/counter_random.h"

namespace ordercheck::ranks {
namespace {

// The device argument selects the result's device. It also drives dispatch, because the operator takes no tensor.
at::Tensor draw_seeds_kernel(const std::string& stream, at::Device device) {
  RankState* rank = find_rank();
  TORCH_CHECK(rank, "random numbers were drawn outside a rank");
  const std::vector<std::int64_t> seeds = rank->random.draw(stream);
  at::Tensor drawn = at::empty({static_cast<std::int64_t>(seeds.size())}, at::kLong);
  std::ranges::copy(seeds, drawn.mutable_data_ptr<std::int64_t>());
  return drawn.to(device);
}

TORCH_LIBRARY_FRAGMENT(ordercheck, library) { library.def("draw_seeds(str stream, Device device) -> Tensor"); }
TORCH_LIBRARY_IMPL(ordercheck, CompositeExplicitAutograd, library) { library.impl("draw_seeds", draw_seeds_kernel); }

}  // namespace

void RandomState::restart(std::uint64_t seed, std::vector<std::int64_t> samples) {
  seed_ = seed;
  samples_ = std::move(samples);
  drawn_.clear();
}

std::vector<std::int64_t> RandomState::draw(const std::string& stream) {
  const std::uint64_t count = drawn_[stream]++;
  std::vector<std::int64_t> seeds;
  for (const std::int64_t sample : samples_)
    seeds.push_back(static_cast<std::int64_t>(ordercheck::draw(seed_, sample, key(stream), count)));
  return seeds;
}

at::Tensor draw_seeds(const std::string& stream) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("ordercheck::draw_seeds", "")
                             .typed<at::Tensor(const std::string&, at::Device)>();
  return op.call(stream, device_now());
}

std::optional<RandomState> random_state_now() {
  const RankState* rank = find_rank();
  return rank ? std::optional(rank->random) : std::nullopt;
}

RandomScope::RandomScope(const std::optional<RandomState>& then) {
  if (!then) return;
  before_ = random_state_now();
  this_rank().random = *then;
}

RandomScope::~RandomScope() {
  if (before_) this_rank().random = std::move(*before_);
}

}  // namespace ordercheck::ranks
