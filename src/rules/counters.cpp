#include "rules/counters.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "record/counters.h"
#include "stack/mesh.h"

namespace ordercheck {
namespace {

constexpr std::array kCollectives{"all_gather", "reduce_scatter", "all_reduce", "broadcast",
                                  "all_to_all", "scatter",        "send",       "recv"};

}  // namespace

Status check_counter_name(std::string_view name) {
  std::vector<std::string> known;
  for (const CounterName& counter : kCounters) known.push_back(counter.name);
  for (const char* kind : kCollectives) known.push_back(kind);

  std::string_view plain = name;
  if (plain.ends_with(":bytes")) plain.remove_suffix(6);
  const bool whole = plain.size() == name.size();
  const std::string_view word = plain.substr(0, plain.find('@'));
  const bool collective = contains(kCollectives, word);
  if (collective && word.size() < plain.size()) {
    const std::string_view axis = plain.substr(word.size() + 1);
    if (axis != "world" && !contains(kMeshAxes, axis))
      return Error{fmt::format("counter '{}': '{}' is no axis; known: {}, world", name, axis, fmt::join(kMeshAxes, ", "))};
    return Done{};
  }
  if (collective || (whole && contains(known, name))) return Done{};
  const std::string behind = nearest(name, known) ? "" : ", a collective with '@axis', optionally ':bytes'";
  return Error{fmt::format("unknown counter '{}'; {}{}", name, did_you_mean(name, known), behind)};
}

CounterValues counter_values(const Counters& counters, const std::vector<CollectiveCount>& collectives) {
  CounterValues values;
  for (const CounterName& counter : kCounters) values[counter.name] = counters.*counter.value;
  for (const CollectiveCount& collective : collectives)
    for (const std::string& name : {collective.kind, fmt::format("{}@{}", collective.kind, collective.group)}) {
      values[name] += collective.count;
      values[name + ":bytes"] += collective.bytes;
    }
  return values;
}

CounterValues counter_values(const Observation& seen) { return counter_values(seen.counters, seen.collectives); }

std::int64_t value_in(const CounterValues& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

CountersHeld hold_counters(const CounterValues& one, const CounterValues& other) {
  CounterValues both = one;
  both.insert(other.begin(), other.end());
  CountersHeld held;
  for (const auto& [name, unused] : both) {
    const std::int64_t here = value_in(one, name), there = value_in(other, name);
    if (!is_measured(here) && !is_measured(there)) continue;
    std::string& noted = is_measured(here) && is_measured(there) ? held.apart : held.unmeasured;
    if (noted.empty() && (&noted == &held.unmeasured || here != there)) noted = name;
  }
  return held;
}

std::string not_measured_by(const std::string& engine, const std::string& counter) {
  return fmt::format("{} is not measured by {}", counter, engine);
}

}  // namespace ordercheck
