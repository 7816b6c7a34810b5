#include "matrix/closeness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "matrix/tensors.h"
#include "record/difference.h"

namespace ordercheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The numbers of microbatches of the single-rank runs for the noise floor.
constexpr std::array kSplits{1, 4, 16};

double finite(double error) { return std::isfinite(error) ? error : kInfinity; }

// The distance of a loss or norm, which every rank has: that of the farthest rank.
Away away_of(Measured kind, int step, const std::vector<Bits64>& expected, const std::vector<Bits64>& got) {
  Away away{.kind = kind, .step = step, .absent = expected.empty() || got.empty()};
  if (away.absent) return away;
  const double owed = value_of(expected.front());
  away.size = std::abs(owed);
  for (const Bits64& one : got) away.error = std::max(away.error, finite(std::abs(value_of(one) - owed)));
  return away;
}

class TensorIndex {
 public:
  explicit TensorIndex(const Record& record) {
    for (const TraceEntry& entry : record.trace) entries_[{entry.step, entry.phase, entry.module}] = &entry;
  }
  const TraceEntry* find(int step, Phase phase, const std::string& what) const {
    const auto found = entries_.find({step, phase, what});
    return found == entries_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::tuple<int, Phase, std::string>, const TraceEntry*> entries_;
};

Result<Away> away_of(Away away, const TraceEntry* expected, const TraceEntry* got) {
  away.absent = !expected || !got || expected->shape != got->shape;
  if (away.absent) return away;
  const auto owed = read_values(expected->file), seen = read_values(got->file);
  if (!owed) return owed.error();
  if (!seen) return seen.error();
  if (owed->size() != seen->size()) return Error{unlike_sizes(*expected, owed->size(), *got, seen->size())};
  double error = 0, size = 0;
  for (std::size_t i = 0; i < owed->size(); ++i) {
    error += ((*seen)[i] - (*owed)[i]) * ((*seen)[i] - (*owed)[i]);
    size += (*owed)[i] * (*owed)[i];
  }
  away.error = finite(std::sqrt(error));
  away.size = std::sqrt(size);
  return away;
}

// "the float64 single-rank run failed (build): the message"
std::string did_not_complete(const char* which, const Record& record) {
  const auto& failure = record.failure;
  return fmt::format("the {} {}{}", which, name_of(record.ending),
                     failure ? fmt::format(" in {}: {}", name_of(failure->phase), failure->message) : "");
}

}  // namespace

std::vector<Case> floor_runs_of(const Case& c) {
  std::vector<Case> runs;
  for (const int split : kSplits) {
    runs.push_back(reference_of(c));
    runs.back().settings.accumulation = split;
  }
  return runs;
}

ClosenessRuns ask_closeness(const Case& c, Runs& runs) {
  const auto with_tensors = [&](const Case& one) { return runs.ask(one, Turn::first, Keep::values); };
  ClosenessRuns asked{.float64 = with_tensors(float64_of(c)), .floor = {}, .kept = with_tensors(c)};
  for (const Case& run : floor_runs_of(c)) asked.floor.push_back(with_tensors(run));
  return asked;
}

Result<Closeness> closeness_of(const ClosenessRuns& runs, const Record& first) {
  const Record& float64 = runs.float64.record();
  if (float64.ending != Ending::completed) return Closeness{.no_floor = did_not_complete("float64 single-rank run", float64)};
  std::vector<Distances> rounded;
  for (const PendingRun& run : runs.floor) {
    if (!run.completed()) return Closeness{.no_floor = did_not_complete("single-rank run for the noise floor", run.record())};
    auto distances = distances_between(float64, run.record());
    if (!distances) return distances.error();
    rounded.push_back(*std::move(distances));
  }
  const Record& kept = runs.kept.record();
  if (kept.ending != Ending::completed) return Closeness{.no_floor = did_not_complete("run that keeps its tensors", kept)};
  // A run that is not reproducible cannot be compared by distance.
  if (const auto difference = first_difference(first, kept))
    return Closeness{.no_floor = fmt::format("the run that keeps its tensors has another {} in step {}", difference->what,
                                             difference->step)};
  const auto distances = distances_between(float64, kept);
  if (!distances) return distances.error();
  return held_against_floor(*distances, noise_floor(rounded));
}

Result<Distances> distances_between(const Record& float64, const Record& got) {
  const TensorIndex expected(float64), seen(got);
  Distances distances;
  const auto add = [&](Away place, Phase phase, const std::string& what) -> Status {
    const int step = place.step;
    auto away = away_of(std::move(place), expected.find(step, phase, what), seen.find(step, phase, what));
    if (!away) return away.error();
    distances.push_back(*std::move(away));
    return Done{};
  };
  const int steps = static_cast<int>(float64.steps.size());
  for (int step = 0; step < steps; ++step) {
    const StepRecord& owed = float64.steps[static_cast<std::size_t>(step)];
    const StepRecord none,
        &there = static_cast<std::size_t>(step) < got.steps.size() ? got.steps[static_cast<std::size_t>(step)] : none;
    distances.push_back(away_of(Measured::loss, step, owed.loss, there.loss));
    for (const ParameterRecord& p : float64.parameters)
      if (auto status =
              add({.kind = Measured::gradient, .name = p.name, .step = step}, Phase::backward, "gradient of " + p.name);
          !status)
        return status.error();
    distances.push_back(away_of(Measured::gradient_norm, step, owed.gradient_norm, there.gradient_norm));
  }
  for (const ParameterRecord& p : float64.parameters)
    if (auto status = add({.kind = Measured::parameter, .name = p.name, .step = steps - 1}, Phase::optimizer, p.name); !status)
      return status.error();
  return distances;
}

}  // namespace ordercheck
