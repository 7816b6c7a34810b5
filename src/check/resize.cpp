#include "check/resize.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>

#include "base/text.h"
#include "rule/when.h"
#include "stack/mesh.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// A tp of 64 for 8 heads is 56 away from one that fits; what is twice as large as all that is there helps nobody.
constexpr long long kFurthest = 1'024, kNear = 64;
constexpr long long kFurthestOfTwo = 32;  // tried for every two numbers
constexpr std::size_t kMost = 8;

// A number of a stack that may be another: a degree of an item, or a count in one of its options.
struct Number {
  std::size_t item = 0;
  std::size_t place = 0;
  bool is_count = false;
  long long value = 1;

  void set(Item& changed, long long to) const {
    if (is_count) {
      changed.options[place].value = std::to_string(to);
    } else {
      changed.degrees.resize(info_of(changed).value == ValueForm::degree_pair ? 2 : 1, kMissingDegree);
      changed.degrees[place].value = static_cast<int>(to);
    }
  }
};

struct Change {
  const Number* number;
  long long to;
};

std::vector<Number> numbers_of(const Stack& stack, const std::vector<std::size_t>& about) {
  std::vector<Number> numbers;
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
      : condition_(*fired.rule->when), stack_(stack), judge_(judge), numbers_(numbers_of(stack, fired.firing.items)) {
    for (const Item& item : stack.items) shares_.push_back(share_of(item));
  }

  std::vector<Stack> run() {
    long long largest = 0;
    for (const Number& number : numbers_) largest = std::max(largest, number.value);
    const long long furthest = std::min(std::max(kNear, 2 * largest), kFurthest);
    for (long long far = 1; far <= furthest && found_.size() < kMost; ++far)
      for (const Number& number : numbers_)
        for (const long long by : {number.is_count ? far : -far, number.is_count ? -far : far})
          take({Change{&number, number.value + by}});
    // 100,000 ranks written where there are 8.
    for (long long value = kFurthest; largest > 2 * kFurthest && value > 0 && found_.size() < kMost; --value)
      for (const Number& number : numbers_) take({Change{&number, value}});
    for (long long far = 2; found_.empty() && far <= kFurthestOfTwo; ++far) take_pairs(far);
    return std::move(found_);
  }

 private:
  // Two numbers, together so far away.
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

  // Numbers change none of what a page asks of an item: what is left to ask is its condition, and no stack is made for a no.
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
  std::vector<Number> numbers_;
  std::vector<ItemShare> shares_;
  std::vector<Stack> found_;
};

}  // namespace

std::vector<Stack> resized(const Fired& fired, const Stack& stack, const Judge& judge) {
  return Search(fired, stack, judge).run();
}

}  // namespace ordercheck
