#include "matrix/shards.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "base/bits.h"
#include "stack/case.h"

namespace ordercheck {
namespace {

bool compares_its_witnesses(const Rule& rule) {
  return rule.kind == RuleKind::commutes || rule.harm == Harm::slow || rule.harm == Harm::memory;
}

// Union-find with path halving.
std::size_t root_of(std::vector<std::size_t>& joined, std::size_t i) {
  while (joined[i] != i) i = joined[i] = joined[joined[i]];
  return i;
}

// Groups cases that must be in one shard: for each case, the lowest case index in its group.
std::vector<std::size_t> joined_cases(const Plan& plan, const std::vector<Rule>& rules) {
  std::vector<std::size_t> joined(plan.cases.size());
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  std::map<std::string, std::size_t> first_of;  // by rule id
  for (const Rule& rule : rules)
    // The value cases.size() marks a rule without a witness so far.
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

}  // namespace

Plan shard_of(const Plan& plan, const std::vector<Rule>& rules, const Shard& shard) {
  const std::vector<std::size_t> joined = joined_cases(plan, rules);
  std::map<std::size_t, std::vector<std::size_t>> units;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) units[joined[i]].push_back(i);
  std::vector<std::pair<std::uint64_t, std::size_t>> dealt;
  for (const auto& [first, cases] : units) dealt.emplace_back(hash_of(print(plan.cases[first].subject)).words[0], first);
  std::ranges::sort(dealt);
  std::vector<std::size_t> mine;
  // Deal the units round-robin.
  for (auto i = static_cast<std::size_t>(shard.index - 1); i < dealt.size(); i += static_cast<std::size_t>(shard.count))
    mine.insert(mine.end(), units[dealt[i].second].begin(), units[dealt[i].second].end());
  std::ranges::sort(mine);
  Plan part{.engine = plan.engine, .not_planned = plan.not_planned, .only_in_full = plan.only_in_full};
  for (const std::size_t one : mine) part.cases.push_back(plan.cases[one]);
  return part;
}

}  // namespace ordercheck
