#include "report/pages/checks_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/pages/markdown.h"
#include "report/pages/shown.h"
#include "rule/load.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

Case on_engine(const Outcome& outcome, const std::string& engine) {
  Case subject = outcome.subject;
  subject.engine = engine;
  return subject;
}

const Outcome* same_order(const EngineRuns* runs, const Outcome& like) {
  if (runs == nullptr) return nullptr;
  return find_outcome(*runs, on_engine(like, runs->table.engine));
}

std::string shown_on(const EngineRuns* runs, const Outcome& like, const Sources& sources) {
  const Outcome* run = same_order(runs, like);
  return run == nullptr ? in_words(Shown::not_run) : shown_in_words(*run, sources);
}

// As the rules judge it for an engine that they speak about.
std::string pages_with_bases(const EngineRuns* runs, const Outcome& like, const Sources& sources) {
  const Outcome* run = same_order(runs, like);
  if (run == nullptr) return "";
  std::vector<std::string> parts;
  for (const std::string& id : run->prediction.fired)
    if (const Rule* rule = find_rule(sources.rules, id))
      parts.push_back(fmt::format("{} ({})", link_to(*rule, "rules/"), name_of(rule->basis)));
  return join(parts, ", ");
}

}  // namespace

ChecksView checks_view(const Sources& sources, const std::vector<EngineRuns>& engines) {
  const EngineRuns* without = newest_that_decides(sources.without_checks, engines);
  if (without == nullptr) return {};
  const EngineRuns* with = newest_that_decides(sources.definition, engines);
  const EngineRuns* reader = newest_that_decides(reader_target(sources).project, engines);
  ChecksView view{.reader = print(reader_target(sources)),
                  .with_checks = with ? print(with->target) : "",
                  .without_checks = print(without->target),
                  .rows = {}};
  for (const Outcome& outcome : without->outcomes) {
    const std::string pages = pages_with_bases(reader, outcome, sources);
    view.rows.push_back({.order = code(print(on_engine(outcome, Case{}.engine))),
                         .pages = pages.empty() ? pages_with_bases(with, outcome, sources) : pages,
                         .reader = shown_on(reader, outcome, sources),
                         .with_checks = shown_on(with, outcome, sources),
                         .without_checks = shown_on(without, outcome, sources)});
  }
  return view;
}

}  // namespace ordercheck
