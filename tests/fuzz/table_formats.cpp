// Several tables at once, as `matrix merge` and `matrix diff` read them, and the heads of a folder of them.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "fuzz/corpus.h"
#include "fuzz/formats.h"
#include "record/evidence_diff.h"
#include "record/evidence_merge.h"

namespace ordercheck::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr char kNextFile = '\x1e';  // between the files of one input

// The files of one input, each read as a table. Nothing where one is none: `wrong` tells whether its message is right.
std::vector<Part> parts_of(std::string_view bytes, std::string& wrong) {
  std::vector<Part> parts;
  for (const std::string& text : split(bytes, kNextFile)) {
    const std::string path = fmt::format("{}.tsv", parts.size());
    auto table = parse_evidence(text, path);
    if (!table) {
      wrong = check_message(table.error().message, path);
      return {};
    }
    parts.push_back({.path = path, .table = std::move(table).value()});
  }
  return parts;
}

std::string missing_from(const Merged& merged, const Part& part) {
  for (const Observation& row : part.table.rows) {
    const Observation* kept = find_row(merged.table, row.case_text);
    if (kept == nullptr || *kept != row) return fmt::format("row '{}' of {} was lost or changed", row.case_text, part.path);
  }
  for (const Control& control : part.table.controls)
    if (std::ranges::count(merged.table.controls, control.name, &Control::name) != 1)
      return fmt::format("control '{}' of {} is not there once", control.name, part.path);
  return "";
}

// An error, or conflicts that name both sides, or a table that holds each row of every part and can be read again.
std::string check_merge(std::string_view bytes) {
  std::string wrong;
  std::vector<Part> parts = parts_of(bytes, wrong);
  if (parts.empty()) return wrong;
  const auto merged = merge_parts(parts);
  if (!merged) return check_message(merged.error().message);
  std::ranges::reverse(parts);
  const auto reversed = merge_parts(parts);
  if (!reversed) return "refused in another order of the parts: " + reversed.error().message;
  if (merged->conflicts.size() != reversed->conflicts.size()) return "other conflicts in another order of the parts";
  for (const PartConflict& one : merged->conflicts)
    if (one.case_text.empty() || one.field.empty() || one.one == one.other || one.one_path == one.other_path)
      return fmt::format("a conflict that names no two sides: '{}' {}", one.case_text, one.field);
  if (!merged->conflicts.empty()) return "";
  for (const Part& part : parts)
    if (wrong = missing_from(*merged, part); !wrong.empty()) return wrong;
  const auto has_row = [](const std::string& text) {
    return [&text](const Part& part) { return find_row(part.table, text) != nullptr; };
  };
  for (const Observation& row : merged->table.rows)
    if (std::ranges::none_of(parts, has_row(row.case_text))) return "a row that no part has: " + row.case_text;
  const std::string printed = print_evidence(merged->table);
  if (print_evidence(reversed->table) != printed) return "another table in another order of the parts";
  const auto again = parse_evidence(printed, "merged.tsv");
  if (!again) return "not readable once printed: " + again.error().message;
  return *again == merged->table ? "" : "not the same when printed and read again";
}

// Each case is counted once: in both, or on one side.
std::string check_diff(std::string_view bytes) {
  std::string wrong;
  const std::vector<Part> parts = parts_of(bytes, wrong);
  if (parts.empty()) return wrong;
  const EvidenceTable &before = parts.front().table, &after = parts.back().table;
  const TableDiff diff = diff_of(before, after);
  const auto count = [&](ChangeKind kind) {
    return static_cast<std::size_t>(std::ranges::count(diff.changes, kind, &Change::kind));
  };
  const std::size_t gone = count(ChangeKind::only_before), added = count(ChangeKind::only_after);
  if (diff.in_both + gone != before.rows.size() || diff.in_both + added != after.rows.size()) return "a row is on no side";
  if (diff.changes.size() - gone - added > diff.in_both) return "a case is told twice";
  return diff_of(before, before).changes.empty() ? "" : "a table differs from itself";
}

// The head that is read by itself is that of the whole table, and breaks where the head of the whole breaks.
std::string check_heads(std::string_view bytes) {
  const fs::path folder = scratch_folder() / "heads";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!write_sample(folder / "t.tsv", bytes)) return "";
  const auto heads = read_evidence_heads(folder);
  const auto tables = read_evidence(folder);
  for (const auto* read : {&heads, &tables})
    if (!*read)
      if (std::string wrong = check_message(read->error().message, (folder / "t.tsv").string()); !wrong.empty()) return wrong;
  if (!tables) return "";
  if (!heads) return "the head alone is refused, the table is not: " + heads.error().message;
  EvidenceTable head = tables->front();
  head.rows.clear();
  return heads->front() == head ? "" : "the head alone is not that of the table";
}

std::string in_parts(const std::string& text, int count, bool shards) {
  std::vector<EvidenceTable> parts;
  const EvidenceTable whole = parse_evidence(text, "sample.tsv").value();
  for (int i = 0; i < count; ++i) {
    parts.push_back(whole);
    parts.back().rows.clear();
    if (shards) parts.back().shard = fmt::format("{}/{}", i + 1, count);
  }
  for (std::size_t i = 0; i < whole.rows.size(); ++i) parts[i % parts.size()].rows.push_back(whole.rows[i]);
  std::vector<std::string> texts;
  for (const EvidenceTable& part : parts) texts.push_back(print_evidence(part));
  return join(texts, std::string(1, kNextFile));
}

// Controls whose counts would leave their type, were they added up.
std::string large_counts() {
  EvidenceTable one{.engine = "native", .versions = {"libtorch 2.11.0"}, .device = "cpu", .shard = "1/2"};
  one.controls = {{.name = "plain arithmetic", .held = true, .evidence = "9223372036854775807 of 9223372036854775807 differ"},
                  {.name = "repeated runs", .held = true, .evidence = "-9223372036854775807 of 2 held"}};
  EvidenceTable two = one;
  two.shard = "2/2";
  return print_evidence(one) + kNextFile + print_evidence(two);
}

// Tables in shards, a table and half of it, and one beside itself.
std::vector<std::string> parts_corpus() {
  std::vector<std::string> texts;
  for (const std::string& text : tables_corpus()) {
    for (const int count : {1, 2, 3}) texts.push_back(in_parts(text, count, true));
    const std::string half = in_parts(text, 2, false);
    texts.push_back(text + kNextFile + half.substr(0, half.find(kNextFile)));
    texts.push_back(text + kNextFile + text);
  }
  texts.push_back(large_counts());
  return texts;
}

constexpr const char* kWords =
    "\t \n \\ - \\- equal differs # \x1e # shard 1/2 2/3 10000/10000 # control plain arithmetic held failed unjudged "
    "9223372036854775807 -1 matmul_flops=9223372036854775807 yes: all_gather:tp:forward:1:1";

}  // namespace

std::vector<Format> table_formats() {
  return {{"merge", check_merge, parts_corpus, kWords},
          {"diff", check_diff, parts_corpus, kWords},
          {"heads", check_heads, tables_corpus, kWords}};
}

}  // namespace ordercheck::fuzz
