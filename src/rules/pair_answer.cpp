#include "rules/pair_answer.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/finding_text.h"
#include "rules/match.h"
#include "rules/target_runs.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

PairWord word_of(const Rule& rule, const Judge& judge) {
  switch (judge.grade(rule).kind) {
    case GradeKind::contested: return PairWord::contested;
    case GradeKind::refuted:
    case GradeKind::stale: return PairWord::yes;
    case GradeKind::reproduced:
    case GradeKind::cited: break;
  }
  return rule.harm == Harm::slow || rule.harm == Harm::memory ? PairWord::worse : PairWord::no;
}

// Ranks the answers: larger is more against the order.
int weight(PairWord word) {
  switch (word) {
    case PairWord::no: return 4;
    case PairWord::worse: return 3;
    case PairWord::contested: return 2;
    default: return 1;
  }
}

std::string harm_in_words(const Rule& rule) {
  switch (rule.harm) {
    case Harm::wrong: return "gives other numbers without a message";
    case Harm::fails: return "fails";
    case Harm::hangs: return "hangs";
    case Harm::ignored: return "leaves one of them without its full effect";
    case Harm::slow: return "is right too, but slower";
    case Harm::memory: return "is right too, but takes more memory";
  }
  assert(false && "a harm is one of six");
  return "";
}

bool is_right(PairWord word) { return word == PairWord::yes || word == PairWord::commutes || word == PairWord::open; }

// The text for an order that a page is against.
std::string against(const std::string& order, const PairAnswer& answer) {
  assert(answer.rule != nullptr && "something speaks against it");
  if (answer.word == PairWord::contested)
    return fmt::format("the sources of {} disagree about {}, and no run has decided", answer.rule->id, order);
  return fmt::format("{} {} ({})", order, harm_in_words(*answer.rule), answer.rule->id);
}

std::string both_right(const std::string& one, const std::string& other, const PairAnswer& a, const PairAnswer& b,
                       const Judge& judge) {
  const std::string orders = fmt::format("apply {}, or {}", one, other);
  if (a.word == PairWord::commutes) return fmt::format("{}: both right, {} lets them change places", orders, a.rule->id);
  if (a.rule == nullptr && b.rule == nullptr) return fmt::format("{}: no rule orders the two", orders);
  const Rule* over = a.rule != nullptr ? a.rule : b.rule;
  return fmt::format("{}: no difference, {} is {}", orders, over->id, print(judge.grade(*over)));
}

// What a rule that is against both orders says about this one, in words: one order may raise and the other be silent.
std::string harm_of_order(const Rule& rule, const Item& before, const Item& after, const Judge& judge) {
  const Verdict shown = shown_verdict(rule, Firing{0, 1}, Stack{.items = {before, after}}, judge.target());
  if (shown == Verdict::differs) return "gives other numbers without a message";
  return shown == Verdict::fails ? "fails" : harm_in_words(rule);
}

std::string orders_in_words(const Item& a, const Item& b, const Judge& judge) {
  const PairAnswer straight = answer_for(a, b, judge), turned = answer_for(b, a, judge);
  const std::string one = fmt::format("{} before {}", print(a), print(b));
  const std::string other = fmt::format("{} before {}", print(b), print(a));
  if (straight.word == PairWord::apart) {
    const std::string one_harm = harm_of_order(*straight.rule, a, b, judge),
                      other_harm = harm_of_order(*straight.rule, b, a, judge);
    const std::string harms = one_harm == other_harm ? fmt::format("that {}", one_harm)
                                                     : fmt::format("{} {}, {} {}", one, one_harm, other, other_harm);
    return fmt::format("do not apply {} and {} together, in any order: {} ({})", print(a), print(b), harms, straight.rule->id);
  }
  if (is_right(straight.word) && is_right(turned.word)) return both_right(one, other, straight, turned, judge);
  if (is_right(straight.word)) return fmt::format("apply {}; {}", one, against(other, turned));
  if (is_right(turned.word)) return fmt::format("apply {}; {}", other, against(one, straight));
  return fmt::format("no order of the two is free of a rule: {}; {}", against(one, straight), against(other, turned));
}

bool is_about_target(const Rule& rule, const Judge& judge) {
  return rule.basis == Basis::fundamental || holds_for(rule, judge.target());
}

// The rules that fire on a stack of two items or let them swap, with the usual model sizes. Keeps rules that are only about
// other projects or releases in a separate list.
class PairMatch {
 public:
  PairMatch(const Item& before, const Item& after, const Judge& judge) {
    const Stack stack{.items = {before, after}};
    const ConditionValues values = values_of(Job{});
    StackMatch match(judge.catalogue(), stack, values);
    PagePlaces pages = match.fired();
    const PagePlaces commuting = match.commuting();
    pages.insert(pages.end(), commuting.begin(), commuting.end());
    std::ranges::sort(pages);
    for (const std::size_t page : pages) {
      const Rule& rule = judge.rules()[page];
      if (rule.kind != RuleKind::commutes && is_answered(rule, match.firings(page).front(), stack, judge)) continue;
      (is_about_target(rule, judge) ? pages_ : others_).push_back(&rule);
    }
  }

  const std::vector<const Rule*>& fired() const { return pages_; }
  const std::vector<const Rule*>& about_others() const { return others_; }
  std::vector<const Rule*> fired(RuleKind kind) const {
    std::vector<const Rule*> pages = pages_;
    std::erase_if(pages, [kind](const Rule* rule) { return rule->kind != kind; });
    return pages;
  }

 private:
  std::vector<const Rule*> pages_, others_;
};

// Whether the page is about two items in any order.
bool is_about_both(const Rule& rule) {
  return rule.kind == RuleKind::clash || rule.kind == RuleKind::commutes ||
         (rule.kind == RuleKind::effect && !rule.other.any_of.empty());
}

}  // namespace

PairAnswer answer_for(const Item& before, const Item& after, const Judge& judge) {
  const PairMatch straight(before, after, judge), turned(after, before, judge);
  // A clash page may leave one of the orders to another page.
  if (const auto pages = straight.fired(RuleKind::clash); !pages.empty())
    return {turned.fired(RuleKind::clash).empty() ? PairWord::no : PairWord::apart, pages.front()};
  PairAnswer answer;
  for (const Rule* rule : straight.fired(RuleKind::order)) {
    const PairWord word = word_of(*rule, judge);
    if (answer.rule == nullptr || weight(word) > weight(answer.word)) answer = {word, rule};
  }
  if (answer.rule != nullptr) return answer;
  if (const auto pages = turned.fired(RuleKind::order); !pages.empty()) return {PairWord::yes, pages.front()};
  if (const auto pages = straight.fired(RuleKind::commutes); !pages.empty()) return {PairWord::commutes, pages.front()};
  return answer;
}

PairPages pages_about(const Item& a, const Item& b, const Judge& judge) {
  const PairMatch straight(a, b, judge), turned(b, a, judge);
  PairPages pages{
      .straight = straight.fired(RuleKind::order), .turned = turned.fired(RuleKind::order), .any = {}, .others = {}};
  for (const Rule* rule : straight.fired())
    if (is_about_both(*rule)) pages.any.push_back(rule);
  for (const PairMatch* order : {&straight, &turned})
    for (const Rule* rule : order->about_others())
      if ((rule->kind == RuleKind::order || is_about_both(*rule)) && !contains(pages.others, rule))
        pages.others.push_back(rule);
  // List no rule that says "no harm" next to one that says there is harm.
  if (!is_right(answer_for(a, b, judge).word) || !is_right(answer_for(b, a, judge).word))
    std::erase_if(pages.any, [](const Rule* rule) { return rule->kind == RuleKind::commutes; });
  return pages;
}

std::string verdict_in_words(const Item& a, const Item& b, const Judge& judge) {
  std::string text = orders_in_words(a, b, judge);
  for (const Item& item : {a, b}) {
    const Stack alone{.items = {item}};
    const ConditionValues values = values_of(Job{});
    StackMatch match(judge.catalogue(), alone, values);
    for (const std::size_t page : judge.errors(match))
      if (const Rule& rule = judge.rules()[page]; rule.kind == RuleKind::effect)
        text += fmt::format("; {} by itself {} ({})", print(item), harm_in_words(rule), rule.id);
  }
  for (const Rule* page : pages_about(a, b, judge).any) {
    const GradeKind kind = judge.grade(*page).kind;
    const bool over = kind == GradeKind::refuted || kind == GradeKind::stale;
    if (page->kind == RuleKind::effect && !over)
      text += fmt::format("; in any order that {} ({}, {})", harm_in_words(*page), page->id, name_of(kind));
  }
  return text;
}

}  // namespace ordercheck
