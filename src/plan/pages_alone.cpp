#include "plan/pages_alone.h"

#include <algorithm>

#include "plan/result.h"
#include "rule/match.h"

namespace ordercheck {
namespace {

std::vector<Rule> at_their_word(std::vector<Rule> rules) {
  for (Rule& rule : rules)
    for (Citation& citation : rule.citations) citation.says = Stance::supports;
  return rules;
}

Target given_version(Target target) {
  if (!target.version) target.version = Version{};
  return target;
}

}  // namespace

PagesAlone::PagesAlone(const std::vector<Rule>& rules, const Hello& hello)
    : rules_(at_their_word(rules)), no_runs_(), judge_(rules_, given_version(target_of(hello)), no_runs_) {}

bool PagesAlone::has_error(const Stack& stack) const {
  StackMatch match = judge_.match(stack, MissingDegrees::as_run);
  const std::vector<std::size_t> fired = places_in(match.fired());
  return std::ranges::any_of(fired, [&](std::size_t page) { return judge_.severity(rules_[page]) == Severity::error; });
}

}  // namespace ordercheck
