// Finds the items of a stack that a rule fires on.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/catalogue.h"
#include "rules/job.h"
#include "rules/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// The items that a rule fires on, as indices in the stack. One for fits, effect and needs, none for fits without an item
// pattern. Two for order and clash, the first applied one first. Three for an order with an item between.
using Firing = std::vector<std::size_t>;

// The job of a rule page's example stacks: the sizes of their model, and the ranks and microbatches that the page states.
Job job_of(const Witness& witness);

// What an order rule requires of a stack: item `before` goes before item `after`. The stack may violate it.
struct Demand {
  std::size_t before = 0;
  std::size_t after = 0;
  friend auto operator<=>(const Demand&, const Demand&) = default;
};

// Two items that a commutes rule allows to swap; `first` < `second`.
struct CommutingPair {
  std::size_t first = 0;
  std::size_t second = 0;
  friend auto operator<=>(const CommutingPair&, const CommutingPair&) = default;
};

// Every place of `stack` where the rule fires, requires an order, or allows a swap, in stack order. For many rules or stacks
// use StackMatch.
std::vector<Firing> firings(const Rule& rule, const Stack& stack, const Job& job = {});
std::vector<Demand> demands(const Rule& rule, const Stack& stack, const Job& job = {});
std::vector<CommutingPair> commuting_pairs(const Rule& rule, const Stack& stack, const Job& job = {});

// The value of an item's degree that is not written (`tp`). open: unknown but more than 1. as_run: kMissingDegree.
enum class MissingDegrees { open, as_run };

// Finds where the pages of a catalogue fire on one stack. Refers to the catalogue, the stack and the job's values. Not thread
// safe.
class StackMatch {
 public:
  StackMatch(const Catalogue& catalogue, const Stack& stack, const ConditionValues& job,
             MissingDegrees missing = MissingDegrees::open);

  const PagePlaces& fired();
  PagePlaces commuting();  // commutes pages that allow some pair to swap
  PagePlaces open();       // pages that fire for some values of unknown sizes only

  // As the functions above, for one page.
  std::vector<Firing> firings(std::size_t page);
  std::vector<Demand> demands(std::size_t page);
  std::vector<CommutingPair> commuting_pairs(std::size_t page);
  std::vector<std::string> unknown_sizes(std::size_t page);  // for one of open()
  // The demands of all order pages, including violated ones. Excludes two items that both match both patterns of a page, since
  // no order satisfies that.
  struct PageDemand {
    std::size_t page = 0;
    Demand demand;
  };
  std::vector<PageDemand> demands_that_can_be_kept();

 private:
  struct Placed {
    const ItemKind* kind;
    const Parts* parts;  // of the kind
    std::span<const Degree> degrees;
  };

  std::size_t size() const { return items_.size(); }
  const Rule& rule(std::size_t page) const { return catalogue_.pages()[page]; }
  const Parts& parts(std::size_t page, std::size_t item) const { return items_[item].parts[page]; }
  // Whether item `one` matches the page's first pattern and item `other` its second.
  bool plays(std::size_t page, std::size_t one, std::size_t other) const;
  // Whether some item matches the page's first pattern, and for pages about two items, some item the second.
  bool has_parts(std::size_t page) const;
  bool has_partner(std::size_t page, std::size_t item) const;
  bool could_have_between(std::size_t page, std::size_t one, std::size_t other) const;
  template <class Each>
  void each_pair(std::size_t page, Each each) const;
  template <class Each>
  void each_firing(std::size_t page, Each each) const;
  bool fires_if_met(std::size_t page) const;
  bool is_met(std::size_t page);
  const ConditionValues& values();

  const Catalogue& catalogue_;
  const ConditionValues& job_;
  MissingDegrees missing_;
  std::vector<Placed> items_;
  std::optional<ValuesOfStack> values_;
  std::optional<PagePlaces> fired_;
};

}  // namespace ordercheck
