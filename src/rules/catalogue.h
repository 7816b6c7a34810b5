// Matches the item patterns of all rule pages on the items of stacks, and caches the result per item, because many stacks
// share items. Every check whether a page fires on a stack uses it.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "rules/condition_values.h"
#include "rules/rule.h"

namespace ordercheck {

// Rule pages as indices in Catalogue::pages(), ascending.
using PagePlaces = std::vector<std::size_t>;

// Which of a page's item patterns an item matches (fields of Rule in rule.h).
struct Parts {
  bool one = false, other = false;
  bool between = false;  // `between`: an item that must be between the two
  bool unless = false;   // `unless`: such an item, applied earlier, keeps the page from firing
};

// The cached matches of one item with all pages. Patterns do not look at degrees, so items that differ in degrees share one
// entry.
struct ItemKind {
  Item item;  // without degrees
  Scope scope = Scope::model;
  ItemShare share;
  std::vector<Parts> parts;  // one per page
};

// The cache. Thread safe. Keeps a reference to `pages`.
class Catalogue {
 public:
  explicit Catalogue(std::span<const Rule> pages) : pages_(pages) {}
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  std::span<const Rule> pages() const { return pages_; }
  const ItemKind& kind_of(const Item& item) const;  // the reference is valid as long as the catalogue

 private:
  struct ButForDegrees {
    using is_transparent = void;
    // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): of no temporary
    static const Item& item(const Item& item) { return item; }
    static const Item& item(const ItemKind& kind) { return kind.item; }
    static std::size_t hash(const Item& item);
    static bool equal(const Item& a, const Item& b);
    std::size_t operator()(const auto& one) const { return hash(item(one)); }
    bool operator()(const auto& a, const auto& b) const { return equal(item(a), item(b)); }
  };

  std::span<const Rule> pages_;
  mutable std::mutex mutex_;
  mutable std::unordered_set<ItemKind, ButForDegrees, ButForDegrees> kinds_;
};

}  // namespace ordercheck
