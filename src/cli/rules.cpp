// ordercheck rules: lists the rules, one per line.
#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wording.h"
#include "cli/command.h"
#include "cli/shared/format_option.h"
#include "cli/shared/question.h"
#include "rules/check.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct RulesOptions {
  std::string target;
  std::string format = "text";
  std::string rules;
};

std::string retired_in_words(const std::vector<Rule>& retired) {
  std::vector<std::string> ids;
  for (const Rule& rule : retired) ids.push_back(rule.id);
  return ids.empty() ? "" : fmt::format("Retired and not checked: {}.\n", join(ids, ", "));
}

std::string as_text(const Judge& judge, const std::vector<Rule>& retired) {
  std::size_t widest = 0;
  for (const Rule& rule : judge.rules())
    widest = std::max(widest, std::string(name_of(rule.kind)).size() + rule.slug.size() + 1);
  std::string text;
  for (const Rule& rule : judge.rules()) {
    const bool commutes = rule.kind == RuleKind::commutes;
    text += fmt::format("{}  {:<{}}  {:<7}  {:<12}  {}\n", rule.id, fmt::format("{}/{}", name_of(rule.kind), rule.slug), widest,
                        commutes ? "-" : name_of(rule.harm), name_of(rule.basis), print(judge.grade(rule)));
  }
  return text + fmt::format("{}. Graded for {}.\n", counted(judge.rules().size(), "rule"), print(judge.target())) +
         retired_in_words(retired);
}

std::string as_json(const Judge& judge) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Rule& rule : judge.rules()) {
    const Grade& grade = judge.grade(rule);
    nlohmann::ordered_json one{{"id", rule.id}, {"kind", name_of(rule.kind)}, {"slug", rule.slug}, {"title", rule.title}};
    one["harm"] = rule.kind == RuleKind::commutes ? nullptr : nlohmann::ordered_json(name_of(rule.harm));
    one["basis"] = name_of(rule.basis);
    one["holds"] = nlohmann::ordered_json::array();
    for (const Holds& entry : rule.holds) one["holds"].push_back(print(entry));
    one["grade"] = {{"kind", name_of(grade.kind)}, {"engine", grade.engine}, {"version", grade.version}};
    one["witness"] = {print(rule.witness.bad), print(rule.witness.good)};
    one["file"] = rule.file;
    all.push_back(std::move(one));
  }
  return nlohmann::ordered_json{{"schema", "ordercheck/rules/1"}, {"rules", std::move(all)}}.dump(2) + "\n";
}

Result<int> run_rules(const RulesOptions& options) {
  const Result<Knowledge> knowledge = load_knowledge(options.rules);
  if (!knowledge) return knowledge.error();
  const auto settled = settled_target(options.target, "", *knowledge);
  if (!settled) return settled.error();
  const Judge judge(knowledge->rules, settled->target, knowledge->observations);
  fmt::print("{}", options.format == "json" ? as_json(judge) : as_text(judge, knowledge->retired));
  return kNothingAgainst;
}

}  // namespace

void add_rules(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RulesOptions>();
  CLI::App* command = app.add_subcommand("rules", "List the rules");
  command->group(kAsk);
  command->add_option("--for", options->target, "Grade for an engine and version: pytorch-2.11, pytorch, native")
      ->capture_default_str();
  add_format_option(*command, options->format);
  command->add_option("--rules", options->rules, "The folder of rules");
  show_examples(*command, {"rules --for pytorch-2.11"});
  command->callback([options, &exit_code] { exit_code = ended("rules", run_rules(*options)); });
}

}  // namespace ordercheck::cli
