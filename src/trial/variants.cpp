#include "trial/variants.h"

#include "parity/finite.h"
#include "parity/judge.h"
#include "parity/persistence.h"

namespace ordercheck {
namespace {

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

}  // namespace

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
  std::vector<SeenVariant> seen;
  for (const Variant& variant : trial.variants) {
    const Record& got = variant.layouts.subject.record();
    const auto there = says_nothing(got.ending) ? Result<bool>(false) : is_there(variant.layouts);
    if (!there) return there.error();
    seen.push_back({.where = variant.where, .got = &got, .there = *there});
  }
  return persists(seen, how);
}

}  // namespace ordercheck
