// All pages, compiled: what each says of an item is worked out once an item, so that a stack is read with operations on words of
// bits, one bit a page. Everything that asks where a page fires asks here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "rule/condition_values.h"
#include "rule/rule.h"

namespace ordercheck {

// One bit a page, by its place in the catalogue.
using PageBits = std::vector<std::uint64_t>;

// The places of the pages, ascending.
std::vector<std::size_t> places_in(const PageBits& bits);
inline bool has(const PageBits& bits, std::size_t page) { return (bits[page / 64] >> (page % 64) & 1) != 0; }

// What pages say of an item whatever its degrees, which only conditions look at.
struct ItemKind {
  Item item;  // without degrees
  Scope scope = Scope::model;
  ItemShare share;
  PageBits one, other;  // it may play this part
  PageBits between;     // it may be what has to stand between the two
  PageBits unless;      // it silences the page for what comes behind it
};

// Safe to use from any threads. Refers to the pages.
class Catalogue {
 public:
  explicit Catalogue(std::span<const Rule> pages);
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  std::span<const Rule> pages() const { return pages_; }
  std::size_t words() const { return words_; }
  const ItemKind& kind_of(const Item& item) const;  // lives as long as the catalogue

  // By what a page does; each a set of pages.
  struct Sets {
    PageBits in_order;    // order: about one item before another
    PageBits either_way;  // clash, and effect beside a partner: about two items whatever their order
    PageBits of_partner;  // of those: effect, which is about the item with a partner alone
    PageBits lone;        // about one item: fits, effect
    PageBits missing;     // needs: about an item without a partner
    PageBits of_no_item;  // about the mesh as a whole
    PageBits commutes;
    PageBits with_between;
    PageBits conditional;
  };
  const Sets& sets() const { return sets_; }
  // Pages that two items of these scopes may be about.
  const PageBits& related(Scope one, Scope other) const {
    return related_[static_cast<std::size_t>(one)][static_cast<std::size_t>(other)];
  }

 private:
  static constexpr std::size_t kScopes = 4;
  struct ByItem {
    using is_transparent = void;
    std::size_t operator()(const Item& item) const;
    std::size_t operator()(const ItemKind& kind) const { return (*this)(kind.item); }
    bool operator()(const Item& a, const Item& b) const;
    bool operator()(const ItemKind& a, const Item& b) const { return (*this)(a.item, b); }
    bool operator()(const Item& a, const ItemKind& b) const { return (*this)(a, b.item); }
    bool operator()(const ItemKind& a, const ItemKind& b) const { return (*this)(a.item, b.item); }
  };
  ItemKind made_kind(const Item& item) const;

  std::span<const Rule> pages_;
  std::size_t words_;
  Sets sets_;
  std::array<std::array<PageBits, kScopes>, kScopes> related_;
  mutable std::mutex mutex_;
  mutable std::unordered_set<ItemKind, ByItem, ByItem> kinds_;
};

}  // namespace ordercheck
