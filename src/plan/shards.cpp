#include "plan/shards.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include "base/bits.h"
#include "stack/case.h"

namespace ordercheck {
namespace {

// Cases that have to be in one shard.
struct Unit {
  std::string name;  // of its first case
  std::vector<std::size_t> cases;
  double seconds = 0;
};

bool compares_its_witnesses(const Rule& rule) {
  return rule.kind == RuleKind::commutes || rule.harm == Harm::slow || rule.harm == Harm::memory;
}

std::size_t root_of(std::vector<std::size_t>& joined, std::size_t i) {
  while (joined[i] != i) i = joined[i] = joined[joined[i]];
  return i;
}

// Which of them each case is with: the lowest index of its unit.
std::vector<std::size_t> joined_cases(const Plan& plan, const std::vector<Rule>& rules) {
  std::vector<std::size_t> joined(plan.cases.size());
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  std::map<std::string, std::size_t> first_of;  // by the id of a rule
  for (const Rule& rule : rules)
    if (compares_its_witnesses(rule)) first_of.emplace(rule.id, plan.cases.size());
  for (std::size_t i = 0; i < plan.cases.size(); ++i)
    for (const Source& source : plan.cases[i].sources) {
      if (source.kind != SourceKind::witness) continue;
      const auto first = first_of.find(source.detail.substr(0, source.detail.find(' ')));
      if (first == first_of.end()) continue;
      if (first->second == plan.cases.size()) first->second = i;
      const std::size_t one = root_of(joined, first->second), other = root_of(joined, i);
      joined[std::max(one, other)] = std::min(one, other);
    }
  for (std::size_t i = 0; i < joined.size(); ++i) joined[i] = root_of(joined, i);
  return joined;
}

std::vector<Unit> units_of(const Plan& plan, const std::vector<Rule>& rules, const Durations& durations) {
  const double median = median_of(durations);
  const std::vector<std::size_t> joined = joined_cases(plan, rules);
  std::map<std::size_t, Unit> units;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const std::string name = print(plan.cases[i].subject);
    Unit& unit = units[joined[i]];
    if (unit.cases.empty()) unit.name = name;
    unit.cases.push_back(i);
    const auto measured = durations.find(name);
    unit.seconds += measured == durations.end() ? median : measured->second;
  }
  std::vector<Unit> sorted;
  for (auto& [first, unit] : units) sorted.push_back(std::move(unit));
  std::ranges::stable_sort(sorted, std::greater<>{}, &Unit::seconds);  // ties stay sorted by name, as the plan is
  return sorted;
}

}  // namespace

std::vector<PlannedShard> shards_of(const Plan& plan, const std::vector<Rule>& rules, const Durations& durations, int count) {
  constexpr double kSlack = 1.05;
  const std::vector<Unit> units = units_of(plan, rules, durations);
  double whole = 0;
  for (const Unit& unit : units) whole += unit.seconds;
  const double share = kSlack * whole / count;

  std::vector<double> seconds(static_cast<std::size_t>(count), 0.0);
  std::vector<std::vector<std::size_t>> cases(seconds.size());
  std::size_t left = units.size(), empty = seconds.size();
  for (const Unit& unit : units) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(seconds) - seconds.begin());
    std::size_t place = hash_of(unit.name).words[0] % seconds.size();
    if (seconds[place] + unit.seconds > share || left == empty) place = least;
    empty -= cases[place].empty() ? 1 : 0;
    --left;
    seconds[place] += unit.seconds;
    cases[place].insert(cases[place].end(), unit.cases.begin(), unit.cases.end());
  }
  std::vector<PlannedShard> shards;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    PlannedShard shard{.plan = {.engine = plan.engine, .not_planned = plan.not_planned, .only_in_full = plan.only_in_full},
                       .seconds = seconds[i]};
    std::ranges::sort(cases[i]);
    for (const std::size_t one : cases[i]) shard.plan.cases.push_back(plan.cases[one]);
    shards.push_back(std::move(shard));
  }
  return shards;
}

int most_shards(const Plan& plan, const std::vector<Rule>& rules) {
  return std::max(1, static_cast<int>(units_of(plan, rules, {}).size()));
}

}  // namespace ordercheck
