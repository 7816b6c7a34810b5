#include "check/inductor.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace ordercheck {
namespace {

constexpr const char* kCompilingEngine = "pytorch";  // the engine that has backends

bool is_decided(Verdict verdict) { return verdict != Verdict::unrun && verdict != Verdict::unstable; }

}  // namespace

std::optional<Case> under_inductor(Case c) {
  if (c.engine != kCompilingEngine) return std::nullopt;
  bool any = false;
  for (Item& item : c.stack.items) {
    if (item.name != "compile" || !item.mode.empty()) continue;
    item.mode = "inductor";
    any = true;
  }
  return any ? std::optional(std::move(c)) : std::nullopt;
}

bool runs_inductor(const Case& c) {
  return std::ranges::any_of(c.stack.items, [](const Item& item) { return item.name == "compile" && item.mode == "inductor"; });
}

void let_inductor_decide(std::vector<Observation>& observations) {
  // What inductor itself ran stays as it is below, so its place is enough.
  std::map<std::string, std::size_t> by_text;
  for (std::size_t i = 0; i < observations.size(); ++i) by_text.emplace(observations[i].case_text, i);
  for (Observation& seen : observations) {
    if (seen.case_text.find("compile") == std::string::npos) continue;
    const Result<Case> ran = parse_case(seen.case_text);
    const auto inductor = ran ? under_inductor(*ran) : std::nullopt;
    if (!inductor) continue;
    const auto found = by_text.find(print(*inductor));
    const Observation* there = found == by_text.end() ? nullptr : &observations[found->second];
    if (there == nullptr || !is_decided(there->verdict)) {
      seen.backend = "run without inductor's code generation only";
    } else if (there->verdict == seen.verdict) {
      seen.backend = "the same with inductor's code generation and without it";
    } else {
      std::string case_text = std::move(seen.case_text);
      const Verdict stand_in = seen.verdict;
      seen = *there;
      seen.case_text = std::move(case_text);
      seen.backend = fmt::format("with inductor's code generation; without it {}", name_of(stand_in));
    }
  }
}

}  // namespace ordercheck
