// Repairs: stacks near a stack that are free of errors, and that no run of the target shows to be wrong.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/check.h"
#include "stack/stack.h"

namespace ordercheck {

// Searches for repairs of stacks and of their findings, which come to the same stacks again and again: each is judged and repaired
// once.
class RepairSearch {
 public:
  explicit RepairSearch(const Judge& judge) : judge_(judge) {}  // the judge outlives it

  // What is asked next is about this model: runs of others decide nothing. Forgets what it knew of another, and all where that has
  // become much.
  void begin(const std::string& model);

  // At most three stacks that this rule does not fire on and that are without any error, gentlest and smallest change first:
  // edits against the finding, and where other errors stand beside it, those mended too. Leaving a transform out is tried
  // where it is one way out of an error among several (a clash, a need, an effect) or nothing else helps.
  std::vector<Stack> tries_against(const Fired& fired, const Stack& stack);

  // A stack without any error: the recommended order, then one edit at a time, the gentlest that leaves fewer errors. Nothing
  // when that leads nowhere, or when there was no error.
  std::optional<Stack> repaired(const Stack& stack);

 private:
  // Stacks that one edit against what a rule fires on gives, in groups, gentlest first: the page's own cure; then another order,
  // another degree, an item added; then one left out. None of them has been checked.
  std::vector<std::vector<Stack>> edits_against(const Fired& fired, const Stack& stack);

  // What an edit leaves to be mended, and how far it went; less is better.
  struct Weight {
    std::size_t errors = 0, findings = 0, size = 0;
    friend auto operator<=>(const Weight&, const Weight&) = default;
  };
  struct Weighed {
    Stack stack;
    Weight weight;
    bool silenced = false;  // the rule of the finding
  };

  // How much fires on a stack, and which pages.
  struct Tally {
    std::size_t errors = 0, findings = 0;
    bool shown_wrong = false;  // by a run; asked of what has no error alone
    PageBits fired;
    std::size_t against() const { return errors + (shown_wrong ? 1 : 0); }
  };

  const Tally& tally(const Stack& stack);
  const Stack& recommended(const Stack& stack);
  Weighed weighed(Stack edited, const Stack& from, const Rule* rule);
  std::optional<Stack> completed(const Weighed& edit, const Stack& from, const Rule& rule);
  std::optional<Stack> searched(const Stack& stack);
  std::optional<Stack> edited(const Stack& stack);  // by edits that leave fewer and fewer errors

  const Judge& judge_;
  std::string model_ = Case{}.model;
  // By all that a stack says (key_of).
  std::unordered_map<std::string, Tally> tallies_;
  std::unordered_map<std::string, Stack> recommended_;
  std::unordered_map<std::string, std::optional<Stack>> repaired_, edited_;
};

std::optional<Stack> repaired(const Stack& stack, const Judge& judge);

// Other numbers for a stack whose numbers do not fit, as a fits page says.

// The nearest degrees and counts that the page of `fired` has nothing against: of the items that it fired on, or where it is about
// the mesh as a whole of any item. One number is changed, two where no one alone will do; less far before further, a smaller degree
// before a larger one, and a larger count (more microbatches keep the ranks).
std::vector<Stack> resized(const Fired& fired, const Stack& stack, const Judge& judge);

}  // namespace ordercheck
