#include "rule/match.h"

#include <bit>
#include <initializer_list>
#include <span>

#include "rule/job.h"
#include "rule/when.h"

namespace ordercheck {
namespace {

// What `ask` says of the catalogue of this rule alone.
template <class Ask>
auto of_rule(const Rule& rule, const Stack& stack, const Job& job, Ask ask) {
  const Catalogue alone(std::span(&rule, 1));
  const ConditionValues values = values_of(job);
  StackMatch match(alone, stack, values);
  return ask(match);
}

}  // namespace

Job job_of(const Witness& witness) {
  Job job(witness.ranks, sizes_of_model(witness.model));
  if (witness.accumulation) job.sizes["microbatches"] = job.sizes["accumulation"] = *witness.accumulation;
  return job;
}

std::vector<Firing> firings(const Rule& rule, const Stack& stack, const Job& job) {
  return of_rule(rule, stack, job, [](StackMatch& match) { return match.firings(0); });
}

std::vector<Demand> demands(const Rule& rule, const Stack& stack, const Job& job) {
  return of_rule(rule, stack, job, [](StackMatch& match) { return match.demands(0); });
}

std::vector<CommutingPair> commuting_pairs(const Rule& rule, const Stack& stack, const Job& job) {
  return of_rule(rule, stack, job, [](StackMatch& match) { return match.commuting_pairs(0); });
}

StackMatch::StackMatch(const Catalogue& catalogue, const Stack& stack, const ConditionValues& job, MissingDegrees missing)
    : catalogue_(catalogue), job_(job), missing_(missing) {
  for (const Item& item : stack.items) items_.push_back({.kind = &catalogue.kind_of(item), .degrees = item.degrees});
}

std::uint64_t StackMatch::played(std::size_t word, std::size_t one, std::size_t other) const {
  const ItemKind &a = *items_[one].kind, &b = *items_[other].kind;
  return a.one[word] & b.other[word] & catalogue_.related(a.scope, b.scope)[word];
}

bool StackMatch::plays(std::size_t page, std::size_t one, std::size_t other) const {
  return (played(page / 64, one, other) >> (page % 64) & 1) != 0;
}

// From the later item of each pair back to the earlier one, so that what stands between them is known on the way.
std::uint64_t StackMatch::fired_in_pairs(std::size_t word) const {
  const Catalogue::Sets& sets = catalogue_.sets();
  const std::uint64_t either_way = sets.either_way[word], first_to_last = sets.in_order[word] | either_way;
  std::uint64_t fired = 0, silenced = 0;
  for (std::size_t later = 0; later < size(); ++later) {
    std::uint64_t here = 0, ready = ~sets.with_between[word];
    for (std::size_t earlier = later; earlier-- > 0;) {
      here |= ready & ((played(word, earlier, later) & first_to_last) | (played(word, later, earlier) & either_way));
      ready |= items_[earlier].kind->between[word];
    }
    fired |= here & ~silenced;
    silenced |= items_[later].kind->unless[word];
  }
  return fired;
}

std::uint64_t StackMatch::fired_alone(std::size_t word) const {
  std::uint64_t there = 0;
  for (const Placed& item : items_) there |= item.kind->one[word];
  return (there & catalogue_.sets().lone[word]) | catalogue_.sets().of_no_item[word];
}

std::uint64_t StackMatch::fired_for_lack(std::size_t word) const {
  std::uint64_t fired = 0;
  for (std::size_t item = 0; item < size(); ++item) {
    std::uint64_t lacking = items_[item].kind->one[word] & catalogue_.sets().missing[word];
    for (std::size_t other = 0; lacking != 0 && other < size(); ++other)
      if (other != item) lacking &= ~played(word, item, other);
    fired |= lacking;
  }
  return fired;
}

const PageBits& StackMatch::fired_if_met() {
  if (fired_if_met_) return *fired_if_met_;
  fired_if_met_.emplace(catalogue_.words());
  for (std::size_t word = 0; word < catalogue_.words(); ++word)
    (*fired_if_met_)[word] = fired_in_pairs(word) | fired_alone(word) | fired_for_lack(word);
  return *fired_if_met_;
}

const ConditionValues& StackMatch::values() {
  if (!values_) {
    values_.emplace(job_);
    for (const Placed& item : items_) values_->add(item.kind->share, item.degrees);
    values_->finish();
    if (missing_ == MissingDegrees::as_run) values_->take_missing_degrees_as_run();
  }
  return values_->values();
}

bool StackMatch::is_met(std::size_t page) {
  const Rule& rule = catalogue_.pages()[page];
  return !rule.when || ordercheck::is_met(*rule.when, values());
}

PageBits StackMatch::met(PageBits pages) {
  for (std::size_t word = 0; word < pages.size(); ++word)
    for (std::uint64_t left = pages[word] & catalogue_.sets().conditional[word]; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(left));
      if (!is_met(word * 64 + bit)) pages[word] &= ~(std::uint64_t{1} << bit);
    }
  return pages;
}

const PageBits& StackMatch::fired() {
  if (!fired_) fired_ = met(fired_if_met());
  return *fired_;
}

const PageBits& StackMatch::ordering() {
  if (ordering_) return *ordering_;
  PageBits pages(catalogue_.words());
  for (std::size_t word = 0; word < pages.size(); ++word)
    for (std::size_t one = 0; one < size(); ++one)
      for (std::size_t other = 0; other < size(); ++other)
        if (one != other) pages[word] |= played(word, one, other) & catalogue_.sets().in_order[word];
  return ordering_.emplace(met(std::move(pages)));
}

const PageBits& StackMatch::commuting() {
  if (commuting_) return *commuting_;
  PageBits pages(catalogue_.words());
  for (std::size_t word = 0; word < pages.size(); ++word)
    for (std::size_t one = 0; one < size(); ++one)
      for (std::size_t other = 0; other < size(); ++other)
        if (one != other) pages[word] |= played(word, one, other) & catalogue_.sets().commutes[word];
  return commuting_.emplace(met(std::move(pages)));
}

std::vector<std::size_t> StackMatch::open() {
  std::vector<std::size_t> open;
  const PageBits& pages = fired_if_met();
  for (std::size_t word = 0; word < pages.size(); ++word)
    for (std::uint64_t left = pages[word] & catalogue_.sets().conditional[word]; left != 0; left &= left - 1) {
      const std::size_t page = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (truth_of(*catalogue_.pages()[page].when, values()) == Truth::unknown) open.push_back(page);
    }
  return open;
}

std::vector<std::string> StackMatch::unknown_sizes(std::size_t page) {
  return unknown_names(*catalogue_.pages()[page].when, values());
}

bool StackMatch::has_partner(std::size_t page, std::size_t item) const {
  for (std::size_t other = 0; other < size(); ++other)
    if (other != item && plays(page, item, other)) return true;
  return false;
}

bool StackMatch::is_silenced(std::size_t page, std::size_t before) const {
  for (std::size_t item = 0; item < before; ++item)
    if (has(items_[item].kind->unless, page)) return true;
  return false;
}

std::optional<std::size_t> StackMatch::between(std::size_t page, std::size_t begin, std::size_t end) const {
  for (std::size_t item = begin; item < end; ++item)
    if (has(items_[item].kind->between, page)) return item;
  return std::nullopt;
}

// Whether some order of the items would have one between the two.
bool StackMatch::could_have_between(std::size_t page, std::size_t one, std::size_t other) const {
  if (!has(catalogue_.sets().with_between, page)) return true;
  for (std::size_t item = 0; item < size(); ++item)
    if (item != one && item != other && has(items_[item].kind->between, page)) return true;
  return false;
}

// Pairs in the order of the stack, in which the two play the parts either way round.
template <class Each>
void StackMatch::each_pair(std::size_t page, Each each) const {
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t j = i + 1; j < size(); ++j)
      if (plays(page, i, j) || plays(page, j, i)) each(i, j);
}

// Whatever the page's condition says. `each` is given the items of one firing after another.
template <class Each>
void StackMatch::each_firing(std::size_t page, Each each) const {
  const Catalogue::Sets& sets = catalogue_.sets();
  using Items = std::initializer_list<std::size_t>;
  if (has(sets.of_no_item, page)) return each(Items{});
  if (has(sets.in_order, page)) {
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t j = i + 1; j < size(); ++j) {
        if (!plays(page, i, j) || is_silenced(page, j)) continue;
        if (!has(sets.with_between, page))
          each(Items{i, j});
        else if (const auto k = between(page, i + 1, j))
          each(Items{i, *k, j});
      }
    return;
  }
  if (has(sets.either_way, page) && !has(sets.of_partner, page))
    return each_pair(page, [&](std::size_t i, std::size_t j) {
      if (!is_silenced(page, j)) each(Items{i, j});
    });
  for (std::size_t i = 0; i < size(); ++i) {
    if (!has(items_[i].kind->one, page)) continue;
    const bool fires = has(sets.lone, page) || (has(sets.of_partner, page) && has_partner(page, i)) ||
                       (has(sets.missing, page) && !has_partner(page, i));
    if (fires) each(Items{i});
  }
}

std::vector<Firing> StackMatch::firings(std::size_t page) {
  std::vector<Firing> found;
  if (has(fired(), page)) each_firing(page, [&](auto items) { found.push_back({items}); });
  return found;
}

std::size_t StackMatch::count_firings(std::size_t page) {
  std::size_t count = 0;
  if (has(fired(), page)) each_firing(page, [&](auto) { ++count; });
  return count;
}

std::vector<Demand> StackMatch::demands(std::size_t page) {
  std::vector<Demand> found;
  if (!has(ordering(), page)) return found;
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t j = 0; j < size(); ++j)
      if (i != j && plays(page, i, j) && could_have_between(page, i, j)) found.push_back({.before = j, .after = i});
  return found;
}

std::vector<StackMatch::PageDemand> StackMatch::demands_that_can_be_kept() {
  std::vector<PageDemand> found;
  const PageBits& pages = ordering();
  for (std::size_t word = 0; word < pages.size(); ++word)
    for (std::size_t i = 0; pages[word] != 0 && i < size(); ++i)
      for (std::size_t j = 0; j < size(); ++j) {
        if (i == j) continue;
        for (std::uint64_t left = played(word, i, j) & ~played(word, j, i) & pages[word]; left != 0; left &= left - 1) {
          const std::size_t page = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
          if (could_have_between(page, i, j)) found.push_back({.page = page, .demand = {.before = j, .after = i}});
        }
      }
  return found;
}

std::vector<CommutingPair> StackMatch::commuting_pairs(std::size_t page) {
  std::vector<CommutingPair> pairs;
  if (has(commuting(), page)) each_pair(page, [&](std::size_t i, std::size_t j) { pairs.push_back({i, j}); });
  return pairs;
}

}  // namespace ordercheck
