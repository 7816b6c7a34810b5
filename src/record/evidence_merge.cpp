#include "record/evidence_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "record/evidence_fields.h"
#include "record/evidence_table.h"

namespace ordercheck {
namespace {

std::string build_in_words(const EvidenceTable& table) {
  return one_line(
      fmt::format("{} ({}), {}, {} arithmetic", table.engine, join(table.versions, ", "), table.device, table.arithmetic));
}

Status check_alike(const Part& one, const Part& other) {
  if (build_in_words(one.table) != build_in_words(other.table))
    return Error{fmt::format("{} is of {}, {} is of {}; merge the parts of each build by themselves", one.path,
                             build_in_words(one.table), other.path, build_in_words(other.table))};
  const auto first = parse_shard(one.table.shard), second = parse_shard(other.table.shard);
  if (first && second && first->count != second->count)
    return Error{fmt::format("{} is shard {}, {} is shard {}; merge parts of one number of shards", one.path, one.table.shard,
                             other.path, other.table.shard)};
  return Done{};
}

// The columns of an evidence row, as (name, printed value).
std::vector<std::pair<std::string, std::string>> fields_of(const Observation& row) {
  const auto place =
      row.difference ? fmt::format("{} in step {}, rank {}", row.difference->what, row.difference->step, row.difference->rank)
                     : "";
  const auto bits = row.difference ? row.difference->expected + " and " + row.difference->got : "";
  return {{"verdict", name_of(row.verdict)},
          {"ending", name_of(row.ending)},
          {"phase", row.phase ? name_of(*row.phase) : ""},
          {"module", row.module},
          {"operation", row.operation},
          {"group", row.group},
          {"first difference", place},
          {"values", bits},
          {"message", row.message},
          {"effects", print_effects(row.effects)},
          {"counters", print_counters(row.counters)},
          {"collectives", print_collectives(row.collectives)},
          {"digest", hex(row.digest)},
          {"sources", row.sources}};
}

// The two counts in a control's evidence text: 5 and 5 in "5 of 5 legal layouts differ ...".
struct Count {
  long long hits = 0, all = 0;
  std::string rest;
};
std::optional<Count> count_in(const std::string& evidence) {
  const auto words = split(evidence, ' ');
  if (words.size() < 4 || words[1] != "of") return std::nullopt;
  const auto hits = parse_integer(words[0]), all = parse_integer(words[2]);
  constexpr long long kMost = 1'000'000'000;  // above any matrix, and small enough that sums do not overflow
  if (!hits || !all || *hits < 0 || *all < *hits || *all > kMost) return std::nullopt;
  return Count{.hits = *hits, .all = *all, .rest = join({words.begin() + 3, words.end()}, " ")};
}

// Merges one control of all parts. `seen`: the control in each part, in part order. Adds up the counts only if the parts share
// no case (`disjoint`).
Control merged_control(const std::vector<const Control*>& seen, bool disjoint) {
  std::vector<const Control*> judged;
  for (const Control* one : seen)
    if (one->judged) judged.push_back(one);
  if (judged.empty()) return *seen.front();
  const auto failed = std::ranges::find(judged, false, &Control::held);
  Control merged = failed == judged.end() ? *judged.front() : **failed;
  Count sum;
  for (const Control* one : judged) {
    const auto count = count_in(one->evidence);
    // The control's texts in two parts differ by number ("1 of 1 record has", "2 of 2 records have"), so print the sums anew
    // instead of comparing texts.
    const bool has_words = one->name == kPlainArithmetic || (one->name == kRepeatedRuns && failed == judged.end());
    const bool unlike = sum.all > 0 && sum.rest != count.value_or(Count{}).rest && !has_words;
    if (!count || !disjoint || unlike) return merged;
    sum = {.hits = sum.hits + count->hits, .all = sum.all + count->all, .rest = count->rest};
  }
  merged.evidence = fmt::format("{} of {} {}", sum.hits, sum.all, sum.rest);
  if (merged.name == kRepeatedRuns && failed == judged.end())
    merged.evidence = repeated_runs_in_words({.alike = sum.hits, .twice = sum.all});
  // Apply the control's criterion to the sums: a single part may have too few differing cases by chance.
  if (merged.name == kPlainArithmetic) {
    merged.held = sum.hits > 0 && 2 * sum.hits >= sum.all;
    merged.evidence = plain_arithmetic_in_words(sum.hits, sum.all);
  }
  return merged;
}

std::vector<Control> merged_controls(const std::vector<Part>& parts, bool disjoint) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<const Control*>> seen;
  for (const Part& part : parts)
    for (const Control& control : part.table.controls) {
      if (!contains(names, control.name)) names.push_back(control.name);
      seen[control.name].push_back(&control);
    }
  std::vector<Control> controls;
  for (const std::string& name : names) controls.push_back(merged_control(seen[name], disjoint));
  return controls;
}

std::vector<std::string> missing_shards(const std::vector<Part>& parts) {
  std::set<int> there;
  int count = 0;
  for (const Part& part : parts)
    if (const auto shard = parse_shard(part.table.shard)) {
      there.insert(shard->index);
      count = shard->count;
    }
  std::vector<std::string> missing;
  for (int i = 1; i <= count; ++i)
    if (!there.contains(i)) missing.push_back(fmt::format("{}/{}", i, count));
  return missing;
}

}  // namespace

Result<Merged> merge_parts(std::vector<Part> parts) {
  if (parts.empty()) return Error{"name at least one part; `ordercheck matrix run --shard 1/2 --out FILE` writes one"};
  // In canonical order, so that the order of the files does not matter.
  std::ranges::sort(parts, {}, [](const Part& part) {
    const Shard shard = parse_shard(part.table.shard).value_or(Shard{});
    return std::tuple(shard, print_evidence(part.table), part.path);
  });
  for (const Part& one : parts)
    for (const Part& other : parts)
      if (auto alike = check_alike(one, other); !alike) return alike.error();
  Merged merged{.table = parts.front().table, .conflicts = {}, .missing = missing_shards(parts)};

  // Drop identical parts, as from a CI job that ran twice.
  const auto again = std::ranges::unique(parts, {}, &Part::table);
  parts.erase(again.begin(), again.end());
  bool disjoint = true;
  std::map<std::string, std::pair<Observation, std::string>> rows;
  for (const Part& part : parts)
    for (const Observation& row : part.table.rows) {
      const auto [at, added] = rows.try_emplace(row.case_text, row, part.path);
      if (added) continue;
      // Two parts ran the same case, so their controls' counts cannot be added.
      disjoint = false;
      const auto one = fields_of(at->second.first), other = fields_of(row);
      for (std::size_t i = 0; i < one.size(); ++i)
        if (one[i].second != other[i].second)
          merged.conflicts.push_back({.case_text = row.case_text,
                                      .field = one[i].first,
                                      .one = one[i].second,
                                      .other = other[i].second,
                                      .one_path = at->second.second,
                                      .other_path = part.path});
    }
  std::ranges::stable_sort(merged.conflicts, {}, &PartConflict::case_text);
  merged.table.shard.clear();
  merged.table.controls = merged_controls(parts, disjoint);
  merged.table.rows.clear();
  for (auto& [text, row] : rows) merged.table.rows.push_back(std::move(row.first));
  return merged;
}

std::optional<Shard> parse_shard(std::string_view text) {
  const auto parts = split(text, '/');
  if (parts.size() != 2) return std::nullopt;
  const auto index = parse_integer(parts[0]), count = parse_integer(parts[1]);
  if (!index || !count || *index < 1 || *count < *index || *count > 10'000) return std::nullopt;
  return Shard{.index = static_cast<int>(*index), .count = static_cast<int>(*count)};
}

}  // namespace ordercheck
