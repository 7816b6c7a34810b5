#include "rule/find_run.h"

#include <algorithm>

namespace ordercheck {

Case case_of(const Stack& stack, const Witness& witness, const std::string& engine) {
  Case c = usual_case(stack, witness.model, engine);
  if (witness.accumulation) c.settings.accumulation = *witness.accumulation;
  return c;
}

const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const Witness& witness,
                            const std::string& engine, const std::string& version, const std::optional<std::string>& on) {
  const std::string text = print(case_of(stack, witness, engine));  // evidence names a case so
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Observation& seen) {
    return seen.case_text == text && seen.engine == engine && seen.version == version && (!on || seen.on == *on);
  });
  return found == all.rend() ? nullptr : &*found;
}

}  // namespace ordercheck
