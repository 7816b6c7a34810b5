#include "matrix/comparison.h"

#include "matrix/closeness.h"

namespace ordercheck {
namespace {

// One an item, or none at all.
std::vector<Case> twins_of(const Case& c) {
  std::vector<Case> twins;
  if (!c.apply.empty()) return twins;
  for (std::size_t i = 0; i < c.stack.items.size(); ++i) twins.push_back(without_item(c, i));
  return twins;
}

}  // namespace

std::optional<Case> recommended_of(const Case& c, const Recommend& recommend) {
  if (!c.apply.empty()) return std::nullopt;
  auto order = recommend ? recommend(c.stack) : std::nullopt;
  if (!order || *order == c.stack) return std::nullopt;
  Case recommended = c;
  recommended.stack = std::move(*order);
  return recommended;
}

void want_first_runs(Batch& batch, const Case& c, const Recommend& recommend) {
  batch.want(c);
  batch.want(reference_of(c));
  if (auto recommended = recommended_of(c, recommend)) batch.want(*recommended);
  for (const Case& twin : twins_of(c)) batch.want(twin);
}

void want_again(Batch& batch, const Case& c) {
  batch.want(c, 1);
  if (is_held_against_noise_floor(c)) want_closeness(batch, c);
}

Result<Comparison> comparison_of(const Batch& batch, const Case& c, const Recommend& recommend) {
  Comparison comparison{.subject = c,
                        .first = batch.record(c),
                        .again = {},
                        .reference = batch.record(reference_of(c)),
                        .recommended = {},
                        .twins = {}};
  if (comparison.first.ending == Ending::completed) {
    comparison.again = batch.record(c, 1);
    if (is_held_against_noise_floor(c)) {
      auto closeness = closeness_of(batch, c);
      if (!closeness) return closeness.error();
      comparison.closeness = *std::move(closeness);
    }
  }
  if (auto recommended = recommended_of(c, recommend)) comparison.recommended = batch.record(*recommended);
  for (const Case& without : twins_of(c)) {
    const Record& twin = batch.record(without);
    comparison.twins.push_back(twin.ending == Ending::completed ? std::optional(twin) : std::nullopt);
  }
  return comparison;
}

}  // namespace ordercheck
