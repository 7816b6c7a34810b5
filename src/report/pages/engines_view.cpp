#include "report/pages/engines_view.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "rule/load.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// The case as every engine has it, and who ran it: the index of an engine and its outcome.
using Seen = std::vector<std::pair<std::size_t, const Outcome*>>;

std::string neutral(Case c) {
  c.engine = Case{}.engine;
  return print(c);
}

std::map<std::string, Seen> by_case(const std::vector<EngineRuns>& engines) {
  std::map<std::string, Seen> cases;
  for (std::size_t i = 0; i < engines.size(); ++i)
    for (const Outcome& outcome : engines[i].outcomes) cases[neutral(outcome.subject)].emplace_back(i, &outcome);
  return cases;
}

// A version of one engine shows another verdict than a version of another engine.
bool disagree(const Seen& seen, const std::vector<EngineRuns>& engines) {
  for (const auto& [i, a] : seen)
    for (const auto& [j, b] : seen)
      if (engines[i].table.engine != engines[j].table.engine && a->seen.verdict != b->seen.verdict) return true;
  return false;
}

std::string cell_of(const Seen& seen, std::size_t engine) {
  const auto found = std::ranges::find(seen, engine, &Seen::value_type::first);
  return found == seen.end() ? "not run" : verdict_in_words(found->second->seen);
}

// What a page states for a version first; else whom the pages that fire speak of, where that is not everybody here.
std::string explanation_of(const Seen& seen, const std::vector<EngineRuns>& engines, const std::vector<Rule>& rules) {
  std::vector<std::string> said;
  const auto say = [&](std::string text) {
    if (std::ranges::find(said, text) == said.end()) said.push_back(std::move(text));
  };
  std::set<std::string> fired;
  for (const auto& [i, outcome] : seen) {
    if (!outcome->explanation.empty()) say(fmt::format("{}: {}", engines[i].table.engine, outcome->explanation));
    fired.insert(outcome->prediction.fired.begin(), outcome->prediction.fired.end());
  }
  for (const std::string& id : fired) {
    const Rule* rule = find_rule(rules, id);
    if (rule == nullptr) continue;
    const auto held = std::ranges::count_if(seen, [&](const auto& one) { return holds_for(*rule, engines[one.first].target); });
    if (held > 0 && held < std::ssize(seen))
      say(fmt::format("{} speaks of {} alone", link_to(*rule, "rules/"), holds_in_words(*rule)));
  }
  return said.empty() ? "no rule explains it" : join(said, "<br>");
}

}  // namespace

EnginesView engines_view(const Sources& sources, const std::vector<EngineRuns>& engines) {
  EnginesView view;
  for (const EngineRuns& engine : engines) view.engines.push_back(print_engine(engine));
  int same = 0;
  for (const auto& [text, seen] : by_case(engines)) {
    std::set<std::string> who;
    for (const auto& [i, outcome] : seen) who.insert(engines[i].table.engine);
    if (who.size() < 2) continue;
    if (!disagree(seen, engines)) {
      ++same;
      continue;
    }
    DisagreementRow row{.order = code(text), .explanation = explanation_of(seen, engines, sources.rules)};
    for (std::size_t i = 0; i < engines.size(); ++i) row.cells.push_back(cell_of(seen, i));
    view.rows.push_back(std::move(row));
  }
  view.same = std::to_string(same);
  return view;
}

}  // namespace ordercheck
