#include "report/pages/rule_view.h"

#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "report/pages/markdown.h"
#include "rules/load.h"
#include "rules/pins.h"
#include "rules/prediction.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// The result of the run of an example stack on the target, in words, or "not run". Selects the same run as grade_of(): for
// compile the one with inductor first, among several PyTorch releases the one that decided the grade.
std::string run_of(const Stack& stack, const Witness& witness, const Target& target, const Grade& grade, const Sources& sources,
                   const std::vector<EngineRuns>& engines) {
  if (witness.ranks) return "not run";  // runs always have as many ranks as their mesh
  for (const EngineRuns& engine : engines) {
    if (engine.target != target) continue;
    const Case c = case_of(stack, witness, engine.table.engine);
    const Outcome* outcome = find_outcome(engine, c);
    if (outcome == nullptr) continue;
    const std::string& version = outcome->seen.version;
    const bool is_decided_here = grade.engine == engine.table.engine && grade.version == version;
    const std::optional<std::string> on = is_decided_here ? std::optional(grade.on) : std::nullopt;
    const Observation* decided = find_run(sources.observations, stack, witness, engine.table.engine, version, on);
    return verdict_in_words(decided == nullptr ? outcome->seen : *decided);
  }
  return "not run";
}

// The project that the rule's first `holds` entry names, as a target without a version.
Target about_whom(const Rule& rule) {
  const Holds& first = rule.holds.front();  // pages without holds are rejected
  return {.project = first.project, .implementation = first.implementation, .version = {}};
}

std::string as_code(const std::string& text) { return code(text); }

std::string grade_in_words(const Grade& grade, const Target& target) {
  const std::string decided = fmt::format("{} {}", grade.engine, grade.version);
  return grade.engine.empty() || decided == print(target) ? name_of(grade.kind)
                                                          : fmt::format("{} by {}", name_of(grade.kind), decided);
}

// The first version that the rule is about, in words. If some version older than the rule's lower bound has committed runs,
// returns the bound: the behaviour changed there. Otherwise returns the oldest version with runs, "2.11.0 (first run)", since
// no older one was tested.
std::string first_version(const Version& bound, const std::string& project, const std::vector<Observation>& observations) {
  std::optional<Version> first;
  for (const Observation& seen : observations) {
    const Result<Version> version = parse_version(seen.version);
    if (seen.engine == project && version && (!first || *version < *first)) first = *version;
  }
  return first && *first >= bound ? fmt::format("{} {}", print(*first), kFirstRun) : print(bound);
}

}  // namespace

std::vector<Standing> standings_of(const Rule& rule, const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<Standing> standings;
  for (const Target& target : targets_of(sources)) {
    if (!speaks_about(rule, target.project)) continue;
    const Grade grade = grade_of(rule, target, sources.observations);
    standings.push_back({.target = print(target),
                         .grade = grade_in_words(grade, target),
                         .note = grade.note,
                         .bad = run_of(rule.witness.bad, rule.witness, target, grade, sources, engines),
                         .good = run_of(rule.witness.good, rule.witness, target, grade, sources, engines),
                         .claimed = holds_for(rule, target)});
  }
  return standings;
}

std::string harm_in_words(const Rule& rule) { return rule.kind == RuleKind::commutes ? "none" : name_of(rule.harm); }

std::string holds_in_words(const Rule& rule) {
  std::vector<std::string> parts;
  for (const Holds& entry : rule.holds) parts.push_back(code(print(entry)));
  return join(parts, ", ");
}

std::string since_in_words(const Rule& rule, const Target& target, const std::vector<Observation>& observations) {
  for (const Holds& holds : rule.holds) {
    if (!holds_for(holds, target)) continue;
    std::vector<std::string> parts;
    for (const VersionBound& bound : holds.bounds) {
      const std::string version = print(bound.version);
      switch (bound.relation) {
        case Relation::at_least: parts.push_back(first_version(bound.version, target.project, observations)); break;
        case Relation::above: parts.push_back("after " + version); break;
        case Relation::at_most: parts.push_back("up to " + version); break;
        case Relation::below: parts.push_back("before " + version); break;
        case Relation::exactly: parts.push_back("only " + version); break;
      }
    }
    return join(parts, ", ");
  }
  return "";
}

namespace {

bool shows_the_same(const Standing& one, const Standing& other) {
  const auto project = [](const Standing& standing) { return standing.target.substr(0, standing.target.find(' ')); };
  const auto shown = [](const Standing& standing) {
    return std::tie(standing.grade, standing.note, standing.bad, standing.good, standing.claimed);
  };
  return project(one) == project(other) && shown(one) == shown(other);
}

// Appends the version of a standing to the row before it, if both show the same.
std::vector<Standing> merged(const std::vector<Standing>& standings) {
  std::vector<Standing> rows;
  for (const Standing& standing : standings)
    if (!rows.empty() && shows_the_same(rows.back(), standing))
      rows.back().target += "," + standing.target.substr(standing.target.find(' '));
    else
      rows.push_back(standing);
  return rows;
}

}  // namespace

RulePage rule_page(const Rule& rule, const Sources& sources, const std::vector<EngineRuns>& engines) {
  const bool commutes = rule.kind == RuleKind::commutes;
  // Repro scripts use the default model and settings, and as many ranks as the mesh.
  const bool has_script =
      speaks_about(rule, sources.reader) &&
      case_of(rule.witness.bad, rule.witness, Case{}.engine) == usual_case(rule.witness.bad, Case{}.model, Case{}.engine) &&
      !rule.witness.ranks;
  const std::string in_microbatches =
      rule.witness.accumulation ? fmt::format(" accumulation={}", *rule.witness.accumulation) : "";
  RulePage page{.id = rule.id,
                .title = rule.title,
                .kind = name_of(rule.kind),
                .file = rule.file,
                .page = rule.file.substr(std::string_view("rules/").size()),
                .flags = claim_of(rule, as_code),
                .when = rule.when ? code(rule.when->text) : "",
                .harm = harm_in_words(rule),
                .basis = name_of(rule.basis),
                .holds = holds_in_words(rule),
                .bad = code(print(rule.witness.bad) + in_microbatches),
                .good = code(print(rule.witness.good) + in_microbatches),
                .repro = has_script ? print(rule.witness.bad) : "",
                .loses = !rule.loses.any_of.empty(),
                .bad_name = commutes ? "one" : "bad",
                .good_name = commutes ? "other" : "good",
                .what = rule.flags,
                .why = rule.why,
                .limits = rule.limits,
                .standings = standings_of(rule, sources, engines)};
  page.rows = merged(page.standings);
  if (page.standings.empty()) page.cited = name_of(grade_of(rule, about_whom(rule), {}).kind);
  std::vector<std::string> grades;
  for (const Standing& one : page.standings) grades.push_back(one.target + ": " + one.grade);
  page.grades = grades.empty() ? page.cited + ", not run" : join(grades, "<br>");
  for (const Citation& cite : rule.citations)
    page.citations.push_back(fmt::format("{}, {}: {}", cited(cite), name_of(cite.says), cite.claim));
  for (const Expectation& expected : rule.expectations) page.expectations.push_back(expectation_in_words(expected, as_code));
  return page;
}

namespace {

// Whether this engine's run of the rule's bad example stack did not contradict the rule.
bool is_borne_out(const Rule& rule, const EngineRuns& engine) {
  const Outcome* bad = find_outcome(engine, case_of(rule.witness.bad, rule.witness, engine.table.engine));
  return bad == nullptr || bad->agreement != Agreement::contradiction;
}

// The rules that fire on the stack and predict the observed verdict. A run of the whole stack cannot tell which of them is the
// cause.
std::vector<const Rule*> causes_of(const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules) {
  std::vector<const Rule*> causes;
  for (const std::string& id : outcome.prediction.fired)
    if (const Rule* rule = find_rule(rules, id); rule != nullptr && holds_for(*rule, engine.target) &&
                                                 verdict_of(rule->harm) == outcome.seen.verdict && is_borne_out(*rule, engine))
      causes.push_back(rule);
  return causes;
}

}  // namespace

const Rule* explaining_rule(const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules) {
  const bool explained = outcome.agreement == Agreement::confirmed || !outcome.explanation.empty();
  if (!explained || shows_parity(outcome.seen.verdict)) return nullptr;
  const Rule* rule = find_rule(rules, outcome.prediction.rule);
  if (rule == nullptr) return nullptr;
  const std::vector<const Rule*> causes = causes_of(outcome, engine, rules);
  return causes.empty() || is_borne_out(*rule, engine) ? rule : causes.front();
}

std::string explaining_page(const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules) {
  if (shows_parity(outcome.seen.verdict)) return "";
  const Rule* rule = explaining_rule(outcome, engine, rules);
  return rule == nullptr ? "none" : link_to(*rule);
}

std::string causing_pages(const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules) {
  if (shows_parity(outcome.seen.verdict)) return "";
  std::vector<std::string> links;
  for (const Rule* rule : causes_of(outcome, engine, rules)) links.push_back(link_to(*rule));
  return links.empty() ? explaining_page(outcome, engine, rules) : join(links, ", ");
}

std::string pages_that_fire(const Outcome& outcome, const std::vector<Rule>& rules) {
  std::vector<std::string> links;
  for (const std::string& id : outcome.prediction.fired)
    if (const Rule* rule = find_rule(rules, id)) links.push_back(link_to(*rule));
  return links.empty() ? "none" : join(links, ", ");
}

}  // namespace ordercheck
