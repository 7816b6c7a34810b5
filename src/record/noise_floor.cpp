#include "record/noise_floor.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace ordercheck {
namespace {

constexpr std::array kKinds{Measured::loss, Measured::gradient, Measured::gradient_norm, Measured::parameter};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnitRoundoff = 0x1p-24;  // of float32

bool is_of_step(const Away& away) { return away.kind != Measured::parameter; }

// The distance of all gradients of a step, or of all parameters, as if they were one tensor.
class Noise {
 public:
  explicit Noise(const Distances& run) {
    for (const Away& away : run) {
      const bool tensor = away.kind == Measured::gradient || away.kind == Measured::parameter;
      if (!tensor || !std::isfinite(away.error)) continue;  // has no finite noise; reported by name as a difference
      auto& [error, size] = squares_[key_of(away)];
      error += away.error * away.error;
      size += away.size * away.size;
    }
  }
  double around(const Away& away) const {
    const auto found = squares_.find(key_of(away));
    if (found == squares_.end() || found->second.second == 0) return 0;
    return std::sqrt(found->second.first / found->second.second);
  }

 private:
  static std::pair<bool, int> key_of(const Away& away) { return {is_of_step(away), away.step}; }
  std::map<std::pair<bool, int>, std::pair<double, double>> squares_;
};

double least_floor(const Away& away) { return away.kind == Measured::parameter || away.step > 0 ? kAfterAStep : kUnitRoundoff; }

bool lists_the_same(const Distances& a, const Distances& b) {
  return std::ranges::equal(
      a, b, [](const Away& x, const Away& y) { return x.kind == y.kind && x.name == y.name && x.step == y.step; });
}

// Small numbers with an exponent, others without: 0.5, not 5.0e-01.
std::string number(double value) {
  return value != 0 && std::abs(value) < 0.001 ? fmt::format("{:.1e}", value) : fmt::format("{:.2g}", value);
}

}  // namespace

const char* name_of(Measured kind) {
  switch (kind) {
    case Measured::loss: return "loss";
    case Measured::gradient: return "gradient";
    case Measured::gradient_norm: return "gradient norm";
    case Measured::parameter: return "parameter";
  }
  assert(false && "what is measured has a name");
  return "";
}

double distance_of(const Away& away) {
  if (away.absent) return kInfinity;
  if (away.error == 0) return 0;
  return away.size == 0 || !std::isfinite(away.error) ? kInfinity : away.error / away.size;
}

std::string place_of(const Away& away) {
  switch (away.kind) {
    case Measured::gradient: return fmt::format("gradient of {} in step {}", away.name, away.step);
    case Measured::parameter: return fmt::format("{} after the last step", away.name);
    default: return fmt::format("{} of step {}", name_of(away.kind), away.step);
  }
}

double times_floor(const Held& held) { return held.floor == 0 ? 0 : distance_of(held.away) / held.floor; }

std::vector<double> noise_floor(const std::vector<Distances>& runs) {
  std::vector<double> floor;
  for (const Distances& run : runs) {
    if (!lists_the_same(run, runs.front())) return {};
    floor.resize(run.size(), 0);
    const Noise noise(run);
    for (std::size_t i = 0; i < run.size(); ++i)
      floor[i] = std::max({floor[i], least_floor(run[i]), distance_of(run[i]), noise.around(run[i])});
  }
  return floor;
}

const Held& worst_of(const std::vector<Held>& beyond) {
  assert(!beyond.empty());
  const auto first = std::ranges::min(beyond, {}, [](const Held& held) { return held.away.step; }).away.step;
  const Held* worst = nullptr;
  const auto rank = [](const Held& held) { return std::pair(held.away.kind == Measured::gradient, times_floor(held)); };
  for (const Held& held : beyond)
    if (held.away.step == first && (!worst || rank(held) > rank(*worst))) worst = &held;
  return *worst;
}

Closeness held_against_floor(const Distances& subject, const std::vector<double>& floor) {
  if (floor.empty() || floor.size() != subject.size())
    return {.no_floor = "the single-rank runs do not list the tensors of this one"};
  Closeness closeness;
  std::set<std::string> gradients;
  for (std::size_t i = 0; i < subject.size(); ++i) {
    if (subject[i].kind == Measured::gradient) gradients.insert(subject[i].name);
    if (!std::isfinite(floor[i]))
      return {.no_floor =
                  fmt::format("the {} of the single-rank reference is not a number in this dtype", place_of(subject[i]))};
    const Held held{.away = subject[i], .floor = floor[i]};
    if (times_floor(held) > kFarBeyond) closeness.beyond.push_back(held);
  }
  closeness.gradients = static_cast<int>(gradients.size());
  for (const Measured kind : kKinds) {
    std::optional<Held> farthest;
    for (std::size_t i = 0; i < subject.size(); ++i) {
      const Held held{.away = subject[i], .floor = floor[i]};
      if (held.away.kind == kind && (!farthest || times_floor(held) > times_floor(*farthest))) farthest = held;
    }
    if (farthest) closeness.farthest.push_back(*farthest);
  }
  return closeness;
}

std::string describe(const Held& held) {
  const double distance = distance_of(held.away);
  if (held.away.absent) return fmt::format("{} is not there, or of another shape", place_of(held.away));
  if (!std::isfinite(held.away.error))
    return fmt::format("{} is not a number; rounding explains {} of a float64 single-rank run", place_of(held.away),
                       number(held.floor));
  if (!std::isfinite(distance))
    return fmt::format("{} is {} where a float64 single-rank run has zeros", place_of(held.away), number(held.away.error));
  return fmt::format("{} is {} from a float64 single-rank run; rounding explains {}", place_of(held.away), number(distance),
                     number(held.floor));
}

std::string farthest_in_words(const Closeness& closeness) {
  double times = 0;
  for (const Held& held : closeness.farthest) times = std::max(times, times_floor(held));
  return fmt::format("at most {:.1f} times the noise floor away", times);
}

std::string describe_what_is_close() {
  return fmt::format("every number is within {} times its noise floor of a float64 single-rank run", kFarBeyond);
}

}  // namespace ordercheck
