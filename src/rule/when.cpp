#include "rule/when.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {
namespace {

using Kind = ConditionNode::Kind;

// A number that is not known, or that there is none of: a remainder by zero, or one beyond long long. A comparison with an unknown
// number is unknown, one with none is met by nothing.
struct Number {
  enum State { known, unknown, none };
  State state = known;
  long long value = 0;
  bool assumed = false;  // it is more than 1, and no more is known of it
};

Number computed(Kind kind, long long left, long long right) {
  Number made;
  bool beyond = false;
  switch (kind) {
    case Kind::sum: beyond = __builtin_add_overflow(left, right, &made.value); break;
    case Kind::difference: beyond = __builtin_sub_overflow(left, right, &made.value); break;
    case Kind::product: beyond = __builtin_mul_overflow(left, right, &made.value); break;
    case Kind::remainder:
      beyond = right == 0;
      if (!beyond) made.value = right == -1 ? 0 : left % right;  // the smallest one by -1 has no quotient
      break;
    default: assert(false && "an operator of numbers");
  }
  if (beyond) made.state = Number::none;
  return made;
}

class Evaluation {
 public:
  Evaluation(const Condition& condition, const ConditionValues& values) : condition_(condition), values_(values) {}

  // Kleene's logic: one true part makes an || true and one false part an && false, whatever the unknown ones are.
  Truth truth(const ConditionNode& node) const {
    if (node.kind != Kind::either && node.kind != Kind::both) return comparison(node);
    const Truth decides = node.kind == Kind::either ? Truth::yes : Truth::no;
    const Truth left = truth(condition_.left(node));
    if (left == decides) return decides;
    const Truth right = truth(condition_.right(node));
    if (right == decides) return decides;
    return left == Truth::unknown || right == Truth::unknown ? Truth::unknown : left;
  }

 private:
  Number number(const ConditionNode& node) const {
    if (node.kind == Kind::number) return {.value = node.value};
    if (node.kind == Kind::name)
      return values_.contains(node.slot) ? Number{.value = values_.at(node.slot), .assumed = values_.is_assumed(node.slot)}
                                         : Number{.state = Number::unknown};
    const Number left = node.kind == Kind::negated ? Number{} : number(condition_.left(node));
    const Number right = number(node.kind == Kind::negated ? condition_.left(node) : condition_.right(node));
    if (left.state == Number::none || right.state == Number::none) return {.state = Number::none};
    if (left.state == Number::unknown || right.state == Number::unknown) return {.state = Number::unknown};
    // A product of degrees is more than 1 as soon as one of them is; of what else is made of it nothing is known.
    const bool assumed = left.assumed || right.assumed;
    if (assumed && node.kind != Kind::product) return {.state = Number::unknown};
    Number made = computed(node.kind == Kind::negated ? Kind::difference : node.kind, left.value, right.value);
    made.assumed = assumed;
    return made;
  }

  Truth comparison(const ConditionNode& node) const {
    const Number left = number(condition_.left(node)), right = number(condition_.right(node));
    if (left.state == Number::none || right.state == Number::none) return Truth::no;
    if (left.state == Number::unknown || right.state == Number::unknown) return Truth::unknown;
    if ((left.assumed || right.assumed) && !is_about_one(node)) return of_least(node.kind, left, right);
    const auto met = [&] {
      switch (node.kind) {
        case Kind::equal: return left.value == right.value;
        case Kind::unequal: return left.value != right.value;
        case Kind::less: return left.value < right.value;
        case Kind::at_most: return left.value <= right.value;
        case Kind::greater: return left.value > right.value;
        case Kind::at_least: return left.value >= right.value;
        default: assert(false && "a comparison"); return false;
      }
    };
    return met() ? Truth::yes : Truth::no;
  }

  // An assumed number is at least so much: 16 stages of 8 ranks are more than 8 ranks whatever multiplies them.
  static Truth of_least(Kind kind, const Number& left, const Number& right) {
    if (left.assumed && right.assumed) return Truth::unknown;
    const bool above = left.assumed ? left.value > right.value : right.value > left.value;
    if (!above) return Truth::unknown;
    switch (kind) {
      case Kind::equal: return Truth::no;
      case Kind::unequal: return Truth::yes;
      case Kind::greater:
      case Kind::at_least: return left.assumed ? Truth::yes : Truth::no;
      case Kind::less:
      case Kind::at_most: return left.assumed ? Truth::no : Truth::yes;
      default: assert(false && "a comparison"); return Truth::unknown;
    }
  }

  // "tp > 1", "dp == 1": what is known of a degree that nobody wrote answers these, and no other.
  bool is_about_one(const ConditionNode& node) const {
    const ConditionNode& right = condition_.right(node);
    const bool of_one = right.kind == Kind::number && right.value == 1;
    return of_one && (node.kind == Kind::greater || node.kind == Kind::equal || node.kind == Kind::unequal);
  }

  const Condition& condition_;
  const ConditionValues& values_;
};

void add_parts(const Condition& condition, const ConditionNode& node, Kind kind, std::vector<const ConditionNode*>& parts) {
  if (node.kind != kind) return parts.push_back(&node);
  add_parts(condition, condition.left(node), kind, parts);
  add_parts(condition, condition.right(node), kind, parts);
}

}  // namespace

Truth truth_of(const Condition& condition, const ConditionValues& values) {
  return Evaluation(condition, values).truth(condition.root());
}

bool is_met(const Condition& condition, const ConditionValues& values) { return truth_of(condition, values) == Truth::yes; }

std::vector<const ConditionNode*> parts_of(const Condition& condition, const ConditionNode& node, Kind kind) {
  std::vector<const ConditionNode*> parts;
  add_parts(condition, node, kind, parts);
  return parts;
}

std::vector<std::string> unknown_names(const Condition& condition, const ConditionValues& values) {
  std::vector<std::string> names = condition.names;
  std::erase_if(names, [&](const std::string& name) { return values.contains(name) && !values.is_assumed(name); });
  return names;
}

std::string explain(const Condition& condition, const ConditionValues& values) {
  std::vector<std::string> parts;
  for (const std::string& name : condition.names)
    if (values.contains(name)) parts.push_back(fmt::format("{} = {}", name, values.at(name)));
  return join(parts, ", ");
}

}  // namespace ordercheck
