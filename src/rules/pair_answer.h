// Answers whether item A may be applied before item B, by the rule pages about these two items.
#pragma once

#include <string>
#include <vector>

#include "base/enum.h"
#include "rules/check.h"

namespace ordercheck {

//   no         a page says wrong, fails, hangs or ignored      apart      a clash page: not together, in any order
//   worse      a page says slow or memory                      contested  a page's citations disagree, and no run decides
//   yes        a page is against the other order, or the one against this order is refuted or over
//   commutes   a page lets the two swap                        open       no page applies
ORDERCHECK_ENUM(PairWord, yes, worse, no, apart, contested, commutes, open)

struct PairAnswer {
  PairWord word = PairWord::open;
  const Rule* rule = nullptr;  // owned by the judge; the deciding page, null if there is none
  friend bool operator==(const PairAnswer&, const PairAnswer&) = default;
};

// The answer for the stack `before,after`. Only rules that are about the target or fundamental count. A clash rule decides
// first, then the order rule with the worst harm for this order, then an order rule against the opposite order, then a
// commutes rule.
PairAnswer answer_for(const Item& before, const Item& after, const Judge& judge);

// The rules about items `a` and `b`, in rule order.
struct PairPages {
  std::vector<const Rule*> straight;  // order rules that fire on `a,b`
  std::vector<const Rule*> turned;    // order rules that fire on `b,a`
  // Clash and effect rules, which fire in both orders; commutes rules only if no order rule fires.
  std::vector<const Rule*> any;
  std::vector<const Rule*> others;  // such rules that are not about the target
};
PairPages pages_about(const Item& a, const Item& b, const Judge& judge);

// One sentence about both orders: "apply tp before fsdp; fsdp before tp fails (ORD-004)".
std::string verdict_in_words(const Item& a, const Item& b, const Judge& judge);

// Text for `ordercheck explain a,b`: each order with its answer and the rules that fire on it, with basis, harm, grade, reason
// and all citations.
std::string explain_pair(const Item& a, const Item& b, const Judge& judge);

}  // namespace ordercheck
