#include "rule/when.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <memory>

#include <fmt/format.h>
#include <muparserx/mpParser.h>

#include "base/text.h"
#include "stack/mesh.h"
#include "stack/model_sizes.h"

namespace ordercheck {
namespace {

const std::vector<std::string>& known_names() {
  static const std::vector<std::string> names{"pp",   "dp_replicate", "dp_shard", "cp",         "tp",      "ep",
                                              "dp",   "world",        "ranks",    "layers",     "dim",     "heads",
                                              "kv_heads", "head_dim", "ffn_hidden", "vocab",    "sequence_length",
                                              "sequences", "microbatches"};
  return names;
}

// muparserx has no remainder, and every rule about divisibility wants one.
class Remainder : public mup::IOprtBin {
 public:
  Remainder() : IOprtBin(_T("%"), mup::prMUL_DIV, mup::oaLEFT) {}
  void Eval(mup::ptr_val_type& result, const mup::ptr_val_type* arguments, int) override {
    const long long left = arguments[0]->GetInteger(), right = arguments[1]->GetInteger();
    if (right == 0) throw mup::ParserError(_T("a remainder by zero"));
    *result = static_cast<mup::int_type>(left % right);
  }
  const mup::char_type* GetDesc() const override { return _T("left % right: the remainder"); }
  mup::IToken* Clone() const override { return new Remainder(*this); }
};

// Throws mup::ParserError.
bool evaluate(const Condition& condition, const ConditionValues& values) {
  mup::ParserX parser(mup::pckALL_NON_COMPLEX);
  parser.DefineOprt(mup::TokenPtr<mup::IOprtBin>(new Remainder));
  for (const std::string& name : condition.names)
    parser.DefineConst(name, mup::Value(static_cast<mup::int_type>(values.at(name))));
  parser.SetExpr(condition.text);
  const mup::Value value = parser.Eval();
  if (value.GetType() != 'b')
    throw mup::ParserError(_T("it is no truth value; compare with ==, !=, <, <=, > or >="));
  return value.GetBool();
}

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    if (!starts_name(text[at])) {
      // A number takes the letters that stand on it: the parser, not this scan, has to refuse "2tp".
      at += 1;
      while (at > 0 && in_name(text[at - 1]) && at < text.size() && in_name(text[at])) ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    const std::string name(text.substr(at, end - at));
    if (name != "and" && name != "or" && std::ranges::find(names, name) == names.end()) names.push_back(name);
    at = end;
  }
  return names;
}

}  // namespace

Result<Condition> parse_condition(std::string_view text) {
  Condition condition{.text = std::string(text), .names = names_in(text)};
  ConditionValues ones;
  for (const std::string& name : condition.names) {
    if (std::ranges::find(known_names(), name) == known_names().end()) {
      const auto near = nearest(name, known_names());
      return Error{fmt::format("'{}': unknown name '{}'; {}", text, name,
                               near ? fmt::format("did you mean '{}'?", *near)
                                    : fmt::format("known: {}", join(known_names(), ", ")))};
    }
    ones[name] = 1;
  }
  try {
    (void)evaluate(condition, ones);
  } catch (const mup::ParserError& error) {
    return Error{fmt::format("'{}': {}", text, error.GetMsg())};
  }
  return condition;
}

ConditionValues condition_values(const Stack& stack, std::optional<int> ranks) {
  const Mesh mesh = mesh_of(stack);
  ConditionValues values;
  for (const std::string_view axis : kMeshAxes) values[std::string(axis)] = degree_of(mesh, axis);
  values["dp"] = values["dp_replicate"] * values["dp_shard"];
  values["world"] = world_size(mesh);
  if (ranks) values["ranks"] = *ranks;
  values["ep"] = 1;
  for (const Item& item : stack.items) {
    if (item.name == "ep") values["ep"] = (item.degrees.empty() ? kMissingDegree : item.degrees.front()).value;
    if (item.name == "pp")
      if (const auto written = option_of(item, "microbatches"))
        if (const auto count = parse_integer(*written)) values["microbatches"] = *count;
  }
  values.insert({{"layers", kLlama.layers},
                 {"dim", kLlama.dim},
                 {"heads", kLlama.heads},
                 {"kv_heads", kLlama.kv_heads},
                 {"head_dim", kLlama.head_dim},
                 {"ffn_hidden", kLlama.ffn_hidden},
                 {"vocab", kLlama.vocab},
                 {"sequence_length", kStep.sequence_length},
                 {"sequences", kStep.sequences}});
  return values;
}

bool is_met(const Condition& condition, const ConditionValues& values) {
  for (const std::string& name : condition.names)
    if (!values.contains(name)) return false;
  try {
    return evaluate(condition, values);
  } catch (const mup::ParserError&) {
    // The text was evaluated when it was read; what is left is a remainder by zero, which is met by nothing.
    return false;
  }
}

std::string explain(const Condition& condition, const ConditionValues& values) {
  std::vector<std::string> parts;
  for (const std::string& name : condition.names)
    if (const auto value = values.find(name); value != values.end())
      parts.push_back(fmt::format("{} = {}", name, value->second));
  return join(parts, ", ");
}

}  // namespace ordercheck
