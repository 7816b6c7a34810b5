// The random state of a rank: a stream of seeds for each name, and each draw takes the next. torch's generator has one stream, and
// so a stage of a pipeline would draw what the first layers of a whole model do; here a module has its own. That a state must be
// put back before a forward is run again is the same.
//
// A seed belongs to a sample, whichever rank and microbatch has it: with the position and the feature it decides what dropout
// drops, so that every layout drops the same.
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
  // At the start of a microbatch's forward: every stream from its first seed, for these samples.
  void restart(std::uint64_t seed, std::vector<std::int64_t> samples);

  // The stream's next seed of each sample.
  std::vector<std::int64_t> draw(const std::string& stream);

 private:
  std::uint64_t seed_ = 0;
  std::vector<std::int64_t> samples_;
  std::map<std::string, std::uint64_t> drawn_;
};

// From this thread's rank: [samples] int64. An operator, ordercheck::draw_seeds, so that a captured computation draws whenever it is
// run. Throws outside a rank.
at::Tensor draw_seeds(const std::string& stream);

// The state of this thread's rank; none outside a rank.
std::optional<RandomState> random_state_now();

// The rank's random state as it was at another time, for a scope's lifetime; nothing without one.
class RandomScope {
 public:
  explicit RandomScope(const std::optional<RandomState>& then);
  ~RandomScope();
  RandomScope(const RandomScope&) = delete;

 private:
  std::optional<RandomState> before_;
};

}  // namespace ordercheck::ranks
