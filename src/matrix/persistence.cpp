#include "matrix/persistence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "matrix/closeness.h"
#include "matrix/values.h"
#include "parity/finite.h"

namespace ordercheck {
namespace {

constexpr int kOtherGrid = 18;

bool replicas_agree(const Record& record) { return std::ranges::all_of(record.parameters, &ParameterRecord::replicas_agree); }

// Nothing can differ from what did not complete, or from what is not finite.
bool differ(const Record& expected, const Record& got) {
  return expected.ending == Ending::completed && !first_not_finite(expected) && first_difference(expected, got);
}

// Whether a variant of a differing case differs too.
Result<bool> is_there(const Batch& batch, const Case& variant, const Recommend& recommend) {
  const Record &got = batch.record(variant), &reference = batch.record(reference_of(variant));
  if (left_numbers_alone(reference, got)) return true;
  if (got.ending != Ending::completed) return false;
  if (!replicas_agree(got)) return true;
  if (is_held_against_one_rank(variant, got)) return differ(reference, got);
  if (is_held_against_noise_floor(variant)) {
    const auto closeness = closeness_of(batch, variant);
    if (!closeness) return closeness.error();
    if (!closeness->beyond.empty()) return true;
  }
  const auto recommended = recommended_of(variant, recommend);
  return recommended && differ(batch.record(*recommended), got);
}

std::string name_of_variant(const Case& c, const Case& variant) {
  return c.settings.seed != variant.settings.seed ? fmt::format("with seed {}", variant.settings.seed)
                                                  : fmt::format("on the grid 2^-{}", variant.settings.grid);
}

// NaN is larger than any number, and stays.
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

}  // namespace

std::vector<Case> variants_of(const Case& c) {
  Case seed = c;
  seed.settings.seed = c.settings.seed + 1;
  if (c.settings.arithmetic != Arithmetic::exact) return {seed};
  Case grid = c;
  grid.settings.grid = kOtherGrid;
  return {seed, grid};
}

void want_variants(Batch& batch, const Case& c, const Recommend& recommend) {
  for (const Case& variant : variants_of(c)) {
    batch.want(variant);
    batch.want(reference_of(variant));
    if (auto recommended = recommended_of(variant, recommend)) batch.want(*recommended);
    if (is_held_against_noise_floor(variant)) want_closeness(batch, variant);
  }
}

Result<bool> persists(const Batch& batch, const Case& c, const Recommend& recommend, std::string& how) {
  std::vector<std::string> seen;
  for (const Case& variant : variants_of(c)) {
    const Record& got = batch.record(variant);
    const std::string where = name_of_variant(c, variant);
    const auto there = is_there(batch, variant, recommend);
    if (!there) return there.error();
    if (!*there) {
      how = got.ending == Ending::completed ? "not there " + where
                                            : fmt::format("{} it does not differ, it {}", where, name_of(got.ending));
      return false;
    }
    seen.push_back("also " + where);
  }
  how = join(seen, ", ");
  return true;
}

bool is_bitwise(const Judgement& differing) { return !differing.closeness || differing.closeness->beyond.empty(); }

Case counterpart_of(const Batch& batch, const Case& c, const Recommend& recommend) {
  const Record& got = batch.record(c);
  const Case reference = reference_of(c);
  if (is_held_against_one_rank(c, got)) return reference;
  return recommended_of(c, recommend).value_or(reference);
}

void want_tensors(Batch& batch, const Case& c, const Case& counterpart) {
  batch.want(c, 0, Keep::values);
  batch.want(counterpart, 0, Keep::values);
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

}  // namespace ordercheck
