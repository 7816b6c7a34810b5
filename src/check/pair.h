// May A be applied before B? What the pages say of one order of two items.
#pragma once

#include <string>
#include <vector>

#include "base/enum.h"
#include "check/check.h"

namespace ordercheck {

//   no         a page says wrong, fails, hangs or ignored      apart      a clash page: not together, in any order
//   worse      a page says slow or memory                      contested  a page's citations clash, and no run decides
//   yes        the other order is spoken against, or the page against this one is refuted or over
//   commutes   a page lets the two change places               open       no page speaks
ORDERCHECK_ENUM(PairWord, yes, worse, no, apart, contested, commutes, open)

struct PairAnswer {
  PairWord word = PairWord::open;
  const Rule* rule = nullptr;  // of the judge; the page that decides, null where none does
  friend bool operator==(const PairAnswer&, const PairAnswer&) = default;
};

// `before` applied first, `after` next, nothing else in the stack. Pages count that hold for the target or are fundamental. Clash
// pages decide first, then the order page that says
// most against this order, then one against the other order, then a commutes page.
PairAnswer answer_for(const Item& before, const Item& after, const Judge& judge);

// Pages about the two, in order of the rules.
struct PairPages {
  std::vector<const Rule*> straight;  // order pages that fire when `a` is applied before `b`
  std::vector<const Rule*> turned;    // when `b` is applied before `a`
  // Clash and effect rules about both, whatever the order; commutes rules unless an order is spoken against.
  std::vector<const Rule*> any;
  std::vector<const Rule*> others;  // of any of these kinds: rules that claim nothing about the target
};
PairPages pages_about(const Item& a, const Item& b, const Judge& judge);

// One sentence for both orders of `a` and `b`: "apply tp before fsdp; fsdp before tp fails (ORD-004)".
std::string verdict_in_words(const Item& a, const Item& b, const Judge& judge);

// Each order with its word and the pages that fire on it: basis, harm, grade, reason, every citation.
std::string explain_pair(const Item& a, const Item& b, const Judge& judge);

}  // namespace ordercheck
