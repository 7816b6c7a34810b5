// Finds repairs: similar stacks without error findings, and without a run on the target that went wrong.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "rules/check.h"
#include "stack/stack.h"

namespace ordercheck {

// Searches repairs of a whole stack and of single findings. Both try many stacks, often the same ones, so results are cached.
class RepairSearch {
 public:
  explicit RepairSearch(const Judge& judge) : judge_(judge) {}  // the judge must outlive it

  // Sets the model for the following calls: runs of other models are ignored. Clears the cache if the model changes or the
  // cache is large.
  void begin(const std::string& model);

  // At most three stacks without errors on which the rule of `fired` does not fire, smallest change first. Edits the items of
  // the finding, then repairs the other errors. Drops a transform only if nothing else helps, or for errors of kind clash,
  // needs and effect.
  std::vector<Stack> tries_against(const Fired& fired, const Stack& stack);

  // A similar stack without errors. Tries the recommended order first, then repeatedly the smallest edit that leaves fewer
  // errors. Returns nullopt if this fails, or if `stack` has no error.
  std::optional<Stack> repaired(const Stack& stack);

 private:
  // Returns stacks that one edit of the items of `fired` gives, in groups to try in turn: the rule page's own repair; another
  // order or degree, or an added item; a dropped item. The stacks are not checked yet.
  std::vector<std::vector<Stack>> edits_against(const Fired& fired, const Stack& stack);

  // Ranks an edited stack: errors and findings that remain, and the size of the edit; less is better.
  struct Weight {
    std::size_t errors = 0, findings = 0, size = 0;
    friend auto operator<=>(const Weight&, const Weight&) = default;
  };
  struct Weighed {
    Stack stack;
    Weight weight;
    bool silenced = false;  // the rule to repair does not fire any more
  };

  // The cached check of a stack: numbers of errors and findings, and the pages that fire.
  struct Tally {
    std::size_t errors = 0, findings = 0;
    bool shown_wrong = false;  // a run of the stack went wrong; only checked if there are no errors
    PagePlaces fired;
    std::size_t against() const { return errors + (shown_wrong ? 1 : 0); }
  };

  const Tally& tally(const Stack& stack);
  const Stack& recommended(const Stack& stack);
  Weighed weighed(Stack edited, const Stack& from, const Rule* rule);
  std::optional<Stack> completed(const Weighed& edit, const Stack& from, const Rule& rule);
  std::optional<Stack> searched(const Stack& stack);
  std::optional<Stack> edited(const Stack& stack);  // by repeated edits, each leaving fewer errors

  const Judge& judge_;
  std::string model_ = Case{}.model;
  // Caches, keyed by the full content of a stack (key_of).
  std::unordered_map<std::string, Tally> tallies_;
  std::unordered_map<std::string, Stack> recommended_;
  std::unordered_map<std::string, std::optional<Stack>> repaired_, edited_;
};

std::optional<Stack> repaired(const Stack& stack, const Judge& judge);

// Repairs a finding of a fits rule (sizes that do not go together): stacks with the nearest degrees and counts for which the
// rule does not fire. Changes numbers of the items of `fired`, or of any item if the rule is about the whole mesh. Changes one
// number, or two if one does not suffice. Prefers near over far, smaller degrees over larger, and larger counts (more
// microbatches keep the ranks).
std::vector<Stack> resized(const Fired& fired, const Stack& stack, const Judge& judge);

}  // namespace ordercheck
