#include "check/resize.h"

#include <limits>
#include <optional>
#include <string>

#include "base/text.h"
#include "stack/mesh.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// A tp of 64 for 8 heads is 56 away from one that fits.
constexpr int kFurthest = 1'024;
constexpr int kFurthestOfTwo = 32;  // tried for every two numbers
constexpr std::size_t kMost = 8;

// A number of a stack that may be another: a degree of an item, or a count in one of its options.
struct Number {
  std::size_t item = 0;
  std::size_t place = 0;
  bool is_count = false;

  long long of(const Stack& stack) const {
    const Item& there = stack.items[item];
    if (is_count) return *parse_integer(there.options[place].value);
    return (place < there.degrees.size() ? there.degrees[place] : kMissingDegree).value;
  }

  // Nothing where it would be below 1.
  std::optional<Stack> moved(Stack stack, long long by) const {
    const long long value = of(stack) + by;
    if (value < 1 || value > std::numeric_limits<int>::max()) return std::nullopt;
    Item& changed = stack.items[item];
    if (is_count) {
      changed.options[place].value = std::to_string(value);
    } else {
      changed.degrees.resize(info_of(changed).value == ValueForm::degree_pair ? 2 : 1, kMissingDegree);
      changed.degrees[place].value = static_cast<int>(value);
    }
    return stack;
  }
};

std::vector<Number> numbers_of(const Stack& stack, const std::vector<std::size_t>& about) {
  std::vector<Number> numbers;
  for (std::size_t index = 0; index < stack.items.size(); ++index) {
    if (!about.empty() && !contains(about, index)) continue;
    const Item& item = stack.items[index];
    for (std::size_t at = 0; at < item.options.size(); ++at)
      if (find_option(info_of(item), item.options[at].name)->form == OptionForm::count && parse_integer(item.options[at].value))
        numbers.push_back({.item = index, .place = at, .is_count = true});
    const ValueForm value = info_of(item).value;
    const std::size_t degrees = value == ValueForm::degree_pair ? 2 : value == ValueForm::degree ? 1 : 0;
    for (std::size_t place = 0; place < degrees; ++place) numbers.push_back({.item = index, .place = place});
  }
  return numbers;
}

class Search {
 public:
  Search(const Fired& fired, const Stack& stack, const Judge& judge)
      : page_(static_cast<std::size_t>(fired.rule - judge.rules().data())),
        stack_(stack),
        judge_(judge),
        numbers_(numbers_of(stack, fired.firing.items)) {}

  std::vector<Stack> run() {
    for (int far = 1; far <= kFurthest && found_.size() < kMost; ++far)
      for (const Number& number : numbers_)
        for (const int by : {number.is_count ? far : -far, number.is_count ? -far : far}) take(number.moved(stack_, by));
    // What is further away than that from the least and from what it is, nobody has: 100,000 ranks written for 8.
    for (int value = kFurthest; value > 0 && found_.size() < kMost; --value)
      for (const Number& number : numbers_)
        if (number.of(stack_) > 2LL * kFurthest) take(number.moved(stack_, value - number.of(stack_)));
    if (found_.empty())
      for (int far = 2; far <= kFurthestOfTwo && found_.size() < kMost; ++far) take_pairs(far);
    return std::move(found_);
  }

 private:
  // Two numbers, together so far away.
  void take_pairs(int far) {
    for (std::size_t one = 0; one < numbers_.size(); ++one)
      for (std::size_t other = one + 1; other < numbers_.size(); ++other)
        for (int part = 1; part < far; ++part)
          for (const int by : {-part, part})
            for (const int rest : {part - far, far - part})
              if (const auto half = numbers_[one].moved(stack_, by)) take(numbers_[other].moved(*half, rest));
  }

  void take(std::optional<Stack> made) {
    if (!made) return;
    StackMatch match = judge_.match(*made);
    if (!has(match.fired(), page_)) found_.push_back(*std::move(made));
  }

  std::size_t page_;
  const Stack& stack_;
  const Judge& judge_;
  std::vector<Number> numbers_;
  std::vector<Stack> found_;
};

}  // namespace

std::vector<Stack> resized(const Fired& fired, const Stack& stack, const Judge& judge) {
  return Search(fired, stack, judge).run();
}

}  // namespace ordercheck
