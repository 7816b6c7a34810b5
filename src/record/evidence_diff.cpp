#include "record/evidence_diff.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "record/evidence_fields.h"

namespace ordercheck {
namespace {

int badness(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal: return 0;
    case Verdict::close: return 1;
    case Verdict::ignored: return 2;
    case Verdict::differs: return 3;
    case Verdict::hangs: return 4;
    case Verdict::fails: return 5;
    case Verdict::unstable: return 6;
    case Verdict::unrun: return 7;
  }
  assert(false && "every verdict has its place");
  return 0;
}

std::string presence_of(const Observation& row) {
  std::vector<std::string> parts;
  for (const Effect& effect : row.effects)
    if (effect.defined) parts.push_back(effect.transform + (effect.present ? " yes" : effect.partly ? " partly" : " no"));
  return join(parts, ", ");
}

std::string seen_in_words(const Observation& row) {
  std::string words = verdict_in_words(row);
  const bool failed = row.verdict == Verdict::fails || row.verdict == Verdict::hangs;
  if (failed && !row.message.empty()) return words + ": " + one_line(row.message.substr(0, row.message.find('\n')));
  if (const std::string place = place_of(row); !place.empty()) words += ", " + place;
  return words;
}

// Shortens the two results to the words that differ: drops from each the words that the other one has too.
std::pair<std::string, std::string> only_what_differs(const std::string& before, const std::string& after) {
  const auto one = split(before, ' '), other = split(after, ' ');
  const auto left = [](const std::vector<std::string>& words, const std::vector<std::string>& others) {
    std::vector<std::string> kept;
    for (const std::string& word : words)
      if (!contains(others, word)) kept.push_back(word);
    return join(kept, " ");
  };
  return {left(one, other), left(other, one)};
}

std::optional<Change> change_of(const Observation& before, const Observation& after) {
  const auto change = [&](ChangeKind kind, const std::string& one, const std::string& other) {
    return Change{.kind = kind, .case_text = before.case_text, .before = one, .after = other};
  };
  if (before.verdict != after.verdict)
    return change(badness(after.verdict) > badness(before.verdict) ? ChangeKind::worse : ChangeKind::better,
                  seen_in_words(before), seen_in_words(after));
  const bool failed = after.verdict == Verdict::fails || after.verdict == Verdict::hangs;
  if (before.ending != after.ending || before.phase != after.phase ||
      (failed && kind_of_message(before.message) != kind_of_message(after.message)))
    return change(ChangeKind::ending, seen_in_words(before), seen_in_words(after));
  if (presence_of(before) != presence_of(after)) return change(ChangeKind::effects, presence_of(before), presence_of(after));
  if (before.counters != after.counters) {
    const auto [one, other] = only_what_differs(print_counters(before.counters), print_counters(after.counters));
    return change(ChangeKind::counters, one, other);
  }
  if (before.collectives != after.collectives) {
    const auto [one, other] = only_what_differs(print_collectives(before.collectives), print_collectives(after.collectives));
    return change(ChangeKind::collectives, one, other);
  }
  return std::nullopt;
}

}  // namespace

TableDiff diff_of(const EvidenceTable& before, const EvidenceTable& after) {
  std::map<std::string, std::pair<const Observation*, const Observation*>> cases;
  for (const Observation& row : before.rows) cases[row.case_text].first = &row;
  for (const Observation& row : after.rows) cases[row.case_text].second = &row;
  TableDiff diff;
  for (const auto& [text, rows] : cases) {
    const auto [one, other] = rows;
    if (one == nullptr || other == nullptr) {
      diff.changes.push_back({.kind = one ? ChangeKind::only_before : ChangeKind::only_after,
                              .case_text = text,
                              .before = one ? seen_in_words(*one) : "",
                              .after = other ? seen_in_words(*other) : ""});
      continue;
    }
    ++diff.in_both;
    if (auto change = change_of(*one, *other)) diff.changes.push_back(std::move(*change));
  }
  // Stable, so that changes of a kind stay sorted by case.
  std::ranges::stable_sort(diff.changes, {}, &Change::kind);
  return diff;
}

const char* name_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::worse: return "worse";
    case ChangeKind::better: return "better";
    case ChangeKind::ending: return "ending";
    case ChangeKind::effects: return "effects";
    case ChangeKind::counters: return "counters";
    case ChangeKind::collectives: return "collectives";
    case ChangeKind::only_before: return "only before";
    case ChangeKind::only_after: return "only after";
  }
  assert(false && "every change has a name");
  return "";
}

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
    // Addresses change from run to run.
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
