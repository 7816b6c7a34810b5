// Which item of one stack answers to which of another.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// For each item of the left, its like on the right, the most alike first: printed alike, else of the same scope, else
// of the same name.
using Partners = std::vector<std::optional<std::size_t>>;
Partners partners_of(const Stack& left, const Stack& right);

// Items of the right that are nobody's partner, in their order.
std::vector<std::size_t> alone_in(const Stack& right, const Partners& partners);

// Every transform of the left is in the right as often, whatever its order, degrees, options and scopes.
bool keeps_every_transform(const Stack& left, const Stack& right);

// Some transform of the left is neither in the right nor replaced there.
bool drops_a_transform(const Stack& left, const Stack& right);

// What somebody does to the left to have the right: "tp=2 becomes tp=2:plan=blocks", "hsdp=2x2 replaces ddp=2 and
// fsdp=2", "drops compile", "adds fsdp=2"; "" where items only change places.
std::string change_in_words(const Stack& left, const Stack& right);

// Items that are changed, dropped or added, and one more where some change places.
std::size_t size_of_change(const Stack& left, const Stack& right);

// How a page's own two stacks differ: worked out once a page, for cures are tried on many stacks.

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
