// How a page's own two stacks differ: worked out once a page, for cures are tried on many stacks.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "check/partners.h"
#include "rule/rule.h"

namespace ordercheck {

struct WitnessParts {
  std::optional<std::vector<std::size_t>> fired;  // the first firing's items of the bad stack; nothing where it does not fire
  Partners partners;                              // of the bad stack's items in the good one
  std::vector<std::size_t> added;                 // items of the good stack alone
};
WitnessParts parts_of_witness(const Rule& rule);

// Of many pages, each when it is first asked for. Safe to use from any threads.
class WitnessPartsOfPages {
 public:
  explicit WitnessPartsOfPages(std::span<const Rule> pages) : pages_(pages), known_(pages.size()) {}
  const WitnessParts& of(std::size_t page) const;

 private:
  std::span<const Rule> pages_;
  mutable std::mutex mutex_;
  mutable std::vector<std::optional<WitnessParts>> known_;
};

}  // namespace ordercheck
