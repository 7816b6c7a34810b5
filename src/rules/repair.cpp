#include "rules/repair.h"

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>

#include "base/text.h"
#include "rules/conditions.h"
#include "rules/cure.h"
#include "rules/item_matching.h"
#include "rules/orders.h"
#include "rules/pattern.h"
#include "rules/target_runs.h"
#include "stack/mesh.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// Each round removes at least one error, so usual stacks need far fewer.
constexpr int kMostRounds = 16;
constexpr std::size_t kMostTries = 3;
// Many stacks reach the same recommended order, whose repair is worth caching; few reach the same edits. Beyond this size the
// tables leave the processor's cache, and a lookup is slower than recomputing.
constexpr std::size_t kMostKept = 4'000;

// Adds the edits that reorder the two fired items: move the first after the second, move the second before the first, and the
// recommended order, which changes most.
void add_moves(const Firing& firing, const Stack& stack, const Stack& recommended, std::vector<Stack>& edits) {
  const std::size_t first = firing.at(0), then = firing.back();
  edits.push_back(moved(stack, then, first, false));
  edits.push_back(moved(stack, first, then, true));
  edits.push_back(recommended);
}

// Unique per stack. Several times faster than printing the stack.
std::string key_of(const Stack& stack) {
  std::string key;
  const auto add = [&](std::string_view text) { key.append(text).push_back('\0'); };
  for (const Item& item : stack.items) {
    add(item.name);
    add(item.mode);
    key += static_cast<char>('a' + item.degrees.size());
    for (const Degree& degree : item.degrees) key.append(reinterpret_cast<const char*>(&degree.value), sizeof degree.value);
    for (const Option& option : item.options) {
      add(option.name);
      add(option.value);
    }
    key += static_cast<char>(item.scope ? '0' + static_cast<int>(*item.scope) : '-');
  }
  return key;
}

bool only_drops(const Stack& from, const Stack& to) {
  const auto was_there = [&](const Item& item) { return contains(from.items, item); };
  return to.items.size() < from.items.size() && std::ranges::all_of(to.items, was_there);
}

}  // namespace

std::vector<std::vector<Stack>> RepairSearch::edits_against(const Fired& fired, const Stack& stack) {
  const Rule& rule = *fired.rule;
  std::vector<Stack> cures, edits, removals;
  for (Stack& cure : cures_by_page(rule, judge_.witness_parts(rule), fired.items, stack))
    (only_drops(stack, cure) ? removals : cures).push_back(std::move(cure));
  if (rule.kind == RuleKind::order) add_moves(fired.items, stack, recommended(stack), edits);
  if (rule.kind == RuleKind::fits) edits = resized(fired, stack, judge_);
  if (rule.kind == RuleKind::needs)
    for (std::size_t place = stack.items.size() + 1; place-- > 0;) edits.push_back(with(stack, place, example_of(rule.other)));
  // Drop the last written item first: it was added to the others.
  for (auto item = fired.items.rbegin(); item != fired.items.rend(); ++item) removals.push_back(without(stack, *item));
  return {std::move(cures), std::move(edits), std::move(removals)};
}

void RepairSearch::begin(const std::string& model) {
  const bool is_another = model != model_;
  model_ = model;
  if (is_another || tallies_.size() > kMostKept) {
    tallies_.clear();
    recommended_.clear();
    repaired_.clear();
  }
  if (is_another || edited_.size() > kMostKept) edited_.clear();
}

const RepairSearch::Tally& RepairSearch::tally(const Stack& stack) {
  const auto [found, is_new] = tallies_.try_emplace(key_of(stack));
  Tally& tally = found->second;
  if (!is_new) return tally;
  StackMatch match = judge_.match(stack);
  tally.fired = judge_.fired(match);
  for (const std::size_t page : tally.fired) {
    const std::size_t count = match.firings(page).size();
    tally.findings += count;
    if (judge_.severity(judge_.rules()[page]) == Severity::error) tally.errors += count;
  }
  tally.shown_wrong = tally.errors == 0 && is_shown_wrong(stack, judge_, model_);
  return tally;
}

const Stack& RepairSearch::recommended(const Stack& stack) {
  const auto [found, is_new] = recommended_.try_emplace(key_of(stack));
  if (is_new) found->second = recommended_order(stack, judge_);
  return found->second;
}

// `rule` may be null.
RepairSearch::Weighed RepairSearch::weighed(Stack edited, const Stack& from, const Rule* rule) {
  const Tally& left = tally(edited);
  const Weight weight{.errors = left.against(), .findings = left.findings, .size = size_of_change(from, edited)};
  const bool silenced = rule == nullptr || !contains(left.fired, static_cast<std::size_t>(rule - judge_.rules().data()));
  return {.stack = std::move(edited), .weight = weight, .silenced = silenced};
}

// The edited stack, or its repair if it has errors; nullopt if the rule fires on the repair again or the repair drops a
// transform.
std::optional<Stack> RepairSearch::completed(const Weighed& edit, const Stack& from, const Rule& rule) {
  if (edit.weight.errors == 0) return edit.stack;
  std::optional<Stack> mended = repaired(edit.stack);
  if (!mended || drops_a_transform(edit.stack, *mended) || !weighed(*mended, from, &rule).silenced) return std::nullopt;
  return mended;
}

std::vector<Stack> RepairSearch::tries_against(const Fired& fired, const Stack& stack) {
  const RuleKind kind = fired.rule->kind;
  const bool leaving_out_is_a_choice = fired.severity == Severity::error && kind != RuleKind::order && kind != RuleKind::fits;
  std::vector<Stack> tries;
  const std::vector<std::vector<Stack>> groups = edits_against(fired, stack);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const bool leaves_out = group + 1 == groups.size();
    // One place for a new item is enough; which item to move, or which size to take, is a choice for the user.
    const bool one_will_do = !leaves_out && kind != RuleKind::order && kind != RuleKind::fits;
    if (leaves_out && !tries.empty() && !leaving_out_is_a_choice) break;
    if (!leaves_out && one_will_do && !tries.empty()) continue;
    std::vector<Weighed> edits;
    for (const Stack& edited : groups[group])
      if (Weighed edit = weighed(edited, stack, fired.rule); edit.silenced && !edited.items.empty())
        edits.push_back(std::move(edit));
    std::ranges::stable_sort(edits, {}, &Weighed::weight);
    for (const Weighed& edit : edits) {
      if (tries.size() == kMostTries) return tries;
      const bool as_good =
          edit.weight.errors == edits.front().weight.errors && edit.weight.findings == edits.front().weight.findings;
      if (!leaves_out && !as_good) break;
      const std::optional<Stack> made = completed(edit, stack, *fired.rule);
      if (!made || contains(tries, *made)) continue;
      tries.push_back(*made);
      if (one_will_do) break;
    }
  }
  return tries;
}

// Greedy: each round takes the edit that leaves the fewest errors, then findings, then changes least. Gives up if no single
// edit leaves fewer errors: searching two at once would square the cost.
std::optional<Stack> RepairSearch::searched(const Stack& stack) {
  const std::size_t errors = tally(stack).errors;
  if (errors == 0) return std::nullopt;
  // Try the recommended order first: moving items one by one may pass through worse orders.
  const Stack& ordered = recommended(stack);
  const bool is_better = tally(ordered).errors < errors && !tally(ordered).shown_wrong;
  return edited(is_better ? ordered : stack);
}

std::optional<Stack> RepairSearch::edited(const Stack& stack) {
  const std::string key = key_of(stack);
  if (const auto found = edited_.find(key); found != edited_.end()) return found->second;
  Stack best = stack;
  std::size_t errors = tally(best).against();
  for (int round = 0; errors > 0 && round < kMostRounds; ++round) {
    std::optional<Weighed> better;
    std::vector<std::vector<Stack>> groups(3);
    for (const Fired& fired : fired_on(best, judge_)) {
      if (fired.severity != Severity::error) continue;
      std::vector<std::vector<Stack>> edits = edits_against(fired, best);
      for (std::size_t group = 0; group < edits.size(); ++group)
        std::ranges::move(edits[group], std::back_inserter(groups[group]));
    }
    // Use the first group with a repair: dropping an item would often weigh least, but is the last choice.
    for (const std::vector<Stack>& group : groups) {
      for (const Stack& edited : group)
        if (Weighed edit = weighed(edited, best, nullptr);
            edit.weight.errors < errors && (!better || edit.weight < better->weight))
          better = std::move(edit);
      if (better) break;
    }
    if (!better) return edited_.emplace(key, std::nullopt).first->second;
    best = better->stack;
    errors = better->weight.errors;
  }
  return edited_.emplace(key, errors == 0 ? std::optional(best) : std::nullopt).first->second;
}

std::optional<Stack> RepairSearch::repaired(const Stack& stack) {
  const std::string key = key_of(stack);
  if (const auto found = repaired_.find(key); found != repaired_.end()) return found->second;
  return repaired_.emplace(key, searched(stack)).first->second;
}

std::optional<Stack> repaired(const Stack& stack, const Judge& judge) { return RepairSearch(judge).repaired(stack); }

namespace {

// How far from the written number to search: tp=64 for 8 heads is 56 away from a feasible one.
constexpr long long kFurthest = 1'024, kNear = 64;
constexpr long long kFurthestOfTwo = 32;  // tried for every pair of numbers
constexpr std::size_t kMost = 8;

// A number of a stack that may change: a degree of an item, or a count in an option.
struct NumberOfStack {
  std::size_t item = 0;
  std::size_t place = 0;
  bool is_count = false;
  long long value = 1;

  void set(Item& changed, long long to) const {
    if (is_count) {
      changed.options[place].value = std::to_string(to);
    } else {
      // A changed degree has to be written out.
      changed.degrees.resize(info_of(changed).value == ValueForm::degree_pair ? 2 : 1, kMissingDegree);
      changed.degrees[place].value = static_cast<int>(to);
    }
  }
};

struct Change {
  const NumberOfStack* number;
  long long to;
};

std::vector<NumberOfStack> numbers_of(const Stack& stack, const std::vector<std::size_t>& about) {
  std::vector<NumberOfStack> numbers;
  for (std::size_t index = 0; index < stack.items.size(); ++index) {
    if (!about.empty() && !contains(about, index)) continue;
    const Item& item = stack.items[index];
    for (std::size_t at = 0; at < item.options.size(); ++at)
      if (find_option(info_of(item), item.options[at].name)->form == OptionForm::count)
        if (const auto count = parse_integer(item.options[at].value))
          numbers.push_back({.item = index, .place = at, .is_count = true, .value = *count});
    const ValueForm value = info_of(item).value;
    const std::size_t degrees = value == ValueForm::degree_pair ? 2 : value == ValueForm::degree ? 1 : 0;
    for (std::size_t place = 0; place < degrees; ++place)
      numbers.push_back(
          {.item = index, .place = place, .value = (place < item.degrees.size() ? item.degrees[place] : kMissingDegree).value});
  }
  return numbers;
}

class Search {
 public:
  Search(const Fired& fired, const Stack& stack, const Judge& judge)
      : condition_(*fired.rule->when), stack_(stack), judge_(judge), numbers_(numbers_of(stack, fired.items)) {
    for (const Item& item : stack.items) shares_.push_back(share_of(item));
  }

  std::vector<Stack> run() {
    long long largest = 0;
    for (const NumberOfStack& number : numbers_) largest = std::max(largest, number.value);
    const long long furthest = std::min(std::max(kNear, 2 * largest), kFurthest);
    for (long long far = 1; far <= furthest && found_.size() < kMost; ++far)
      for (const NumberOfStack& number : numbers_)
        for (const long long by : {number.is_count ? far : -far, number.is_count ? -far : far})
          take({Change{&number, number.value + by}});
    // If a number is far too large, such as 100,000 ranks instead of 8, try small values too.
    for (long long value = kFurthest; largest > 2 * kFurthest && value > 0 && found_.size() < kMost; --value)
      for (const NumberOfStack& number : numbers_) take({Change{&number, value}});
    for (long long far = 2; found_.empty() && far <= kFurthestOfTwo; ++far) take_pairs(far);
    return std::move(found_);
  }

 private:
  // Pairs of numbers with this total distance.
  void take_pairs(long long far) {
    for (std::size_t one = 0; one < numbers_.size(); ++one)
      for (std::size_t other = one + 1; other < numbers_.size(); ++other)
        for (long long part = 1; part < far; ++part)
          for (const long long by : {-part, part})
            for (const long long rest : {part - far, far - part})
              if (found_.size() < kMost)
                take(
                    {Change{&numbers_[one], numbers_[one].value + by}, Change{&numbers_[other], numbers_[other].value + rest}});
  }

  // Numbers do not affect a page's patterns, so check only its condition, and build a stack only if it does not fire.
  void take(std::initializer_list<Change> changes) {
    for (const Change& change : changes)
      if (change.to < 1 || change.to > std::numeric_limits<int>::max()) return;
    ValuesOfStack values(judge_.job_values());
    for (std::size_t index = 0; index < stack_.items.size(); ++index) {
      const bool changed = std::ranges::any_of(changes, [&](const Change& one) { return one.number->item == index; });
      if (!changed) {
        values.add(shares_[index], stack_.items[index].degrees);
        continue;
      }
      const Item item = with(changes, index);
      values.add(share_of(item), item.degrees);
    }
    values.finish();
    if (is_met(condition_, values.values())) return;
    Stack made = stack_;
    for (std::size_t index = 0; index < made.items.size(); ++index) made.items[index] = with(changes, index);
    found_.push_back(std::move(made));
  }

  Item with(std::initializer_list<Change> changes, std::size_t index) const {
    Item item = stack_.items[index];
    for (const Change& change : changes)
      if (change.number->item == index) change.number->set(item, change.to);
    return item;
  }

  const Condition& condition_;
  const Stack& stack_;
  const Judge& judge_;
  std::vector<NumberOfStack> numbers_;
  std::vector<ItemShare> shares_;
  std::vector<Stack> found_;
};

}  // namespace

std::vector<Stack> resized(const Fired& fired, const Stack& stack, const Judge& judge) {
  return Search(fired, stack, judge).run();
}

}  // namespace ordercheck
