#include "check/backend_runs.h"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "stack/backend.h"

namespace ordercheck {
namespace {

bool is_decided(Verdict verdict) { return verdict != Verdict::unrun && verdict != Verdict::unstable; }

// A case that does not hold the word is not read: there are thousands.
bool says(const Observation& seen, std::string_view word) { return seen.case_text.find(word) != std::string::npos; }

bool ran_under_it(const Observation& seen) {
  if (!says(seen, kUsualBackend)) return false;
  const Result<Case> ran = parse_case(seen.case_text);
  return ran && names_usual_backend(ran->stack);
}

}  // namespace

std::optional<Case> under_usual_backend(Case c) {
  if (std::ranges::none_of(c.stack.items, leaves_backend_open)) return std::nullopt;
  c.stack = under_usual_backend(std::move(c.stack));
  return c;
}

void prefer_usual_backend(std::vector<Observation>& observations) {
  if (std::ranges::none_of(observations, ran_under_it)) return;
  // What ran under it stays as it is below, so its place is enough.
  std::map<std::string, std::size_t> by_text;
  for (std::size_t i = 0; i < observations.size(); ++i) by_text.emplace(observations[i].case_text, i);
  for (Observation& seen : observations) {
    if (!says(seen, "compile")) continue;
    const Result<Case> ran = parse_case(seen.case_text);
    const auto usual = ran ? under_usual_backend(*ran) : std::nullopt;
    if (!usual) continue;
    const auto found = by_text.find(print(*usual));
    const Observation* there = found == by_text.end() ? nullptr : &observations[found->second];
    if (there == nullptr || !is_decided(there->verdict)) {
      seen.backend = fmt::format("run without {}'s code generation only", kUsualBackend);
    } else if (seen.verdict == Verdict::ignored && shows_parity(there->verdict)) {
      // An effect that is lost without it is lost with it: the code that it writes hides products from the counters.
      seen.backend = fmt::format("counted without {}'s code generation, which hides it", kUsualBackend);
    } else if (there->verdict == seen.verdict) {
      seen.backend = fmt::format("the same with {}'s code generation and without it", kUsualBackend);
    } else {
      std::string case_text = std::move(seen.case_text);
      const Verdict open = seen.verdict;
      seen = *there;
      seen.case_text = std::move(case_text);
      seen.backend = fmt::format("with {}'s code generation; without it {}", kUsualBackend, name_of(open));
    }
  }
}

}  // namespace ordercheck
