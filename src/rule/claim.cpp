#include "rule/claim.h"

#include <cassert>

#include <fmt/format.h>

#include "stack/notation.h"

namespace ordercheck {

std::string unmarked(const std::string& text) { return text; }

std::string claim_of(const Rule& rule, const Marking& mark) {
  const std::string one = mark(print(rule.one)), other = mark(print(rule.other));
  switch (rule.kind) {
    case RuleKind::order:
      return fmt::format("{} applied before {}", one, other) +
             (rule.between.any_of.empty() ? "" : ", with " + mark(print(rule.between)) + " between");
    case RuleKind::clash: return fmt::format("{} together with {}", one, other);
    case RuleKind::needs: return fmt::format("{} without {}", one, other);
    case RuleKind::fits: return one.empty() ? "the mesh" : one;
    case RuleKind::effect: return other.empty() ? one : fmt::format("{} where {} is", one, other);
    case RuleKind::commutes: return fmt::format("nothing: {} and {} may change places", one, other);
  }
  assert(false && "a rule is of six kinds");
  return "";
}

std::string expectation_in_words(const Expectation& expected, const Marking& mark) {
  const std::string where = expected.stack ? " on " + mark(print(*expected.stack)) : "";
  std::string text =
      fmt::format("{} {} shows {}{}", expected.engine, print(expected.version), name_of(expected.verdict), where);
  if (expected.phase) text += fmt::format(" in {}", name_of(*expected.phase));
  if (!expected.message.empty()) text += ", " + mark(expected.message);
  if (!expected.operation.empty()) text += fmt::format(", {} on {}", mark(expected.operation), expected.group);
  if (expected.verdict == Verdict::ignored)
    text += fmt::format(", {} {}", mark(print(expected.loses)),
                        expected.loses_part ? "with only a part of its effect" : "without effect");
  if (expected.move != Move::none) text += fmt::format(", {} {}", name_of(expected.move), mark(expected.counter));
  if (!expected.because.empty()) text += ": " + expected.because;
  return text;
}

std::string because(const Rule& rule, const Grade& grade) {
  const std::string cited = rule.citations.empty() ? "" : " " + cited_briefly(rule.citations.front());
  return fmt::format("{} {} ({}): {}{}", rule.id, name_of(rule.basis), print(grade), reason_of(rule), cited);
}

std::string cited_briefly(const Citation& citation) {
  return fmt::format("[{}, {}]", short_name(citation), citation.date == "unknown" ? "undated" : citation.date);
}

}  // namespace ordercheck
