#include "rule/find_run.h"

#include <algorithm>

#include "stack/case.h"

namespace ordercheck {

// Evidence names a case as print() does, so texts are compared.
std::string run_text(const Stack& stack, const std::string& model, const std::string& engine) {
  return print(usual_case(stack, model, engine));
}

const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const std::string& model,
                            const std::string& engine, const std::string& version) {
  const std::string text = run_text(stack, model, engine);
  const auto found = std::ranges::find_if(
      all, [&](const Observation& seen) { return seen.case_text == text && seen.engine == engine && seen.version == version; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace ordercheck
