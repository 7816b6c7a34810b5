#include "check/part_index.h"

#include <bit>

#include "rule/pattern.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr std::size_t kWord = 64;

void set(std::vector<std::uint64_t>& bits, std::size_t index) { bits[index / kWord] |= std::uint64_t{1} << (index % kWord); }

bool needs_other(const Rule& rule) {
  switch (rule.kind) {
    case RuleKind::order:
    case RuleKind::clash:
    case RuleKind::commutes: return true;
    case RuleKind::effect: return !rule.other.any_of.empty();
    case RuleKind::needs:
    case RuleKind::fits: return false;
  }
  return false;
}

}  // namespace

PartIndex::PartIndex(const std::vector<Rule>& rules) : rules_(rules) {
  const std::size_t words = (rules.size() + kWord - 1) / kWord;
  needs_no_item_.resize(words);
  needs_no_other_.resize(words);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].one.any_of.empty()) set(needs_no_item_, i);
    if (!needs_other(rules[i])) set(needs_no_other_, i);
  }
}

PartIndex::Parts PartIndex::parts_of(const Item& item) const {
  Parts parts{.one = Bits(needs_no_item_.size()), .other = Bits(needs_no_item_.size())};
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (matches(rules_[i].one, item)) set(parts.one, i);
    if (matches(rules_[i].other, item)) set(parts.other, i);
  }
  return parts;
}

std::vector<std::size_t> PartIndex::candidates(const Stack& stack) const {
  Bits one = needs_no_item_, other = needs_no_other_;
  {
    const std::lock_guard lock(mutex_);
    for (const Item& item : stack.items) {
      const auto [found, is_new] = known_.try_emplace(print(item));
      if (is_new) found->second = parts_of(item);
      for (std::size_t word = 0; word < one.size(); ++word) {
        one[word] |= found->second.one[word];
        other[word] |= found->second.other[word];
      }
    }
  }
  std::vector<std::size_t> found;
  for (std::size_t word = 0; word < one.size(); ++word)
    for (std::uint64_t left = one[word] & other[word]; left != 0; left &= left - 1)
      found.push_back(word * kWord + static_cast<std::size_t>(std::countr_zero(left)));
  return found;
}

}  // namespace ordercheck
