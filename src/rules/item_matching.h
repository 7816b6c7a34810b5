// Pairs the items of one stack with those of another, to describe or apply the difference.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// For each left item its partner on the right: an identical one, else one of the same scope, else of the same name.
using Partners = std::vector<std::optional<std::size_t>>;
Partners partners_of(const Stack& left, const Stack& right);

// Indices of the right items that are no left item's partner, ascending.
std::vector<std::size_t> alone_in(const Stack& right, const Partners& partners);

// Whether the right stack has every transform of the left one, at least as often. Ignores order, degrees, options and scopes.
bool keeps_every_transform(const Stack& left, const Stack& right);

// Whether some transform of the left stack is missing in the right one, and no other transform replaces it.
bool drops_a_transform(const Stack& left, const Stack& right);

// The edit from left to right: "tp=2 becomes tp=2:plan=blocks", "hsdp=2x2 replaces ddp=2 and fsdp=2", "drops compile", "adds
// fsdp=2"; "" if items are only reordered.
std::string change_in_words(const Stack& left, const Stack& right);

// The number of changed, dropped or added items, plus one if some are reordered.
std::size_t size_of_change(const Stack& left, const Stack& right);

// How the bad and the good example stack of a rule page differ. Computed once per page, because its repair is tried on many
// stacks.

struct WitnessParts {
  std::optional<std::vector<std::size_t>>
      fired;                       // items of the page's first firing on its bad stack; nullopt if it does not fire
  Partners partners;               // of the bad stack's items in the good one
  std::vector<std::size_t> added;  // items of the good stack only
};
WitnessParts parts_of_witness(const Rule& rule);

// Computes parts_of_witness per page on first use. Thread safe.
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
