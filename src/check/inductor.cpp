#include "check/inductor.h"

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

void let_inductor_decide(std::vector<Observation>& observations) {
  std::map<std::string, Observation> by_text;
  for (const Observation& seen : observations) by_text.emplace(seen.case_text, seen);
  for (Observation& seen : observations) {
    const Result<Case> ran = parse_case(seen.case_text);
    const auto inductor = ran ? under_inductor(*ran) : std::nullopt;
    if (!inductor) continue;
    const auto found = by_text.find(print(*inductor));
    if (found == by_text.end() || !is_decided(found->second.verdict)) {
      seen.backend = "a stand-in for inductor ran it; inductor did not";
    } else if (found->second.verdict == seen.verdict) {
      seen.backend = "so under inductor as with its stand-in";
    } else {
      const Observation stand_in = seen;
      seen = found->second;
      seen.case_text = stand_in.case_text;
      seen.backend = fmt::format("under inductor; with its stand-in {}", name_of(stand_in.verdict));
    }
  }
}

}  // namespace ordercheck
