#include "report/pages/symptoms.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "report/pages/shown.h"
#include "rules/pins.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr std::size_t kLongestSymptom = 90;
constexpr std::size_t kMostPages = 5;

// Whether a missing effect's text is a symptom that a user recognizes: "0 graphs captured" is, "1248 operators recomputed,
// 1248 without it" is not.
bool is_a_sign_by_itself(const std::string& missing) { return missing.starts_with("0 "); }

std::string symptom_of(const Rule& rule, const EngineRuns& engine, const Outcome& outcome) {
  const Verdict verdict = outcome.seen.verdict;
  if (verdict == Verdict::ignored) {
    const std::string missing = what_is_missing(outcome.seen);
    return is_a_sign_by_itself(missing) ? missing : "";
  }
  return verdict == Verdict::fails || verdict == Verdict::hangs ? error_of(&rule, engine, outcome) : "";
}

struct Seen {
  std::set<std::string> where;
  std::vector<std::string> pages;
};

void add(const Seen& more, Seen& seen) {
  seen.where.insert(more.where.begin(), more.where.end());
  for (const std::string& page : more.pages)
    if (std::ranges::find(seen.pages, page) == seen.pages.end()) seen.pages.push_back(page);
}

// A pinned message is a part of the full messages it matches.
bool is_part_of(const std::string& part, const std::string& whole) {
  return part != whole && whole.find(part) != std::string::npos;
}

}  // namespace

std::string error_of(const Rule* rule, const EngineRuns& engine, const Outcome& outcome) {
  const auto is_of_the_run = [&](const Expectation& pin) {
    return !pin.stack && !pin.message.empty() && pin.engine == engine.target.project &&
           outcome.seen.message.find(pin.message) != std::string::npos;
  };
  if (rule != nullptr)
    if (const auto pin = std::ranges::find_if(rule->expectations, is_of_the_run); pin != rule->expectations.end())
      return pin->message;
  return shortened(without_type(outcome.seen.message), kLongestSymptom);
}

std::vector<Symptom> symptoms(const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::map<std::string, Seen> found;
  for (const Rule& rule : sources.rules) {
    if (rule.kind == RuleKind::commutes) continue;
    for (const EngineRuns& engine : engines) {
      if (engine.target.project != sources.reader) continue;
      const Outcome* outcome = find_outcome(engine, case_of(rule.witness.bad, rule.witness, engine.table.engine));
      if (outcome == nullptr) continue;
      const std::string message = symptom_of(rule, engine, *outcome);
      if (message.empty()) continue;
      Seen& seen = found[message];
      seen.where.insert(verdict_in_words(outcome->seen));
      add({.where = {}, .pages = {link_to(rule)}}, seen);
    }
  }
  std::vector<Symptom> list;
  for (auto& [message, seen] : found) {
    // Skip a message that contains a shorter one, which collects its pages below.
    const auto shorter = std::ranges::find_if(found, [&](const auto& other) { return is_part_of(other.first, message); });
    if (shorter != found.end()) continue;
    for (const auto& [other, more] : found)
      if (is_part_of(message, other)) add(more, seen);
    const bool cut = seen.pages.size() > kMostPages;
    if (cut) seen.pages.resize(kMostPages);
    list.push_back({.message = code(message),
                    .where = join({seen.where.begin(), seen.where.end()}, ", "),
                    .pages = join(seen.pages, ", ") + (cut ? ", ..." : "")});
  }
  return list;
}

}  // namespace ordercheck
