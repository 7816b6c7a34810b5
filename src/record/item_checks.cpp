#include "record/item_checks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "record/counters.h"
#include "stack/notation.h"

namespace ordercheck {

void Showing::expect(bool holds, std::string sign) {
  (holds ? some_ : missing_) = true;
  signs_.push_back({.text = std::move(sign), .missing = !holds});
}

void Showing::expect_all(std::int64_t part, std::int64_t whole, std::string sign) {
  if (part > 0 && part < whole) some_ = true;
  expect(part == whole, std::move(sign));
}

void Showing::remark(std::string sign) { signs_.push_back({.text = std::move(sign)}); }

bool Showing::measured(const std::string& what, std::initializer_list<std::int64_t> values) {
  if (std::ranges::all_of(values, is_measured)) return true;
  unmeasured_ = true;
  remark(what + " not measured by this engine");
  return false;
}

Effect Showing::effect(const Item& item) const {
  return {.transform = print(item),
          .defined = some_ || missing_ || !unmeasured_,
          .present = !missing_ && (some_ || !unmeasured_),
          .partly = missing_ && some_,
          .signs = signs_};
}

Record with_own_mesh(Record record) {
  const auto is_axis = [](const std::string& name) {
    return name == "world" || std::ranges::any_of(kMeshAxes, [&](std::string_view axis) { return axis == name; });
  };
  for (CollectiveCount& c : record.collectives)
    if (!std::ranges::all_of(split(c.group, '+'), is_axis)) c.group = kOwnMesh;
  return record;
}

bool owes(const Stack& stack, OwedEffect effect) {
  return std::ranges::any_of(stack.items, [&](const Item& item) {
    const TransformInfo* info = find_transform(item.name);
    return info != nullptr && std::ranges::count(info->owes, effect) > 0;
  });
}

bool is_in_graph(const Item& item) { return find_option(info_of(item), "bucket") != nullptr; }

bool splits_backward(const Item& pipeline) {
  return std::ranges::any_of(std::array{"zero_bubble", "zbv", "dualpipev"},
                             [&](const char* name) { return option_of(pipeline, name).has_value(); });
}

std::int64_t collectives(const Record& record, const std::string& kind, const std::string& group, Phase phase) {
  std::int64_t count = 0;
  for (const CollectiveCount& c : record.collectives)
    if ((kind.empty() || c.kind == kind) && (c.group == group || c.group == kOwnMesh) && c.phase == phase) count += c.count;
  return count;
}

void expect_collective(Showing& showing, const Record& record, const char* kind, const char* group, Phase phase) {
  const auto count = collectives(record, kind, group, phase);
  showing.expect(count > 0, fmt::format("{} {} on {} in {}", count, kind, group, name_of(phase)));
}

std::int64_t flops_of(const Record& record) {
  const Counters& counters = record.counters;
  const bool measured = is_measured(counters.matmul_flops) && is_measured(counters.matmul_flops_recomputed);
  return measured ? counters.matmul_flops - counters.matmul_flops_recomputed : kNotMeasured;
}

void expect_split_work(Showing& showing, const EffectRuns& runs, int share, int parts) {
  if (!runs.without) return;
  const auto part = flops_of(runs.with), whole = flops_of(*runs.without);
  if (!showing.measured("matmul flops", {part, whole})) return;
  // The routing of tokens decides how much work a rank with experts has.
  const bool uneven = mesh_of(runs.subject.stack).ep > 1;
  const bool holds = uneven ? 0 < part && part < whole : part * parts == whole * share;
  showing.expect(holds, fmt::format("{} of {} matmul flops, expected {}", part, whole,
                                    uneven ? "a part" : fmt::format("{}/{}", share, parts)));
}

}  // namespace ordercheck
