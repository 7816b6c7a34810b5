#include "stack/item_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// More ranks than any machine has, and small enough that products of real degrees fit an int.
constexpr long long kLargestDegree = 1'000'000;

const TransformInfo* find_transform_as_typed(std::string_view typed) {
  const std::string word = lower(typed);
  for (const TransformInfo& info : transforms())
    if (word == info.name || word == lower(info.nested)) return &info;
  return nullptr;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '+' || c == '-';
  });
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return is_word(text) && error == std::errc{} && stopped == text.data() + text.size() && std::isfinite(value) && value >= 0 &&
         text.front() != '-';
}

// Parses the text of one item from left to right and stops at the first error.
class ItemParser {
 public:
  ItemParser(std::string_view text, Span where) : text_(text), at_(where.begin), end_(where.end) {}

  Result<Item> parse() {
    const Span name = take_until("=:@");
    const std::string_view word = view(name);
    if (word.empty()) return error(name, "expected the name of a transform");
    info_ = find_transform_as_typed(word);
    if (info_ == nullptr)
      return error(name, fmt::format("unknown transform {}", in_quotes(word)), "; " + instead_of(lower(word)));
    item_.name = info_->name;

    if (skip('='))
      if (const auto wrong = read_value()) return *wrong;
    while (skip(':'))
      if (const auto wrong = read_option()) return *wrong;
    if (skip('@'))
      if (const auto wrong = read_scope()) return *wrong;
    return item_;
  }

 private:
  std::string_view view(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

  Span take_until(std::string_view stops) {
    // Search no further than the item's end: scanning the rest for every item of a long text would be quadratic.
    const Span taken{at_, std::min(end_, text_.substr(0, end_).find_first_of(stops, at_))};
    at_ = taken.end;
    return taken;
  }

  bool skip(char c) {
    if (at_ >= end_ || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Error error(Span where, const std::string& message, const std::string& cure = "") const {
    return error_at(text_, where, message, cure);
  }

  std::optional<Error> read_value() {
    const Span span = take_until(":@");
    const std::string_view value = view(span);
    const std::string& name = info_->name;
    switch (info_->value) {
      case ValueForm::none: return error(span, fmt::format("'{}' takes no value, got {}", name, in_quotes(value)));
      case ValueForm::degree:
        if (const auto degree = read_degree(value)) {
          item_.degrees = {*degree};
          return std::nullopt;
        }
        return error(span, fmt::format("'{}' takes a degree of 1 to {}, got {}", name, kLargestDegree, in_quotes(value)));
      case ValueForm::degree_pair: {
        const std::size_t cross = value.find('x');
        const auto replicate = read_degree(value.substr(0, cross));
        const auto shard = read_degree(cross == value.npos ? "" : value.substr(cross + 1));
        if (replicate && shard) {
          item_.degrees = {*replicate, *shard};
          return std::nullopt;
        }
        return error(
            span, fmt::format("'{}' takes two degrees, replicate x shard as in {}=2x4, got {}", name, name, in_quotes(value)));
      }
      case ValueForm::mode:
        if (!contains(info_->modes, value))
          return error(span, fmt::format("unknown mode {} of '{}'", in_quotes(value), name),
                       "; " + did_you_mean(lower(value), info_->modes, "it takes: "));
        item_.mode = value;
        return std::nullopt;
    }
    return std::nullopt;
  }

  static std::optional<Degree> read_degree(std::string_view text) {
    const auto value = parse_integer(text);
    if (!value || *value < 1 || *value > kLargestDegree) return std::nullopt;
    return Degree{static_cast<int>(*value)};
  }

  std::optional<Error> read_option() {
    const Span span = take_until("=:@");
    const std::string name(view(span));
    const OptionInfo* option = find_option(*info_, name);
    if (option == nullptr) {
      const std::string cure =
          "; " + (info_->options.empty() ? "it has none" : did_you_mean(lower(name), names_in(info_->options), "it takes: "));
      return error(span, fmt::format("unknown option {} of '{}'", in_quotes(name), info_->name), cure);
    }
    for (const Option& earlier : item_.options) {
      if (earlier.name == name) return error(span, fmt::format("option '{}' is given twice", name));
      if (!option->group.empty() && find_option(*info_, earlier.name)->group == option->group)
        return error(span, fmt::format("option '{}' contradicts '{}': one {} at a time", name, earlier.name, option->group));
    }
    const bool given = skip('=');
    const Span value_span = given ? take_until(":@") : span;
    const std::string_view value = given ? view(value_span) : std::string_view();
    if (const auto expected = what_is_wrong(*option, given, value))
      return error(value_span, fmt::format("option '{}' takes {}, got {}", name, *expected,
                                           given ? in_quotes(value) : std::string("no value")));
    item_.options.push_back({name, std::string(value)});
    return std::nullopt;
  }

  // A description of the option's valid values if `value` is invalid; nullopt if it is valid.
  static std::optional<std::string> what_is_wrong(const OptionInfo& option, bool given, std::string_view value) {
    switch (option.form) {
      case OptionForm::flag: return given ? std::optional<std::string>("no value") : std::nullopt;
      case OptionForm::count: {
        const auto count = parse_integer(value);
        if (count && *count >= 1 && *count <= kLargestDegree) return std::nullopt;
        return fmt::format("a count of 1 to {}", kLargestDegree);
      }
      case OptionForm::number:
        if (is_number(value) || contains(option.words, value)) return std::nullopt;
        return "a decimal of at least 0" + (option.words.empty() ? "" : " or one of " + join(option.words, ", "));
      case OptionForm::word:
        if (!option.words.empty())
          return contains(option.words, value) ? std::nullopt : std::optional("one of " + join(option.words, ", "));
        return is_word(value) ? std::nullopt : std::optional<std::string>("a value of [a-z0-9_.+-]");
      case OptionForm::list: {
        const auto is_known = [&](const std::string& one) {
          return option.words.empty() ? is_word(one) : contains(option.words, one);
        };
        if (std::ranges::all_of(split(value, '+'), is_known)) return std::nullopt;
        return (option.words.empty() ? "values of [a-z0-9_.-]" : "some of " + join(option.words, ", ")) + " joined by '+'";
      }
    }
    return std::nullopt;
  }

  std::optional<Error> read_scope() {
    const Span span{at_, end_};
    const std::vector<std::string> names = all_names<Scope>();
    if (const auto scope = find_named<Scope>(view(span))) item_.scope = scope;
    at_ = end_;
    if (item_.scope == info_->scope) {
      item_.scope.reset();  // the default, however it is written
      return std::nullopt;
    }
    if (item_.scope) return std::nullopt;
    return error(span, fmt::format("unknown scope {}", in_quotes(view(span))), "; " + did_you_mean(lower(view(span)), names));
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
  const TransformInfo* info_ = nullptr;
  Item item_;
};

}  // namespace

Result<Item> parse_item(std::string_view text, Span where) {
  const std::string_view item = text.substr(where.begin, where.end - where.begin);
  const std::string_view inner = trim(item);
  if (!inner.empty()) where.begin += static_cast<std::size_t>(inner.data() - item.data());
  where.end = where.begin + inner.size();
  return ItemParser(text, where).parse();
}

namespace {

// Hints for common words that are no transform name. Maps by meaning, because dp is one letter from pp but does not mean pp.
const std::map<std::string, std::string, std::less<>>& meanings() {
  static const std::string data = "write 'fsdp' for shards, 'ddp' for replicas, 'hsdp' for both";
  static const std::string framework = "that is a framework; write what it applies, such as tp=2,pp=2,ac,ddp=2";
  static const std::string ac = "did you mean 'ac'?", compile = "did you mean 'compile'?", tp = "did you mean 'tp'?";
  static const std::map<std::string, std::string, std::less<>> all{
      {"dp", data},
      {"data_parallel", data},
      {"dp_shard", "did you mean 'fsdp'?"},
      {"dp_replicate", "did you mean 'ddp'?"},
      {"fully_shard", "did you mean 'fsdp'?"},
      {"fsdp2", "did you mean 'fsdp'?"},
      {"zero3", "did you mean 'fsdp'? ZeRO-3 is fsdp:reshard=always"},
      {"zero-3", "did you mean 'fsdp'? ZeRO-3 is fsdp:reshard=always"},
      {"zero2", "did you mean 'fsdp'? ZeRO-2 is fsdp:reshard=never"},
      {"zero-2", "did you mean 'fsdp'? ZeRO-2 is fsdp:reshard=never"},
      {"zero1", "that shards the optimizer alone, which no transform here does; to its gradients it is 'ddp'"},
      {"zero-1", "that shards the optimizer alone, which no transform here does; to its gradients it is 'ddp'"},
      {"zero", "did you mean 'fsdp'? ZeRO-3 is fsdp:reshard=always, ZeRO-2 fsdp:reshard=never"},
      {"deepspeed", framework},
      {"megatron", framework},
      {"torchtitan", framework},
      {"accelerate", framework},
      {"nemo", framework},
      {"torch.compile", compile},
      {"torch_compile", compile},
      {"inductor", "did you mean 'compile=inductor'?"},
      {"dynamo", compile},
      {"checkpoint", ac},
      {"checkpointing", ac},
      {"activation_checkpoint", ac},
      {"activation_checkpointing", ac},
      {"gradient_checkpointing", ac},
      {"remat", ac},
      {"recompute", ac},
      {"selective_ac", "did you mean 'sac'?"},
      {"tensor_parallel", tp},
      {"sp", "sequence parallel is part of 'tp'; tp:sp=off is without it"},
      {"sequence_parallel", "sequence parallel is part of 'tp'; tp:sp=off is without it"},
      {"pipeline", "did you mean 'pp'?"},
      {"pipeline_parallel", "did you mean 'pp'?"},
      {"context_parallel", "did you mean 'cp'?"},
      {"ring", "did you mean 'cp:ring'?"},
      {"ulysses", "did you mean 'cp'? it has no exchange like Ulysses' all-to-all"},
      {"expert_parallel", "did you mean 'ep'?"},
      {"moe", "did you mean 'ep'?"},
      {"fp8", "did you mean 'quantize'?"},
      {"float8", "did you mean 'quantize'?"},
      {"bf16", "did you mean 'amp=bf16', or fsdp:mp=bf16?"},
      {"autocast", "did you mean 'amp'?"},
      {"mixed_precision", "did you mean 'amp', or fsdp:mp=bf16?"},
      {"adamw", "did you mean 'optimizer=adamw'?"},
      {"sgd", "did you mean 'optimizer=sgd'?"},
  };
  return all;
}

}  // namespace

std::string instead_of(std::string_view word) {
  const auto meant = meanings().find(word);
  return meant != meanings().end() ? meant->second : did_you_mean(word, names_in(transforms()));
}

}  // namespace ordercheck
