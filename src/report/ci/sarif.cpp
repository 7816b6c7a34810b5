#include "report/ci/sarif.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bits.h"
#include "base/displayable.h"
#include "base/text.h"
#include "report/pages/markdown.h"
#include "rules/load.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

const char* word_of(SarifLevel level) {
  return level == SarifLevel::error ? "error" : level == SarifLevel::warning ? "warning" : "note";
}

// Percent-encodes a path for use in a URI.
std::string uri_of(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos);
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

bool has_cure(const Rule& rule) { return rule.kind != RuleKind::commutes && !rule.witness.good.items.empty(); }

std::string help_text(const Rule& rule) {
  std::string text = displayable(trim(rule.why)) + "\n";
  if (has_cure(rule)) text += fmt::format("\nInstead of {} write {}.\n", print(rule.witness.bad), print(rule.witness.good));
  for (const Citation& citation : rule.citations) text += fmt::format("\n{}: {}\n", source_in_words(citation), citation.url);
  return text + fmt::format("\n`ordercheck explain {}` prints the rule.", rule.id);
}

std::string help_markdown(const Rule& rule) {
  std::string text = displayable(trim(rule.why)) + "\n";
  if (has_cure(rule))
    text += fmt::format("\nInstead of {} write {}.\n", code(print(rule.witness.bad)), code(print(rule.witness.good)));
  for (const Citation& citation : rule.citations) text += "\n- " + cited(citation);
  return text + fmt::format("{}\n`ordercheck explain {}` prints the rule.", rule.citations.empty() ? "" : "\n", rule.id);
}

Json json_of(const Rule& rule) {
  Json json{{"id", rule.id},
            {"name", rule.slug},
            {"shortDescription", {{"text", displayable(rule.title)}}},
            {"fullDescription", {{"text", displayable(reason_of(rule))}}},
            {"help", {{"text", help_text(rule)}, {"markdown", help_markdown(rule)}}}};
  if (!rule.citations.empty()) json["helpUri"] = rule.citations.front().url;
  return json;
}

Json json_of(const SarifOwnRule& rule) {
  return {{"id", rule.id}, {"shortDescription", {{"text", rule.name}}}, {"help", {{"text", rule.help}}}};
}

Json location_of(const SarifResult& result) {
  if (result.file.empty()) return {{"logicalLocations", Json::array({{{"name", displayable(result.stack)}}})}};
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri_of(result.file)}}}, {"region", {{"startLine", std::max(result.line, 1)}}}}}};
}

Json json_of(const SarifResult& result, std::size_t index, int occurrence) {
  const std::string hash = hex(hash_of(result.rule + "\n" + result.fingerprint));
  Json json{{"ruleId", result.rule},
            {"ruleIndex", index},
            {"level", word_of(result.level)},
            {"message", {{"text", displayable(result.message)}}},
            {"locations", Json::array({location_of(result)})},
            {"partialFingerprints", {{"ordercheck/v1", fmt::format("{}:{}", hash, occurrence)}}}};
  if (!result.suppressed.empty())
    json["suppressions"] = Json::array({{{"kind", "inSource"}, {"justification", displayable(result.suppressed)}}});
  return json;
}

}  // namespace

std::string render_sarif(const SarifLog& log, const std::vector<Rule>& rules, const std::vector<SarifOwnRule>& more,
                         const std::string& version) {
  std::vector<std::string> ids;
  for (const SarifResult& result : log.results)
    if (!contains(ids, result.rule)) ids.push_back(result.rule);
  std::ranges::sort(ids);
  Json listed = Json::array();
  for (const std::string& id : ids) {
    const Rule* page = find_rule(rules, id);
    const auto own = std::ranges::find(more, id, &SarifOwnRule::id);
    listed.push_back(page != nullptr ? json_of(*page) : own != more.end() ? json_of(*own) : Json{{"id", id}});
  }
  Json results = Json::array();
  std::map<std::string, int> seen;
  for (const SarifResult& result : log.results) {
    const auto index = static_cast<std::size_t>(std::ranges::find(ids, result.rule) - ids.begin());
    // Number equal findings, so that each has its own fingerprint.
    results.push_back(json_of(result, index, ++seen[result.rule + "\n" + result.fingerprint]));
  }
  Json invocation{{"executionSuccessful", !log.engine_broke && log.failed_controls.empty()}};
  const auto notify = [&](const char* level, const std::string& line) {
    invocation["toolExecutionNotifications"].push_back({{"level", level}, {"message", {{"text", displayable(line)}}}});
  };
  for (const std::string& line : log.failed_controls) notify("error", line);
  for (const std::string& line : log.undecided) notify("warning", line);
  for (const std::string& line : log.remarks) notify("note", line);
  const Json driver{{"name", "ordercheck"}, {"version", version}, {"rules", listed}};
  const Json whole{{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({{{"tool", {{"driver", driver}}},
                                          {"invocations", Json::array({invocation})},
                                          {"columnKind", "unicodeCodePoints"},
                                          {"results", results}}})}};
  return whole.dump(2) + "\n";
}

}  // namespace ordercheck
