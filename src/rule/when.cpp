#include "rule/when.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <muparserx/mpParser.h>

#include "base/text.h"

namespace ordercheck {
namespace {

const std::vector<std::string>& known_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"pp", "dp_replicate", "dp_shard", "cp", "tp", "ep", "etp", "dp", "world", "ranks"};
    for (const auto* sizes : {&model_size_names(), &step_size_names()}) all.insert(all.end(), sizes->begin(), sizes->end());
    all.insert(all.end(), {"ac", "sac", "compile", "clip_alone"});
    return all;
  }();
  return names;
}

// muparserx has no remainder, and every rule about divisibility wants one.
class Remainder : public mup::IOprtBin {
 public:
  Remainder() : IOprtBin(_T("%"), mup::prMUL_DIV, mup::oaLEFT) {}
  void Eval(mup::ptr_val_type& result, const mup::ptr_val_type* arguments, int) override {
    const long long left = arguments[0]->GetInteger(), right = arguments[1]->GetInteger();
    if (right == 0) throw mup::ParserError(_T("a remainder by zero"));
    *result = static_cast<mup::int_type>(right == -1 ? 0 : left % right);  // the smallest one by -1 has no quotient
  }
  const mup::char_type* GetDesc() const override { return _T("left % right: the remainder"); }
  mup::IToken* Clone() const override { return new Remainder(*this); }
};

// Throws mup::ParserError.
bool evaluate(const std::string& text, const std::vector<std::string>& names, const ConditionValues& values) {
  mup::ParserX parser(mup::pckALL_NON_COMPLEX);
  parser.DefineOprt(mup::TokenPtr<mup::IOprtBin>(new Remainder));
  for (const std::string& name : names) parser.DefineConst(name, mup::Value(static_cast<mup::int_type>(values.at(name))));
  parser.SetExpr(text);
  const mup::Value value = parser.Eval();
  if (value.GetType() != 'b') throw mup::ParserError(_T("it is no truth value; compare with ==, !=, <, <=, > or >="));
  return value.GetBool();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

struct Token {
  enum Kind { name, number, sign, binary, open, close, stranger };
  Kind kind = stranger;
  std::string text;
};

// The words of a condition. A '-' where a value is due is a sign.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const bool value_due = tokens.empty() || tokens.back().kind == Token::sign || tokens.back().kind == Token::binary ||
                           tokens.back().kind == Token::open;
    std::size_t size = 1;
    Token::Kind kind = Token::stranger;
    const auto pair = text.substr(at, 2);
    if (in_name(text[at])) {
      while (at + size < text.size() && (in_name(text[at + size]) || text[at + size] == '.')) ++size;
      const std::string_view word = text.substr(at, size);
      const bool is_number =
          word.size() < 19 &&
          std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '.'; }) && std::ranges::count(word, '.') < 2;
      kind = is_number ? Token::number : is_digit(word.front()) ? Token::stranger : Token::name;
      if (word == "and" || word == "or") kind = Token::binary;
    } else if (pair == "&&" || pair == "||" || pair == "==" || pair == "!=" || pair == "<=" || pair == ">=") {
      size = 2;
      kind = Token::binary;
    } else if (value_due && text[at] == '-') {
      kind = Token::sign;
    } else if (std::string_view("+-*/%<>").find(text[at]) != std::string_view::npos) {
      kind = Token::binary;
    } else if (text[at] == '(' || text[at] == ')') {
      kind = text[at] == '(' ? Token::open : Token::close;
    }
    tokens.push_back({kind, std::string(text.substr(at, size))});
    at += size;
  }
  return tokens;
}

// muparserx reads through the end of some malformed expressions ("tp > 1 || || ep") and knows far more than a condition
// may say, so the form is checked before. What is wrong with it, or "".
std::string mistake_in(const std::vector<Token>& tokens) {
  bool value_due = true;
  int depth = 0;
  for (const Token& token : tokens) {
    const bool begins_value =
        token.kind == Token::name || token.kind == Token::number || token.kind == Token::sign || token.kind == Token::open;
    if (token.kind == Token::stranger) return fmt::format("'{}' has no place in a condition", one_line(token.text));
    if (begins_value != value_due)
      return fmt::format("expected {} before '{}'", value_due ? "a value" : "an operator", token.text);
    depth += token.kind == Token::open ? 1 : token.kind == Token::close ? -1 : 0;
    if (depth < 0) return "a ')' without its '('";
    value_due = token.kind != Token::name && token.kind != Token::number && token.kind != Token::close;
  }
  if (value_due) return "expected a value at its end";
  return depth > 0 ? "a '(' without its ')'" : "";
}

std::vector<std::string> names_among(std::span<const Token> tokens) {
  std::vector<std::string> names;
  for (const Token& token : tokens)
    if (token.kind == Token::name && !contains(names, token.text)) names.push_back(token.text);
  return names;
}

std::string text_of(std::span<const Token> tokens) {
  std::string text;
  for (const Token& token : tokens) text += (text.empty() ? "" : " ") + token.text;
  return text;
}

// Where one of the two spellings stands outside all parentheses; the end when nowhere.
std::size_t find_outside(std::span<const Token> tokens, std::string_view sign, std::string_view word) {
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    depth += tokens[i].kind == Token::open ? 1 : tokens[i].kind == Token::close ? -1 : 0;
    if (depth == 0 && (tokens[i].text == sign || tokens[i].text == word)) return i;
  }
  return tokens.size();
}

// Kleene's logic: one true part makes an `||` true and one false part an `&&` false, whatever the unknown ones are.
Truth truth_of(std::span<const Token> tokens, const ConditionValues& values) {
  const std::vector<std::string> names = names_among(tokens);
  if (std::ranges::all_of(names, [&](const std::string& name) { return values.contains(name); })) {
    try {
      return evaluate(text_of(tokens), names, values) ? Truth::yes : Truth::no;
    } catch (const mup::ParserError&) {
      // The text was evaluated when it was read; what is left is a remainder by zero, which is met by nothing.
      return Truth::no;
    }
  }
  if (const std::size_t at = find_outside(tokens, "||", "or"); at < tokens.size()) {
    const Truth one = truth_of(tokens.first(at), values), other = truth_of(tokens.subspan(at + 1), values);
    if (one == Truth::yes || other == Truth::yes) return Truth::yes;
    return one == Truth::no && other == Truth::no ? Truth::no : Truth::unknown;
  }
  if (const std::size_t at = find_outside(tokens, "&&", "and"); at < tokens.size()) {
    const Truth one = truth_of(tokens.first(at), values), other = truth_of(tokens.subspan(at + 1), values);
    if (one == Truth::no || other == Truth::no) return Truth::no;
    return one == Truth::yes && other == Truth::yes ? Truth::yes : Truth::unknown;
  }
  const bool wrapped = tokens.front().kind == Token::open && find_outside(tokens, ")", ")") == tokens.size() - 1;
  return wrapped ? truth_of(tokens.subspan(1, tokens.size() - 2), values) : Truth::unknown;
}

}  // namespace

Result<Condition> parse_condition(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  Condition condition{.text = std::string(text), .names = names_among(tokens)};
  ConditionValues ones;
  for (const std::string& name : condition.names) {
    if (!contains(known_names(), name))
      return Error{fmt::format("'{}': unknown name '{}'; {}", one_line(text), name, did_you_mean(name, known_names()))};
    ones[name] = 1;
  }
  if (const std::string mistake = mistake_in(tokens); !mistake.empty())
    return Error{fmt::format("'{}': {}", one_line(text), mistake)};
  try {
    (void)evaluate(condition.text, condition.names, ones);
  } catch (const mup::ParserError& error) {
    return Error{one_line(fmt::format("'{}': {}", text, error.GetMsg()))};
  }
  return condition;
}

Truth truth_of(const Condition& condition, const ConditionValues& values) {
  return truth_of(tokens_of(condition.text), values);
}

bool is_met(const Condition& condition, const ConditionValues& values) { return truth_of(condition, values) == Truth::yes; }

std::vector<std::string> unknown_names(const Condition& condition, const ConditionValues& values) {
  std::vector<std::string> names = condition.names;
  std::erase_if(names, [&](const std::string& name) { return values.contains(name); });
  return names;
}

std::string explain(const Condition& condition, const ConditionValues& values) {
  std::vector<std::string> parts;
  for (const std::string& name : condition.names)
    if (const auto value = values.find(name); value != values.end())
      parts.push_back(fmt::format("{} = {}", name, value->second));
  return join(parts, ", ");
}

}  // namespace ordercheck
