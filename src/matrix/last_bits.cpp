#include "matrix/last_bits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "matrix/tensors.h"
#include "record/verdict_of_runs.h"

namespace ordercheck {
namespace {

constexpr double kFarthest = std::numeric_limits<double>::infinity();

// An operand's last bit is 2^-20. A partial sum that is rounded as an operand differs by a few of them, and may be small.
constexpr double kRounding = 0x1p-13;
constexpr double kRoundingOfSmall = 0x1p-6;  // if the difference is at most one grid unit

// Rounding of sums grows 16 and 256 times on the two grids, that of operands 4 and 16 times. Sums of few roundings vary, so
// require less. A bug below the grid affects fewer elements on a coarser grid but has the same total, so compare totals.
constexpr std::array kGrows{2.0, 8.0};
constexpr int kCoarserBits = 2;

using Place = std::tuple<int, Phase, std::string>;

Place place_of(const Apart& one) { return {one.step, one.phase, one.what}; }

// Adds the distance of two elements. A NaN or infinity counts as infinitely far apart.
void add(Apart& apart, double owed, double got) {
  if (bits_of(owed) == bits_of(got)) return;
  const double distance = std::isfinite(owed - got) ? std::abs(owed - got) : kFarthest;
  apart.total += distance;
  apart.largest = std::max(apart.largest, distance);
}

void add_size(Apart& apart, double value) { apart.size = std::max(apart.size, std::isfinite(value) ? std::abs(value) : 0.0); }

Apart numbers_apart(const char* what, int step, Phase phase, const std::vector<Bits64>& owed, const std::vector<Bits64>& got) {
  Apart apart{.what = what, .step = step, .phase = phase};
  if (owed.empty() != got.empty()) apart.total = apart.largest = kFarthest;
  if (owed.empty()) return apart;
  for (std::size_t rank = 0; rank < got.size(); ++rank) {
    const double of_owed = value_of(owed[owed.size() == got.size() ? rank : 0]), of_got = value_of(got[rank]);
    add(apart, of_owed, of_got);
    add_size(apart, of_owed);
    add_size(apart, of_got);
  }
  return apart;
}

Result<Apart> tensors_apart(const TraceEntry& owed, const TraceEntry& got) {
  Apart apart{.what = got.module, .step = got.step, .phase = got.phase};
  if (owed.shape != got.shape) {
    apart.total = apart.largest = kFarthest;
    return apart;
  }
  const auto a = read_values(owed.file), b = read_values(got.file);
  if (!a) return a.error();
  if (!b) return b.error();
  if (a->size() != b->size()) return Error{unlike_sizes(owed, a->size(), got, b->size())};
  for (std::size_t i = 0; i < a->size(); ++i) {
    add(apart, (*a)[i], (*b)[i]);
    add_size(apart, (*a)[i]);
    add_size(apart, (*b)[i]);
  }
  return apart;
}

const Apart* find(const std::vector<Apart>& places, const Place& place) {
  const auto found = std::ranges::find_if(places, [&](const Apart& one) { return place_of(one) == place; });
  return found == places.end() ? nullptr : &*found;
}

std::vector<Case> coarser_cases(Case c) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < kGrows.size(); ++i) {
    c.settings.grid -= kCoarserBits;
    cases.push_back(c);
  }
  return cases;
}

bool is_small(const Divergence& d) { return d.apart <= kRounding * std::max(d.owed_largest, d.got_largest); }

// A ':' marks user code (pkg:name). The engines' own models contain no function of a parameter.
bool is_of_users_code(const Case& c) { return !c.apply.empty() || c.model.find(':') != std::string::npos; }

// Computes the verdict with coarse factors (Run::coarse_factors), where no product rounds, so that a difference by rounding
// vanishes. If the runs are then equal, replaces the verdict of `seen` but keeps its digest.
Result<bool> judge_with_coarse_factors(const Trial& trial, Observation& seen) {
  auto comparison = comparison_of(trial);
  if (!comparison) return comparison.error();
  comparison->first = trial.coarse_factors->got.record();
  comparison->again = comparison->first;
  comparison->reference = trial.coarse_factors->owed.record();
  Observation exact = judge(*comparison);
  if (exact.verdict == Verdict::differs || exact.verdict == Verdict::unstable) return false;
  exact.digest = seen.digest;
  exact.message +=
      "; with derivatives of functions of parameters as whole numbers, where no product rounds: as they are, the two are "
      "apart by rounding, which moves with the grid";
  seen = std::move(exact);
  return true;
}

bool both_completed(const Tensors& tensors) { return tensors.owed.completed() && tensors.got.completed(); }

}  // namespace

Result<std::vector<Apart>> places_apart(const Record& owed, const Record& got) {
  std::vector<Apart> places;
  std::map<Place, const TraceEntry*> there;
  for (const TraceEntry& entry : got.trace) there.emplace(Place{entry.step, entry.phase, entry.module}, &entry);
  for (const TraceEntry& entry : owed.trace) {
    const auto found = there.find(Place{entry.step, entry.phase, entry.module});
    if (entry.phase == Phase::optimizer || found == there.end() || found->second->hash == entry.hash) continue;
    auto apart = tensors_apart(entry, *found->second);
    if (!apart) return apart.error();
    places.push_back(*std::move(apart));
  }
  for (std::size_t step = 0; step < std::min(owed.steps.size(), got.steps.size()); ++step) {
    const auto number = static_cast<int>(step);
    for (Apart& apart : std::array{numbers_apart("loss", number, Phase::forward, owed.steps[step].loss, got.steps[step].loss),
                                   numbers_apart("gradient norm", number, Phase::backward, owed.steps[step].gradient_norm,
                                                 got.steps[step].gradient_norm)})
      if (apart.total > 0) places.push_back(apart);
  }
  return places;
}

bool are_last_bits(const std::vector<Apart>& places, const Difference& difference, int grid) {
  const bool measured =
      std::ranges::any_of(places, [&](const Apart& one) { return one.what == difference.what && one.step == difference.step; });
  const double unit = std::ldexp(1.0, -grid);
  return measured && std::ranges::all_of(places, [&](const Apart& one) {
           return one.largest <= kRounding * one.size || (one.largest <= unit && one.largest <= kRoundingOfSmall * one.size);
         });
}

std::optional<std::string> place_that_stays(const std::vector<Apart>& places, const std::vector<std::vector<Apart>>& coarser) {
  for (const Apart& one : places) {
    for (std::size_t i = 0; i < coarser.size(); ++i) {
      const Apart* there = find(coarser[i], place_of(one));
      // A place that is missing on a coarser grid does not count: a real difference exists on all of them.
      if (there && there->total < kGrows.at(i) * one.total) return one.what;
    }
  }
  return std::nullopt;
}

Result<bool> ask_coarser(Trial& trial, const CaseResult& differing, Runs& runs) {
  const Case& c = trial.planned.subject;
  const std::optional<Difference>& difference = differing.outcome.seen.difference;
  if (c.settings.arithmetic != Arithmetic::exact || !difference || !trial.tensors || !both_completed(*trial.tensors))
    return false;
  if (differing.divergence && !is_small(*differing.divergence)) return false;
  if (c.settings.grid <= kCoarserBits * static_cast<int>(kGrows.size())) return false;
  const auto places = places_apart(trial.tensors->owed.record(), trial.tensors->got.record());
  if (!places) return places.error();
  if (!are_last_bits(*places, *difference, c.settings.grid)) return false;
  const auto owed = coarser_cases(trial.tensors->owed.subject()), got = coarser_cases(trial.tensors->got.subject());
  for (std::size_t i = 0; i < owed.size(); ++i)
    trial.coarser.push_back(
        {.owed = runs.ask(owed[i], Turn::first, Keep::values), .got = runs.ask(got[i], Turn::first, Keep::values)});
  if (is_of_users_code(c)) {
    const auto with_coarse_factors = [&](const Case& one) { return runs.ask(one, Turn::first, Keep::hashes, true); };
    trial.coarse_factors =
        Tensors{.owed = with_coarse_factors(counterpart_of(trial.layouts).subject()), .got = with_coarse_factors(c)};
  }
  return true;
}

Status judge_last_bits(const Trial& trial, Observation& seen) {
  if (!std::ranges::all_of(trial.coarser, both_completed)) return Done{};
  const auto places = places_apart(trial.tensors->owed.record(), trial.tensors->got.record());
  if (!places) return places.error();
  std::vector<std::vector<Apart>> coarser;
  for (const Tensors& tensors : trial.coarser) {
    auto on_grid = places_apart(tensors.owed.record(), tensors.got.record());
    if (!on_grid) return on_grid.error();
    coarser.push_back(*std::move(on_grid));
  }
  if (const auto stays = place_that_stays(*places, coarser)) {
    seen.message += fmt::format("; it is no rounding: on coarser grids {} is no further apart", *stays);
    return Done{};
  }
  if (trial.coarse_factors && both_completed(*trial.coarse_factors)) {
    auto judged = judge_with_coarse_factors(trial, seen);
    if (!judged) return judged.error();
    if (*judged) return Done{};
  }
  const Apart& first = places->front();
  std::string distances = fmt::format("{:.1e} apart on the grid 2^-{}", first.largest, trial.planned.subject.settings.grid);
  for (std::size_t i = 0; i < coarser.size(); ++i) {
    const Apart* there = find(coarser[i], place_of(first));
    distances += fmt::format(", {:.1e} on 2^-{}", there ? there->largest : 0.0, trial.coarser[i].got.subject().settings.grid);
  }
  seen.verdict = Verdict::unstable;
  seen.message += fmt::format("; it moves with the grid, as rounding does: {} is {}", first.what, distances);
  return Done{};
}

}  // namespace ordercheck
