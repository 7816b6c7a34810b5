#include "rule/observation.h"

#include <algorithm>

#include "stack/case.h"

namespace ordercheck {

// Evidence names a case as print() does, so texts are compared.
bool is_run_of(const Observation& seen, const Stack& stack, const std::string& model) {
  return seen.case_text == print(usual_case(stack, model, seen.engine));
}

const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const std::string& model,
                            const std::string& engine, const std::string& version) {
  const auto found = std::ranges::find_if(all, [&](const Observation& seen) {
    return seen.engine == engine && seen.version == version && is_run_of(seen, stack, model);
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace ordercheck
