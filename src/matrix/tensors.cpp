#include "matrix/tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/file.h"
#include "record/verdict_of_runs.h"

namespace ordercheck {
namespace {

// std::max would drop a NaN.
double larger(double one, double other) { return std::isnan(one) || one > other ? one : other; }

Result<Divergence> measure(const TraceEntry& expected, const TraceEntry& got) {
  Divergence divergence{.step = got.step, .phase = got.phase, .module = got.module};
  auto a = read_values(expected.file), b = read_values(got.file);
  if (!a) return a.error();
  if (!b) return b.error();
  if (a->size() != b->size()) return Error{unlike_sizes(expected, a->size(), got, b->size())};
  divergence.elements = static_cast<std::int64_t>(a->size());
  for (std::size_t i = 0; i < a->size(); ++i) {
    divergence.owed_largest = larger(divergence.owed_largest, std::abs((*a)[i]));
    divergence.got_largest = larger(divergence.got_largest, std::abs((*b)[i]));
    if (bits_of((*a)[i]) == bits_of((*b)[i])) continue;
    ++divergence.differing;
    divergence.ulp = std::max(divergence.ulp, ulp_distance((*a)[i], (*b)[i]));
    divergence.apart = larger(divergence.apart, std::abs((*a)[i] - (*b)[i]));
  }
  return divergence;
}

Case until_difference(Case c, const Observation& seen) {
  if (seen.difference) c.settings.steps = std::min(c.settings.steps, seen.difference->step + 1);
  return c;
}

// If the first difference is a tensor, of which records have only the hash, adds its numbers to the message from the kept
// tensors.
Status tell_numbers(const Record& owed, const Record& got, Observation& seen) {
  if (!seen.difference) return Done{};
  const std::string& what = seen.difference->what;
  const bool gradient = what.starts_with("gradient of ");
  constexpr std::string_view kParameter = "parameter ";
  if (!gradient && !what.starts_with(kParameter)) return Done{};
  // A difference in a final parameter has the number of steps as its step; its trace entry has the last step's index.
  const auto apart = gradient ? divergence_of(what, seen.difference->step, owed, got)
                              : divergence_of(what.substr(kParameter.size()), seen.difference->step - 1, owed, got);
  if (!apart) return apart.error();
  if (*apart) seen.message += fmt::format("; {}, up to {:.3g} apart", magnitudes_of(**apart), (*apart)->apart);
  return Done{};
}

constexpr double kSameFactor = 1e-6;

// The factor that maps all of `owed` to `got`, by least squares. nullopt if `got` is no multiple, or if `owed` is all zeros.
std::optional<double> factor_between(const std::vector<double>& owed, const std::vector<double>& got) {
  double product = 0, square = 0, largest = 0, apart = 0;
  for (std::size_t i = 0; i < owed.size(); ++i) {
    product += owed[i] * got[i];
    square += owed[i] * owed[i];
    largest = std::max(largest, std::abs(got[i]));
  }
  if (!(square > 0) || !std::isfinite(product)) return std::nullopt;
  for (std::size_t i = 0; i < owed.size(); ++i) apart = std::max(apart, std::abs(got[i] - product / square * owed[i]));
  return apart <= kSameFactor * largest ? std::optional(product / square) : std::nullopt;
}

// "2" or "1/2"; nullopt for any other number.
std::optional<std::string> whole_in_words(double factor) {
  const auto is_whole = [](double x) { return x >= 2 - kSameFactor && std::abs(x - std::round(x)) <= kSameFactor * x; };
  if (is_whole(factor)) return fmt::format("{:.0f}", factor);
  if (factor > 0 && is_whole(1 / factor)) return fmt::format("1/{:.0f}", 1 / factor);
  return std::nullopt;
}

// If the run exceeded the range of exact arithmetic, its record has no numbers. The rerun that kept tensors has them, so take
// the first differing tensor from there.
void name_first_difference(const Record& owed, const Record& got, Observation& seen) {
  if (seen.ending != Ending::out_of_range) return;
  if (owed.ending != Ending::completed || got.ending != Ending::completed) return;
  seen.difference = first_difference(owed, got);
  if (seen.difference)
    seen.message += fmt::format("; what differs first is the {} of step {}", seen.difference->what, seen.difference->step);
}

}  // namespace

Result<std::string> common_factor(const Record& expected, const Record& got, int step) {
  std::optional<double> common;
  int differing = 0, all = 0;
  for (const TraceEntry& entry : expected.trace) {
    if (entry.step != step || entry.phase != Phase::backward || !entry.module.starts_with("gradient of ")) continue;
    const auto found = std::ranges::find_if(got.trace, [&](const TraceEntry& other) {
      return other.module == entry.module && other.step == step && other.shape == entry.shape;
    });
    if (found == got.trace.end()) return std::string();
    ++all;
    if (found->hash == entry.hash) continue;
    ++differing;
    const auto owed = read_values(entry.file), seen = read_values(found->file);
    if (!owed) return owed.error();
    if (!seen) return seen.error();
    if (owed->size() != seen->size()) return std::string();
    const auto factor = factor_between(*owed, *seen);
    if (!factor || (common && std::abs(*factor - *common) > kSameFactor * *common)) return std::string();
    common = factor;
  }
  const auto words = common ? whole_in_words(*common) : std::nullopt;
  if (!words) return std::string();
  const std::string of = differing == all ? fmt::format("all {}", all) : fmt::format("{} of {}", differing, all);
  return fmt::format("{} times the owed gradient in {} gradients of step {}: divided by another degree?", *words, of, step);
}

bool is_bitwise(const CaseResult& differing) {
  if (differing.planned.subject.settings.arithmetic == Arithmetic::exact) return !differing.in_compiler_code;
  return !differing.closeness || differing.closeness->beyond.empty();
}

const PendingRun& counterpart_of(const Layouts& layouts) {
  const bool one_rank_judges = is_held_against_one_rank(layouts.subject.subject(), layouts.subject.record());
  return one_rank_judges || !layouts.recommended ? layouts.reference : *layouts.recommended;
}

void ask_tensors(Trial& trial, const Observation& seen, Runs& runs) {
  const auto with_tensors = [&](const Case& c) { return runs.ask(until_difference(c, seen), Turn::first, Keep::values); };
  trial.tensors =
      Tensors{.owed = with_tensors(counterpart_of(trial.layouts).subject()), .got = with_tensors(trial.planned.subject)};
}

Status tell_tensors(const Trial& trial, CaseResult& differing) {
  const Record &owed = trial.tensors->owed.record(), &got = trial.tensors->got.record();
  auto divergence = first_divergence(owed, got);
  if (!divergence) return divergence.error();
  differing.divergence = *divergence;
  Observation& seen = differing.outcome.seen;
  if (const auto told = tell_numbers(owed, got, seen); !told) return told.error();
  name_first_difference(owed, got, seen);
  if (!seen.difference) return Done{};
  auto factor = common_factor(owed, got, seen.difference->step);
  if (!factor) return factor.error();
  differing.factor = *std::move(factor);
  return Done{};
}

Result<std::optional<Divergence>> divergence_of(const std::string& tensor, int step, const Record& expected,
                                                const Record& got) {
  const auto find = [&](const Record& record) {
    return std::ranges::find_if(record.trace, [&](const TraceEntry& e) { return e.module == tensor && e.step == step; });
  };
  const auto owed = find(expected), found = find(got);
  if (owed == expected.trace.end() || found == got.trace.end() || owed->shape != found->shape)
    return std::optional<Divergence>{};
  auto divergence = measure(*owed, *found);
  if (!divergence) return divergence.error();
  return std::optional<Divergence>(*divergence);
}

Result<std::optional<Divergence>> first_divergence(const Record& expected, const Record& got) {
  using Place = std::tuple<int, Phase, std::string>;
  std::map<Place, const TraceEntry*> there;
  for (const TraceEntry& entry : got.trace) there.emplace(Place{entry.step, entry.phase, entry.module}, &entry);
  for (const TraceEntry& entry : expected.trace) {
    const auto found = there.find(Place{entry.step, entry.phase, entry.module});
    if (found == there.end()) continue;
    if (found->second->shape != entry.shape) {
      return std::optional<Divergence>(Divergence{.step = entry.step,
                                                  .phase = entry.phase,
                                                  .module = entry.module,
                                                  .owed_shape = entry.shape,
                                                  .got_shape = found->second->shape});
    }
    if (found->second->hash == entry.hash) continue;
    auto divergence = measure(entry, *found->second);
    if (!divergence) return divergence.error();
    return std::optional<Divergence>(*divergence);
  }
  return std::optional<Divergence>{};
}

Result<std::vector<double>> read_values(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (bytes->size() % sizeof(double) != 0)
    return Error{fmt::format("{} holds {} bytes, which is no whole number of float64", path, bytes->size())};
  std::vector<double> values(bytes->size() / sizeof(double));
  // memcpy must not get the null pointer of an empty vector.
  if (!values.empty()) std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

std::string unlike_sizes(const TraceEntry& expected, std::size_t owed, const TraceEntry& got, std::size_t seen) {
  return fmt::format("{} holds {} numbers and {} holds {}; both are {} of step {}", expected.file, owed, got.file, seen,
                     got.module, got.step);
}

}  // namespace ordercheck
