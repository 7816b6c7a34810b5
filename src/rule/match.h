// Where a rule fires on a stack.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rule/catalogue.h"
#include "rule/job.h"
#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// The items that a firing is about, by index in the stack. One for fits, effect and needs, two for order and clash (the
// one applied first comes first), three for an order with an item between; fits without an item pattern has none.
struct Firing {
  std::vector<std::size_t> items;
  friend auto operator<=>(const Firing&, const Firing&) = default;
};

// What conditions know of a page's witness: the sizes of its model, and the ranks and microbatches that it names.
Job job_of(const Witness& witness);

// What an order rule demands of a stack, whether or not the stack keeps it: item `before` goes before item `after`.
struct Demand {
  std::size_t before = 0;
  std::size_t after = 0;
  friend auto operator<=>(const Demand&, const Demand&) = default;
};

// A pair of items that a commutes rule lets change places; `first` < `second`.
struct CommutingPair {
  std::size_t first = 0;
  std::size_t second = 0;
  friend auto operator<=>(const CommutingPair&, const CommutingPair&) = default;
};

// Of one rule on one stack, in order of the stack. Who asks about many compiles their rules once: StackMatch.
std::vector<Firing> firings(const Rule& rule, const Stack& stack, const Job& job = {});
std::vector<Demand> demands(const Rule& rule, const Stack& stack, const Job& job = {});
std::vector<CommutingPair> commuting_pairs(const Rule& rule, const Stack& stack, const Job& job = {});

// Where the pages of a catalogue fire on one stack.

// Of a degree that nobody wrote, who asks about a job knows that it is more than 1 and no more; in a run it is kMissingDegree.
enum class MissingDegrees { open, as_run };

// Pages are named by their place in the catalogue. Refers to the catalogue, the stack and the job's values; one thread at a time.
class StackMatch {
 public:
  StackMatch(const Catalogue& catalogue, const Stack& stack, const ConditionValues& job,
             MissingDegrees missing = MissingDegrees::open);

  // Pages that fire: a pass over the pairs of items, all pages at once.
  const PageBits& fired();
  // Order pages that demand something of the stack, kept or not, and commutes pages that let some pair change places.
  const PageBits& ordering();
  const PageBits& commuting();
  // Pages that would fire but for sizes that are not known.
  std::vector<std::size_t> open();

  // Of one page, all in order of the stack; see match.h.
  std::vector<Firing> firings(std::size_t page);
  std::size_t count_firings(std::size_t page);
  std::vector<Demand> demands(std::size_t page);
  // Of all pages at once, in no order. Without those of two items that may each play both parts of a page, which no order can keep.
  struct PageDemand {
    std::size_t page = 0;
    Demand demand;
  };
  std::vector<PageDemand> demands_that_can_be_kept();
  std::vector<CommutingPair> commuting_pairs(std::size_t page);
  std::vector<std::string> unknown_sizes(std::size_t page);  // of one of open()

 private:
  struct Placed {
    const ItemKind* kind;
    std::span<const Degree> degrees;
  };

  std::size_t size() const { return items_.size(); }
  // Item `one` plays the first part of pages and item `other` the second: such pages of a word of bits.
  std::uint64_t played(std::size_t word, std::size_t one, std::size_t other) const;
  bool plays(std::size_t page, std::size_t one, std::size_t other) const;
  bool has_partner(std::size_t page, std::size_t item) const;
  bool is_silenced(std::size_t page, std::size_t before) const;
  std::optional<std::size_t> between(std::size_t page, std::size_t begin, std::size_t end) const;
  bool could_have_between(std::size_t page, std::size_t one, std::size_t other) const;
  template <class Each>
  void each_pair(std::size_t page, Each each) const;
  template <class Each>
  void each_firing(std::size_t page, Each each) const;

  std::uint64_t fired_in_pairs(std::size_t word) const;
  std::uint64_t fired_alone(std::size_t word) const;
  std::uint64_t fired_for_lack(std::size_t word) const;
  const PageBits& fired_if_met();
  const ConditionValues& values();
  PageBits met(PageBits pages);
  bool is_met(std::size_t page);

  const Catalogue& catalogue_;
  const ConditionValues& job_;
  MissingDegrees missing_;
  std::vector<Placed> items_;
  std::optional<ValuesOfStack> values_;
  std::optional<PageBits> fired_if_met_, fired_, ordering_, commuting_;
};

}  // namespace ordercheck
