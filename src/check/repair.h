// Repairs: stacks near a stack that are free of errors.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"

namespace ordercheck {

// Searches for repairs of one stack and of its findings, which come to the same stacks again and again: each is judged and repaired
// once.
class RepairSearch {
 public:
  explicit RepairSearch(const Judge& judge) : judge_(judge) {}  // the judge outlives it

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

  const std::vector<Fired>& fired_on(const Stack& stack);
  const Stack& recommended(const Stack& stack);
  std::size_t count_errors(const Stack& stack);
  Weighed weighed(Stack edited, const Stack& from, const Rule* rule);
  std::optional<Stack> completed(const Weighed& edit, const Stack& from, const Rule& rule);
  std::optional<Stack> searched(const Stack& stack);

  const Judge& judge_;
  std::map<std::string, std::vector<Fired>> fired_;  // by the printed stack
  std::map<std::string, Stack> recommended_;
  std::map<std::string, std::optional<Stack>> repaired_;
};

std::optional<Stack> repaired(const Stack& stack, const Judge& judge);

}  // namespace ordercheck
