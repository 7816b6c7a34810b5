#include <algorithm>

#include <nlohmann/json.hpp>

#include "rules/cure.h"
#include "rules/glossary.h"
#include "rules/item_matching.h"
#include "rules/render.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<Stack>& stack) { return stack ? Json(print(*stack)) : Json(nullptr); }

Json json_of(const Citation& citation) {
  return {{"url", citation.url}, {"date", citation.date}, {"says", name_of(citation.says)}, {"claim", citation.claim}};
}

Json json_of(const Grade& grade) {
  return {{"kind", name_of(grade.kind)}, {"engine", grade.engine}, {"version", grade.version}, {"note", grade.note}};
}

Json json_of(const Finding& finding, const Stack& whole) {
  Json parties = Json::array();
  for (const Party& party : finding.parties) parties.push_back({{"index", party.index}, {"item", party.text}});
  Json tries = Json::array();
  for (const Try& one : finding.tries)
    tries.push_back({{"stack", print(one.stack)},
                     {"change", change_in_words(whole, one.stack)},
                     {kEditsKey, program_edits(whole, one.stack)},
                     {"keeps_every_transform", keeps_every_transform(whole, one.stack)},
                     {"seen", one.seen}});
  return {{"rule", finding.rule},
          {"severity", name_of(finding.severity)},
          {"grade", json_of(finding.grade)},
          {"headline", finding.headline},
          {"parties", parties},
          {"instead", finding.instead},
          {"why", finding.why},
          {"citation", json_of(finding.citation)},
          {"smallest", print(finding.smallest)},
          {"shows", finding.shows},
          {"tries", tries},
          {"also", finding.also}};
}

Json json_of(const Conflict& conflict) {
  return {
      {"stack", print(conflict.stack)}, {"items", conflict.items}, {"rules", conflict.rules}, {"no_order", conflict.no_order}};
}

Json json_of(const Unknown& one) {
  Json elsewhere = Json::array();
  for (const FoundElsewhere& there : one.elsewhere)
    elsewhere.push_back({{"target", print(there.target)}, {"errors", there.counts.errors}, {"advice", there.counts.advice}});
  return {{"transform", one.transform}, {"elsewhere", elsewhere}};
}

// null if every rule is asked.
Json json_of(const NotAsked& left_out) {
  if (left_out.by.empty()) return nullptr;
  Json findings = Json::array(), not_judged = Json::array();
  for (const Finding& finding : left_out.findings)
    findings.push_back({{"rule", finding.rule}, {"severity", name_of(finding.severity)}, {"headline", finding.headline}});
  for (const NotJudged& one : left_out.not_judged) not_judged.push_back(one.rule);
  return {{"by", left_out.by}, {"findings", findings}, {"not_judged", not_judged}};
}

// The JSON value of `legal`: true, false, or null if unknown. Also null if a rule that was not asked has an error.
Json legal_of(const Report& report) {
  const Legality legality = legality_of(report);
  const bool hides_error = std::ranges::count(report.not_asked.findings, Severity::error, &Finding::severity) > 0;
  return legality == Legality::unknown || (legality == Legality::legal && hides_error) ? Json(nullptr)
                                                                                       : Json(legality == Legality::legal);
}

}  // namespace

std::string render_json(const Report& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings) findings.push_back(json_of(finding, report.stack));
  Json trainer = Json::array();
  for (const TrainerAdvice& one : report.trainer)
    trainer.push_back({{"rule", one.rule}, {"shows", one.shows}, {"needs", one.needs}});
  Json not_judged = Json::array();
  for (const NotJudged& one : report.not_judged) not_judged.push_back({{"rule", one.rule}, {"unknown", one.sizes}});
  Json unknown = Json::array();
  for (const Unknown& one : report.unknown) unknown.push_back(json_of(one));
  const Json whole{{"schema", "ordercheck/check/1"},
                   {"stack", print(report.stack)},
                   {"target", print(report.target)},
                   {"target_assumed", report.target_assumed},
                   {"newest_run", report.newest_run ? Json(print(*report.newest_run)) : Json(nullptr)},
                   {"legal", legal_of(report)},
                   {"errors", count_of(report, Severity::error)},
                   {"advice", count_of(report, Severity::advice)},
                   {"findings", findings},
                   {"seen", report.seen},
                   {"trainer", trainer},
                   {"not_judged", not_judged},
                   {"not_asked", json_of(report.not_asked)},
                   {"unknown", unknown},
                   {"conflict", report.conflict ? json_of(*report.conflict) : Json(nullptr)},
                   {"repaired", json_of(report.repaired)}};
  return whole.dump(2) + "\n";
}

}  // namespace ordercheck
