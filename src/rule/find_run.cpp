#include "rule/find_run.h"

#include <algorithm>

namespace ordercheck {

Case case_of(const Stack& stack, const Witness& witness, const std::string& engine) {
  Case c = usual_case(stack, witness.model, engine);
  if (witness.accumulation) c.settings.accumulation = *witness.accumulation;
  return c;
}

const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const Witness& witness,
                            const std::string& engine, const std::string& version) {
  const std::string text = print(case_of(stack, witness, engine));  // evidence names a case so
  const auto found = std::ranges::find_if(
      all, [&](const Observation& seen) { return seen.case_text == text && seen.engine == engine && seen.version == version; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace ordercheck
