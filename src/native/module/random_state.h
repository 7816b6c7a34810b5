// Provides a rank's random state for dropout: a stream of seeds per module path. torch's generator has one stream for all
// modules, so a pipeline stage would draw the numbers that a full model's first layers draw. As in torch, recomputing a forward
// requires restoring the state.
//
// A seed belongs to a sample, on any rank and microbatch. With position and feature it decides what dropout drops, so that
// every layout drops the same elements.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

class RandomState {
 public:
  // Restarts every module's stream, for a microbatch of these samples. Call it when a microbatch's forward starts.
  void restart(std::uint64_t seed, std::vector<std::int64_t> samples);

  // Returns the next seed of the module path `stream` for each sample.
  std::vector<std::int64_t> draw(const std::string& stream);

 private:
  std::uint64_t seed_ = 0;
  std::vector<std::int64_t> samples_;
  std::map<std::string, std::uint64_t> drawn_;
};

// Draws one seed per sample, [samples] int64, from the random state of this thread's rank. It is an operator,
// ordercheck::draw_seeds, so that a captured graph draws again at each run. Throws outside a rank.
at::Tensor draw_seeds(const std::string& stream);

// Returns the state of this thread's rank; nullopt outside a rank.
std::optional<RandomState> random_state_now();

// During its lifetime, the rank draws from the state `then`; its own state comes back after. Does nothing for nullopt.
class RandomScope {
 public:
  explicit RandomScope(const std::optional<RandomState>& then);
  ~RandomScope();
  RandomScope(const RandomScope&) = delete;

 private:
  std::optional<RandomState> before_;
};

}  // namespace ordercheck::ranks
