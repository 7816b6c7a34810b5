#include "trial/variants.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "parity/difference.h"
#include "parity/finite.h"
#include "parity/judge.h"
#include "parity/wording.h"

namespace ordercheck {
namespace {

constexpr int kOtherGrid = 18;

bool replicas_agree(const Record& record) {
  return std::ranges::all_of(record.parameters, &ParameterRecord::replicas_agree) &&
         std::ranges::all_of(record.buffers, [](const BufferRecord& b) { return b.local || b.replicas_agree; });
}

// Nothing can differ from what did not complete, or from what is not finite.
bool differ(const Record& expected, const Record& got) {
  return expected.ending == Ending::completed && !first_not_finite(expected) && first_difference(expected, got);
}

// Held against what the case itself is held against, in the judge's order, but without asking by how much.
Result<bool> is_there(const Layouts& layouts) {
  const Case& variant = layouts.subject.subject();
  const Record &got = layouts.subject.record(), &reference = layouts.reference.record();
  if (left_numbers_alone(reference, got)) return true;
  if (got.ending != Ending::completed) return false;
  if (!replicas_agree(got)) return true;
  if (is_held_against_one_rank(variant, got)) return differ(reference, got);
  if (layouts.near) {
    const auto closeness = closeness_of(*layouts.near, got);
    if (!closeness) return closeness.error();
    if (!closeness->beyond.empty()) return true;
  }
  return layouts.recommended && differ(layouts.recommended->record(), got);
}

std::string name_of_variant(const Case& c, const Case& variant) {
  return c.settings.seed != variant.settings.seed ? fmt::format("with seed {}", variant.settings.seed)
                                                  : fmt::format("on the grid 2^-{}", variant.settings.grid);
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

void ask_variants(Trial& trial, const Recommend& recommend, Runs& runs) {
  for (const Case& c : variants_of(trial.planned.subject)) {
    Layouts layouts = ask_layouts(c, recommend, runs);
    if (is_held_against_noise_floor(c)) layouts.near = ask_closeness(c, runs);
    trial.variants.push_back({.where = name_of_variant(trial.planned.subject, c), .layouts = std::move(layouts)});
  }
}

void ask_variants_of_compiler_code(Trial& trial, Runs& runs) {
  const Case own = compiler_code_of(trial.planned.subject);
  for (const Case& c : variants_of(own)) {
    const auto with_tensors = [&](const Case& one) { return runs.ask(one, Turn::first, Keep::values); };
    trial.variants.push_back({.where = name_of_variant(own, c),
                              .layouts = {.subject = with_tensors(c),
                                          .reference = with_tensors(reference_of(c)),
                                          .recommended = {},
                                          .near = ask_closeness(c, runs)}});
  }
}

Result<Verdict> persists(const Trial& trial, std::string& how) {
  std::vector<std::string> seen;
  for (const Variant& variant : trial.variants) {
    const Record& got = variant.layouts.subject.record();
    if (says_nothing(got.ending)) {
      how = fmt::format("{} it could not be run: {}", variant.where, ending_in_words(got));
      return Verdict::unrun;
    }
    const auto there = is_there(variant.layouts);
    if (!there) return there.error();
    if (!*there) {
      how = got.ending == Ending::completed ? "not there " + variant.where
                                            : fmt::format("{} it does not differ, it {}", variant.where, name_of(got.ending));
      return Verdict::unstable;
    }
    seen.push_back("also " + variant.where);
  }
  how = join(seen, ", ");
  return Verdict::differs;
}

}  // namespace ordercheck
