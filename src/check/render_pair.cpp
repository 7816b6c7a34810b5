#include <fmt/format.h>

#include "base/text.h"
#include "check/pair.h"
#include "rule/claim.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

std::string page_text(const Rule& rule, const Judge& judge) {
  const bool commutes = rule.kind == RuleKind::commutes;
  std::string text = fmt::format("  {} {}, {} ({}): {}\n", rule.id, name_of(rule.basis),
                                 commutes ? "no harm" : name_of(rule.harm), print(judge.grade(rule)), reason_of(rule));
  for (const Citation& cite : rule.citations)
    text += fmt::format("    {} {} {}\n", name_of(cite.says), cited_briefly(cite), cite.claim);
  return text;
}

std::string order_text(const Item& before, const Item& after, const std::vector<const Rule*>& pages, const Judge& judge) {
  const PairAnswer answer = answer_for(before, after, judge);
  std::string text = fmt::format("{} before {}: {}", print(before), print(after), name_of(answer.word));
  if (answer.word == PairWord::yes && pages.empty()) text += fmt::format(", {} is against the other order", answer.rule->id);
  if (answer.word == PairWord::open) text += ", no rule speaks about it";
  text += '\n';
  for (const Rule* page : pages) text += page_text(*page, judge);
  return text;
}

// Whom the page is about: its harm is none of the target's.
std::string line_about_others(const Rule& page) {
  std::vector<std::string> about;
  for (const Holds& one : page.holds) about.push_back(print(one));
  return fmt::format("  {} {} ({}): {}\n", page.id, page.kind == RuleKind::commutes ? "no harm" : name_of(page.harm),
                     join(about, ", "), page.title);
}

}  // namespace

std::string explain_pair(const Item& a, const Item& b, const Judge& judge) {
  const PairPages pages = pages_about(a, b, judge);
  std::string text = order_text(a, b, pages.straight, judge);
  if (a != b) text += order_text(b, a, pages.turned, judge);
  if (!pages.any.empty()) text += "in any order:\n";
  for (const Rule* page : pages.any) text += page_text(*page, judge);
  if (!pages.others.empty()) text += fmt::format("not about {}:\n", print(judge.target()));
  for (const Rule* page : pages.others) text += line_about_others(*page);
  return text;
}

}  // namespace ordercheck
