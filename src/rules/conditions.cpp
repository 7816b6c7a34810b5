#include "rules/conditions.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {
namespace {

using Kind = ConditionNode::Kind;

// A number that may be unknown or undefined (`none`: remainder by zero, overflow). A comparison with an unknown number is
// unknown, with an undefined one false.
struct Number {
  enum State { known, unknown, none };
  State state = known;
  long long value = 0;
  bool assumed = false;  // only known to be more than 1
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
      if (!beyond) made.value = right == -1 ? 0 : left % right;  // INT64_MIN % -1 overflows
      break;
    default: assert(false && "an operator of numbers");
  }
  if (beyond) made.state = Number::none;
  return made;
}

class Evaluation {
 public:
  Evaluation(const Condition& condition, const ConditionValues& values) : condition_(condition), values_(values) {}

  // Kleene logic: one true operand decides ||, one false operand &&, even if the other is unknown.
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
    // A product with an assumed degree is more than 1; other results are unknown.
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

  // An assumed number is a lower bound: 16 stages of 8 ranks need more than 8 ranks, whatever else multiplies them.
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

  // Whether the comparison is with 1, as in "tp > 1" or "dp == 1". Only these have a result for an unwritten degree.
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

namespace {

using Kind = ConditionNode::Kind;

constexpr int kDeepest = 64;  // limits the parser's recursion; pages nest a few levels

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

struct Token {
  enum Kind { name, number, sign, binary, open, close, unknown };
  Kind kind = unknown;
  std::string text;
};

// Tokenizes a condition. A '-' before a value is a sign; `and` and `or` are && and ||.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const bool value_due = tokens.empty() || tokens.back().kind == Token::sign || tokens.back().kind == Token::binary ||
                           tokens.back().kind == Token::open;
    std::size_t size = 1;
    Token::Kind kind = Token::unknown;
    const auto pair = text.substr(at, 2);
    if (in_name(text[at])) {
      while (at + size < text.size() && in_name(text[at + size])) ++size;
      const std::string_view word = text.substr(at, size);
      // 18 digits always fit a long long.
      const bool is_number = word.size() < 19 && std::ranges::all_of(word, is_digit);
      kind = is_number ? Token::number : is_digit(word.front()) ? Token::unknown : Token::name;
      if (word == "and" || word == "or") {
        tokens.push_back({Token::binary, word == "and" ? "&&" : "||"});
        at += size;
        continue;
      }
    } else if (pair == "&&" || pair == "||" || pair == "==" || pair == "!=" || pair == "<=" || pair == ">=") {
      size = 2;
      kind = Token::binary;
    } else if (value_due && text[at] == '-') {
      kind = Token::sign;
    } else if (std::string_view("+-*%<>").find(text[at]) != std::string_view::npos) {
      kind = Token::binary;
    } else if (text[at] == '(' || text[at] == ')') {
      kind = text[at] == '(' ? Token::open : Token::close;
    }
    tokens.push_back({kind, std::string(text.substr(at, size))});
    at += size;
  }
  return tokens;
}

// The syntax error in the tokens of a condition, or "".
std::string mistake_in(const std::vector<Token>& tokens) {
  bool value_due = true;
  int depth = 0;
  for (const Token& token : tokens) {
    const bool begins_value =
        token.kind == Token::name || token.kind == Token::number || token.kind == Token::sign || token.kind == Token::open;
    if (token.kind == Token::unknown) return fmt::format("'{}' has no place in a condition", one_line(token.text));
    if (begins_value != value_due)
      return fmt::format("expected {} before '{}'", value_due ? "a value" : "an operator", token.text);
    depth += token.kind == Token::open ? 1 : token.kind == Token::close ? -1 : 0;
    if (depth < 0) return "a ')' without its '('";
    value_due = token.kind != Token::name && token.kind != Token::number && token.kind != Token::close;
  }
  if (value_due) return "expected a value at its end";
  return depth > 0 ? "a '(' without its ')'" : "";
}

// Binary operators, loosest first. Operators in a row have equal precedence and associate left.
struct Operator {
  const char* sign;
  Kind kind;
};
const std::array<std::vector<Operator>, 6>& rows() {
  static const std::array<std::vector<Operator>, 6> all{{
      {{"||", Kind::either}},
      {{"&&", Kind::both}},
      {{"==", Kind::equal}, {"!=", Kind::unequal}},
      {{"<", Kind::less}, {"<=", Kind::at_most}, {">", Kind::greater}, {">=", Kind::at_least}},
      {{"+", Kind::sum}, {"-", Kind::difference}},
      {{"*", Kind::product}, {"%", Kind::remainder}},
  }};
  return all;
}

std::size_t row_of(Kind kind) {
  for (std::size_t row = 0; row < rows().size(); ++row)
    if (std::ranges::find(rows()[row], kind, &Operator::kind) != rows()[row].end()) return row;
  return rows().size();
}

bool is_truth(Kind kind) { return row_of(kind) < 4; }

// Parses tokens that mistake_in() accepted: values and operators alternate, brackets match.
class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Condition& into) : tokens_(tokens), into_(into) {}

  // Parses the tokens. Returns the type error (a number where a comparison is needed), or "".
  std::string parse() {
    read(0);
    if (wrong_.empty() && !is_truth(into_.root().kind)) wrong_ = "it is no truth value; compare with ==, !=, <, <=, > or >=";
    return wrong_;
  }

 private:
  std::size_t add(ConditionNode node) {
    into_.nodes.push_back(std::move(node));
    return into_.nodes.size() - 1;
  }

  void expect(std::size_t operand, bool truth, const std::string& sign) {
    if (!wrong_.empty() || is_truth(into_.nodes[operand].kind) == truth) return;
    wrong_ = fmt::format("expected {} with '{}', got {}", truth ? "a truth value" : "a number", sign,
                         print(into_, into_.nodes[operand]));
  }

  std::size_t read(std::size_t row) {
    if (row == rows().size()) return read_value();
    std::size_t left = read(row + 1);
    while (at_ < tokens_.size() && wrong_.empty()) {
      const auto found = std::ranges::find(rows()[row], tokens_[at_].text, &Operator::sign);
      if (tokens_[at_].kind != Token::binary || found == rows()[row].end()) break;
      ++at_;
      const std::size_t right = read(row + 1);
      const bool of_truths = found->kind == Kind::either || found->kind == Kind::both;
      expect(left, of_truths, found->sign);
      expect(right, of_truths, found->sign);
      left = add({.kind = found->kind, .left = left, .right = right});
    }
    return left;
  }

  std::size_t read_value() {
    const Token& token = tokens_[at_++];
    if (token.kind == Token::name)
      return add({.kind = Kind::name, .text = token.text, .slot = slot_of(token.text).value_or(0)});
    if (token.kind == Token::number) return add({.kind = Kind::number, .value = parse_integer(token.text).value()});
    if (++depth_ > kDeepest) {
      if (wrong_.empty()) wrong_ = "it is nested too deeply";
      // Ends all loops of the parser.
      at_ = tokens_.size();
      return add({});
    }
    std::size_t made = 0;
    if (token.kind == Token::sign) {
      const std::size_t operand = read_value();
      expect(operand, false, "-");
      made = add({.kind = Kind::negated, .left = operand});
    } else {
      made = read(0);
      if (at_ < tokens_.size()) ++at_;  // the ')'
    }
    --depth_;
    return made;
  }

  const std::vector<Token>& tokens_;
  Condition& into_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string wrong_;
};

}  // namespace

Result<Condition> parse_condition(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  Condition condition{.text = std::string(text), .names = {}, .nodes = {}};
  for (const Token& token : tokens) {
    if (token.kind != Token::name || contains(condition.names, token.text)) continue;
    if (!contains(condition_names(), token.text))
      return Error{
          fmt::format("'{}': unknown name '{}'; {}", one_line(text), token.text, did_you_mean(token.text, condition_names()))};
    condition.names.push_back(token.text);
  }
  std::string mistake = mistake_in(tokens);
  if (mistake.empty()) mistake = Parser(tokens, condition).parse();
  if (!mistake.empty()) return Error{fmt::format("'{}': {}", one_line(text), mistake)};
  return condition;
}

std::string print(const Condition& condition, const ConditionNode& node) {
  if (node.kind == Kind::name) return node.text;
  if (node.kind == Kind::number) return fmt::format("{}", node.value);
  const std::size_t row = row_of(node.kind);
  const auto operand = [&](const ConditionNode& one, bool on_the_right) {
    const std::size_t its = row_of(one.kind);
    // Operators associate left, so a right operand of equal precedence needs brackets.
    const bool looser = its < row || (its == row && on_the_right);
    return looser && one.kind != Kind::negated ? fmt::format("({})", print(condition, one)) : print(condition, one);
  };
  if (node.kind == Kind::negated) return "-" + operand(condition.left(node), false);
  const char* sign = std::ranges::find(rows()[row], node.kind, &Operator::kind)->sign;
  return fmt::format("{} {} {}", operand(condition.left(node), false), sign, operand(condition.right(node), true));
}

}  // namespace ordercheck
