#include "evidence/compare.h"

#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "evidence/field.h"

namespace ordercheck {
namespace {

std::string effects_there(const Observation& row) {
  std::vector<std::string> parts;
  for (const Effect& effect : row.effects)
    if (effect.defined) parts.push_back(effect.transform + (effect.present ? " yes" : effect.partly ? " partly" : " no"));
  return join(parts, ", ");
}

std::string verdict_line(const Observation& row) {
  std::string line = verdict_in_words(row);
  if (const std::string place = place_of(row); !place.empty()) line += ", " + place;
  return line;
}

void add_change(std::vector<std::string>& lines, const std::string& case_text, const std::string& before,
                const std::string& after) {
  lines.push_back(fmt::format("- {}: {}", case_text, before));
  lines.push_back(fmt::format("+ {}: {}", case_text, after));
}

void compare_rows(std::vector<std::string>& lines, const Observation& before, const Observation& after) {
  const std::string& name = before.case_text;
  const bool fails_otherwise =
      after.verdict == Verdict::fails &&
      (before.phase != after.phase || kind_of_message(before.message) != kind_of_message(after.message));
  if (before.verdict == after.verdict && fails_otherwise) {
    add_change(lines, name, verdict_line(before) + ": " + before.message, verdict_line(after) + ": " + after.message);
    return;
  }
  if (before.verdict != after.verdict) {
    add_change(lines, name, verdict_line(before), verdict_line(after));
    return;
  }
  if (effects_there(before) != effects_there(after))
    add_change(lines, name, "effects " + effects_there(before), "effects " + effects_there(after));
  if (before.counters != after.counters)
    add_change(lines, name, print_counters(before.counters), print_counters(after.counters));
  if (before.collectives != after.collectives)
    add_change(lines, name, print_collectives(before.collectives), print_collectives(after.collectives));
}

}  // namespace

std::string kind_of_message(std::string_view message) {
  constexpr std::size_t kLeadingWords = 10;
  std::vector<std::string> words;
  for (std::string word : split(message.substr(0, message.find('\n')), ' ')) {
    if (words.size() == kLeadingWords) break;
    if (const auto address = word.find("0x"); address != std::string::npos) word.resize(address);
    std::string kept;
    for (const char c : word) {
      const bool digit = c >= '0' && c <= '9';
      if (!digit)
        kept += c;
      else if (!kept.ends_with('#'))
        kept += '#';
    }
    words.push_back(kept);
  }
  return join(words, " ");
}

std::vector<std::string> changes(const EvidenceTable& committed, const EvidenceTable& seen, bool whole) {
  std::set<std::string> names;
  for (const auto& row : seen.rows) names.insert(row.case_text);
  if (whole)
    for (const auto& row : committed.rows) names.insert(row.case_text);
  std::vector<std::string> lines;
  for (const auto& name : names) {
    const Observation *before = find_row(committed, name), *after = find_row(seen, name);
    if (!before)
      lines.push_back(fmt::format("+ {}: {}", name, verdict_line(*after)));
    else if (!after)
      lines.push_back(fmt::format("- {}: {}", name, verdict_line(*before)));
    else
      compare_rows(lines, *before, *after);
  }
  return lines;
}

}  // namespace ordercheck
