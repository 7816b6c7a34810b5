#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "rule/when.h"

namespace ordercheck {
namespace {

using Kind = ConditionNode::Kind;

constexpr int kDeepest = 64;  // brackets and signs within each other: a page needs a few, and each is a call of the parser

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

struct Token {
  enum Kind { name, number, sign, binary, open, close, unknown };
  Kind kind = unknown;
  std::string text;
};

// The words of a condition. A '-' where a value is due is a sign; `and` and `or` are && and ||.
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

// What is wrong with the form, or "".
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

// The binary operators, loosest first. Those of a row bind alike, from the left.
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

// Reads tokens whose form was checked: values and operators take turns, and brackets fit.
class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Condition& into) : tokens_(tokens), into_(into) {}

  // What is wrong with what the operators are applied to, or "".
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
    wrong_ = fmt::format("expected {} beside '{}', got {}", truth ? "a truth value" : "a number", sign,
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
    const bool looser = its < row || (its == row && on_the_right);
    return looser && one.kind != Kind::negated ? fmt::format("({})", print(condition, one)) : print(condition, one);
  };
  if (node.kind == Kind::negated) return "-" + operand(condition.left(node), false);
  const char* sign = std::ranges::find(rows()[row], node.kind, &Operator::kind)->sign;
  return fmt::format("{} {} {}", operand(condition.left(node), false), sign, operand(condition.right(node), true));
}

}  // namespace ordercheck
