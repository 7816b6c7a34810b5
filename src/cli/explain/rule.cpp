#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "cli/explain/explain.h"
#include "cli/shared/question.h"
#include "report/text/side_by_side.h"
#include "rules/check.h"
#include "rules/pair_answer.h"
#include "rules/prediction.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck::cli {
namespace {

std::string row(const char* label, const std::string& text) { return labelled(0, label, 9, text); }

std::string grade_for(const Rule& rule, const Target& target, const Knowledge& knowledge) {
  const Grade grade = grade_of(rule, target, knowledge.observations);
  return row("grade", fmt::format("{} for {}{}", print(grade), print(target), grade.note.empty() ? "" : ": " + grade.note));
}

// The rule's grades: one line per engine, for its newest version that has runs or that a rule names.
std::string grades_of(const Rule& rule, const Knowledge& knowledge) {
  std::string text;
  std::vector<std::string> engines = names_of(knowledge.engines);
  const std::string usual = usual_target(knowledge.engines);
  std::ranges::stable_partition(engines, [&](const std::string& engine) { return engine == usual; });
  for (const std::string& engine : engines) {
    if (!speaks_about(rule, engine)) continue;
    const Result<Target> target =
        settle_target({.project = engine, .implementation = "", .version = {}}, knowledge.rules, knowledge.observations);
    if (target) text += grade_for(rule, *target, knowledge);
  }
  return text;
}

std::string quoted(const std::string& text) { return fmt::format("\"{}\"", text); }

}  // namespace

std::string explain_rule(const Rule& rule, const Knowledge& knowledge, const std::optional<Target>& target) {
  std::vector<std::string> holds;
  for (const Holds& entry : rule.holds) holds.push_back(print(entry));
  const bool commutes = rule.kind == RuleKind::commutes;
  std::string text = fmt::format("{}  {}\n", rule.id, rule.title);
  text += row("file", rule.file);
  if (!rule.retired.empty()) text += row("retired", rule.retired + "; it is not checked");
  text += row("flags", claim_of(rule) + (rule.when ? ", when " + rule.when->text : ""));
  const std::string harm =
      name_of(rule.harm) +
      (rule.loses.any_of.empty() ? "" : (rule.loses_part ? ": a part of the effect of " : ": ") + print(rule.loses));
  text += row("claim", commutes ? std::string(name_of(rule.basis)) : fmt::format("{}, {}", harm, name_of(rule.basis)));
  text += row("holds for", join(holds, "; "));
  if (rule.retired.empty()) text += target ? grade_for(rule, *target, knowledge) : grades_of(rule, knowledge);
  const std::string in_microbatches =
      rule.witness.accumulation ? fmt::format("   with accumulation={}", *rule.witness.accumulation) : "";
  text += row("witness", fmt::format("{} {}   {} {}{}", commutes ? "one" : "bad", print(rule.witness.bad),
                                     commutes ? "other" : "good", print(rule.witness.good), in_microbatches));
  for (const Expectation& expected : rule.expectations) text += row("expected", expectation_in_words(expected, quoted));
  for (const Citation& cite : rule.citations)
    text += row("cited", fmt::format("{} ({}) {}: {}\n          {}", short_name(cite), cite.date, name_of(cite.says),
                                     cite.claim, cite.url));
  return text + fmt::format("\nWhat it flags\n{}\n\nWhy\n{}\n\nLimits\n{}\n", rule.flags, rule.why, rule.limits);
}

namespace {

// `optimizer` without a mode (adamw, sgd) means the optimizer that every run has by default.
Item as_run(const Item& item) { return item.name == default_trainer().name && item.mode.empty() ? default_trainer() : item; }

}  // namespace

std::string explain_two(const Item& a, const Item& b, const Knowledge& knowledge, const Target& target) {
  const Judge judge(knowledge.rules, target, knowledge.observations);
  const Stack straight{.items = {as_run(a), as_run(b)}}, turned{.items = {as_run(b), as_run(a)}};
  const auto seen = seen_of(straight, turned, knowledge.observations);
  std::string text = verdict_in_words(a, b, judge);
  if (!seen.empty()) text += "; " + describe(seen);
  text += "\n\n" + explain_pair(a, b, judge);
  text += seen.empty() ? "\nNo run of exactly the two is committed, at degree 2 and of the usual model and number of steps.\n"
                       : "\nWhat runs of exactly the two showed:\n";
  for (const SeenOfTwo& one : seen) text += render_table(table_of(one, print(straight), print(turned)));
  return text + fmt::format("\nJudged for {}.\n", print(target));
}

}  // namespace ordercheck::cli
