#include "record/persistence.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "record/difference.h"
#include "record/finite.h"
#include "record/verdict.h"

namespace ordercheck {
namespace {

constexpr int kCoarserBits = 2;

}  // namespace

std::vector<Case> variants_of(const Case& c) {
  Case seed = c;
  seed.settings.seed = c.settings.seed + 1;
  if (c.settings.arithmetic != Arithmetic::exact) return {seed};
  Case grid = c;
  grid.settings.grid -= kCoarserBits;
  return {seed, grid};
}

std::string name_of_variant(const Case& c, const Case& variant) {
  return c.settings.seed != variant.settings.seed ? fmt::format("with seed {}", variant.settings.seed)
                                                  : fmt::format("on the grid 2^-{}", variant.settings.grid);
}

bool replicas_agree(const Record& record) {
  return std::ranges::all_of(record.parameters, &ParameterRecord::replicas_agree) &&
         std::ranges::all_of(record.buffers, [](const BufferRecord& b) { return b.local || b.replicas_agree; });
}

// False if the reference is incomplete or not finite: then there is nothing to compare with.
bool differ(const Record& reference, const Record& got) {
  return reference.ending == Ending::completed && !first_not_finite(reference) && first_difference(reference, got);
}

Verdict persists(const std::vector<SeenVariant>& variants, std::string& how) {
  std::vector<std::string> seen;
  for (const SeenVariant& variant : variants) {
    const Record& got = *variant.got;
    if (says_nothing(got.ending)) {
      how = fmt::format("{} it could not be run: {}", variant.where, ending_in_words(got));
      return Verdict::unrun;
    }
    if (!variant.there) {
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
