#include "native/train/launched_case.h"

#include <algorithm>
#include <optional>

#include "record/finite.h"
#include "record/persistence.h"
#include "record/verdict_of_runs.h"

namespace ordercheck::ranks {
namespace {

// True if the numbers differ from the single-rank reference, by the comparison that verdicts use.
bool differs_from_one_rank(const Record& reference, const Record& got) {
  if (left_numbers_alone(reference, got)) return true;
  return got.ending == Ending::completed && (!replicas_agree(got) || differ(reference, got));
}

}  // namespace

const Record& LaunchedCases::first(const Case& c) {
  const auto known = records_.find(print(c));
  return known != records_.end() ? known->second : records_.emplace(print(c), run_(c)).first->second;
}

Observation LaunchedCases::observe(const Case& c) {
  Comparison seen{.subject = c, .first = first(c), .again = {}, .reference = {}, .recommended = {}, .twins = {}};
  if (table_.engine.empty())
    table_ = {.engine = seen.first.engine,
              .versions = seen.first.versions,
              .device = seen.first.device,
              .arithmetic = name_of(c.settings.arithmetic)};
  if (seen.first.ending == Ending::completed) {
    seen.again = run_(c);
    if (seen.again->ending == Ending::completed) {
      ++repeated_.twice;
      const bool alike = digest(seen.first) == digest(*seen.again);
      repeated_.alike += alike;
      if (!alike && repeated_.first_unlike.empty()) repeated_.first_unlike = print(c);
    }
  }
  // Skip the comparison runs if the first run's ending (such as `killed`) shows nothing about the stack of transforms.
  if (!says_nothing(seen.first.ending)) {
    seen.reference = first(reference_of(c));
    for (std::size_t item = 0; item < c.stack.items.size(); ++item) {
      const Record& twin = first(without_item(c, item));
      seen.twins.push_back(twin.ending == Ending::completed ? std::optional(twin) : std::nullopt);
    }
  }
  Observation observed = judge(seen);
  if (observed.verdict == Verdict::differs) look_again(c, observed);
  table_.rows.push_back(observed);
  return observed;
}

void LaunchedCases::look_again(const Case& c, Observation& seen) {
  std::vector<SeenVariant> variants;
  for (const Case& variant : variants_of(c)) {
    const Record& got = first(variant);
    const bool there = !says_nothing(got.ending) && differs_from_one_rank(first(reference_of(variant)), got);
    variants.push_back({.where = name_of_variant(c, variant), .got = &got, .there = there});
  }
  std::string how;
  const Verdict verdict = persists(variants, how);
  if (verdict == Verdict::differs) return;
  seen.verdict = verdict;
  seen.message += "; " + how;
}

EvidenceTable LaunchedCases::table() const {
  EvidenceTable table = table_;
  std::ranges::sort(table.rows, {}, &Observation::case_text);
  Control repeated{.name = kRepeatedRuns, .held = false, .evidence = "none of the cases completed", .judged = false};
  if (repeated_.twice > 0)
    repeated = {
        .name = kRepeatedRuns, .held = repeated_.alike == repeated_.twice, .evidence = repeated_runs_in_words(repeated_)};
  table.controls = {repeated};
  return table;
}

}  // namespace ordercheck::ranks
